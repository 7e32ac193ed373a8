"""`find_languages`: two languages of a data set, in the data set's own spelling of the codes."""

from kerasseq.text.languages import canonical

# A language, perhaps with a script and a region: "ceb", "pt-br", "zh_Hant_TW", "es-419".
CODE = r"(?i:[a-z]{2,3}([-_][a-z]{4})?([-_]([a-z]{2,3}|[0-9]{3}))?)"


def find_languages(dataset, languages, source, target):
    """Return two codes as the data set spells them: "fra" of a data set with "fr" is "fr".

    Args:
        dataset: Name of the data set, for the error.
        languages: The codes as the data set spells them.
        source, target: The codes to find.

    Returns:
        The two codes as the data set spells them.

    Raises:
        ValueError: If the data set lacks a language, or both codes are the same language.
    """
    spelling = {canonical(code): code for code in reversed(sorted(languages))}
    spelling |= {code: code for code in languages}  # the exact code wins over a canonical code
    codes = []
    for name, code in (("source", source), ("target", target)):
        key = code if not isinstance(code, str) or code in spelling else canonical(code)
        if not isinstance(code, str) or key not in spelling:
            raise ValueError(
                f"`{name}` must be a language of {dataset}, one of {sorted(languages)}. "
                f"Received: {name}={code!r}"
            )
        codes.append(spelling[key])
    if codes[0] == codes[1]:
        raise ValueError(
            "`source` and `target` must be two languages. "
            f"Received: source={source!r}, target={target!r}"
        )
    return tuple(codes)
