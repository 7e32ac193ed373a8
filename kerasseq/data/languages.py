"""Language codes: "fr", "fra" and "fre" are one language."""

# ISO 639-1: the codes of ISO 639-3 and 639-2 that mean the same in collections of sentence pairs.
_SAME = {
    "ar": "ara", "bg": "bul", "ca": "cat", "cs": "ces cze", "da": "dan", "de": "deu ger",
    "el": "ell gre", "en": "eng", "es": "spa", "et": "est", "eu": "eus baq", "fa": "fas pes per",
    "fi": "fin", "fr": "fra fre", "he": "heb iw", "hi": "hin", "hr": "hrv", "hu": "hun",
    "id": "ind", "is": "isl ice", "it": "ita", "ja": "jpn", "ko": "kor", "lt": "lit",
    "lv": "lav lvs", "ms": "msa may zsm", "ne": "nep npi", "nl": "nld dut", "no": "nor",
    "nb": "nob", "pl": "pol", "pt": "por", "ro": "ron rum", "ru": "rus", "si": "sin",
    "sk": "slk slo", "sl": "slv", "sr": "srp", "sv": "swe", "th": "tha", "tr": "tur", "uk": "ukr",
    "ur": "urd", "vi": "vie", "zh": "zho chi cmn",
}  # fmt: skip
_CANONICAL = {code: short for short, codes in _SAME.items() for code in codes.split()}


def canonical(code):
    """Returns one spelling for all codes of a language: `"fr"` for "fra", `"pt-br"` for "pt_BR"."""
    code = code.lower().replace("_", "-")
    return _CANONICAL.get(code, code)


def find_languages(dataset, languages, source, target):
    """Finds two languages among those that a data set has.

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
    for name, code in (("source", source), ("target", target)):
        if not isinstance(code, str) or canonical(code) not in written:
            raise ValueError(
                f"{dataset} has the languages {sorted(languages)}. Received: {name}={code!r}"
            )
    if canonical(source) == canonical(target):
        raise ValueError(
            "`source` and `target` must be two languages. "
            f"Received: source={source!r}, target={target!r}"
        )
    return tuple(
        code if code in languages else written[canonical(code)] for code in (source, target)
    )
