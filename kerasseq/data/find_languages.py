"""The languages that a data set has, however it writes their codes."""

from kerasseq.text.languages import canonical

# A language, perhaps with a script and a region: "ceb", "pt-br", "zh_Hant_TW", "es-419".
CODE = r"(?i:[a-z]{2,3}([-_][a-z]{4})?([-_]([a-z]{2,3}|[0-9]{3}))?)"


def find_languages(dataset, languages, source, target):
    """Find two languages among those that a data set has.

    Args:
        dataset: Name of the data set, for the message.
        languages: The codes as the data set writes them.
        source, target: The codes that are wanted.

    Returns:
        The two codes as the data set writes them.

    Raises:
        ValueError: When one is not there, or both are the same.
    """
    written = {canonical(code): code for code in reversed(sorted(languages))}
    written |= {code: code for code in languages}  # its own way of writing comes first
    found = []
    for name, code in (("source", source), ("target", target)):
        key = code if not isinstance(code, str) or code in written else canonical(code)
        if not isinstance(code, str) or key not in written:
            raise ValueError(
                f"{dataset} has the languages {sorted(languages)}. Received: {name}={code!r}"
            )
        found.append(written[key])
    if found[0] == found[1]:
        raise ValueError(
            "`source` and `target` must be two languages. "
            f"Received: source={source!r}, target={target!r}"
        )
    return tuple(found)
