"""Language codes: one spelling for each language, and its script."""

import collections
import functools
import unicodedata

import langcodes
from langcodes.data_dicts import LIKELY_SUBTAGS, MACROLANGUAGES
from langcodes.registry_parser import parse_registry

# Scripts without spaces between words: the code of ISO 15924, and the start of the Unicode names of
# the letters. (Unicode's line-breaking rules, UAX #14, treat the same scripts apart.)
_SPACELESS = {
    "Hani": "CJK",
    "Bopo": "BOPOMOFO",
    "Jpan": ("HIRAGANA", "KATAKANA"),
    "Kana": (),  # without Chinese characters, as Okinawan
    "Yiii": "YI ",
    "Thai": "THAI",
    "Laoo": "LAO",
    "Khmr": "KHMER",
    "Mymr": "MYANMAR",
    "Tibt": "TIBETAN",
    "Lana": "TAI THAM",
    "Tale": "TAI LE",
    "Talu": "NEW TAI LUE",
    "Tavt": "TAI VIET",
    "Ahom": "AHOM",
    "Java": "JAVANESE",
    "Bali": "BALINESE",
}
_NAMES = {**_SPACELESS, "Kore": "HANGUL"}
_PARTS = {"Hans": "Hani", "Hant": "Hani", "Hang": "Kore", "Hira": "Kana", "Hrkt": "Kana"}
_LEAST_KANA = 0.1  # of Chinese characters and kana together: less is a quotation in Chinese


@functools.cache
def canonical(code):
    """Return one spelling for all codes of a language: `"fr"` for "fra", `"pt-br"` for "pt_BR".

    A text that is no code comes back in lower case.

    Example:
        >>> canonical("fre"), canonical("cmn"), canonical("zh_TW"), canonical("eng_Latn")
        ('fr', 'zh', 'zh-tw', 'en')
    """
    code = code.lower().replace("_", "-")
    try:
        return langcodes.standardize_tag(code, macro=True).lower()
    except ValueError:
        return code


def check_language(code):
    """Raise an error for a code that no language has.

    An unknown code of three or four letters passes: ISO 639-3 grows, and data sets have codes of
    their own. "kr" passes, because it is the code of Kanuri; `kerasseq.bleu` warns if the texts
    are Korean.

    Raises:
        ValueError: If no language has the code. The message names the right code for "cn", "jp" or
            "english".

    Example:
        >>> check_language("pt_BR")
    """
    tag = _parse(code)
    word = tag.language if tag else code
    if tag and langcodes.Language.make(word).is_valid():
        return
    right = _right_code(word.lower()) if isinstance(word, str) else None
    if tag and right is None and len(word) in (3, 4):
        return
    hint = f'; did you mean "{right}"?' if right else "."
    raise ValueError(
        '`language` must be a code of ISO 639-1 or 639-3 such as "en", "pt-BR", "zh" or "ceb"'
        f"{hint} Received: language={code!r}"
    )


def script_of(code):
    """Return the script that a language is likely written in, by its code of ISO 15924.

    Returns:
        Str, "Hani" for simplified and traditional Chinese; None for an unknown language.

    Example:
        >>> script_of("tha"), script_of("yue"), script_of("zh-Latn"), script_of("sr")
        ('Thai', 'Hani', 'Latn', 'Cyrl')
    """
    tag = langcodes.Language.get(code)
    if tag.script is None and tag.language not in LIKELY_SUBTAGS:
        if tag.language not in MACROLANGUAGES:
            return None
        tag = langcodes.Language.make(MACROLANGUAGES[tag.language], territory=tag.territory)
    script = tag.maximize().script
    return _PARTS.get(script, script)


def script_of_texts(texts):
    """Return the script of most letters: Hangul ("Kore"), or a script without spaces.

    Args:
        texts: Iterable of str.

    Returns:
        Str as from `script_of`; None for any other script with spaces, and for no letters.

    Example:
        >>> script_of_texts(["我爱北京", "TensorFlow"]), script_of_texts(["私は学生です"])
        (None, 'Jpan')
    """
    letters = collections.Counter()
    for text in texts:
        letters.update(text)
    scripts = collections.Counter()
    for letter, count in letters.items():
        if letter.isalpha():
            scripts[_script_of_letter(letter)] += count
    kana, both = scripts["Jpan"], scripts["Jpan"] + scripts["Hani"]
    likely, other = ("Jpan", "Hani") if kana > _LEAST_KANA * both else ("Hani", "Jpan")
    scripts[likely], scripts[other] = both, 0
    return max(scripts, key=scripts.get) if scripts.total() else None


def has_spaces(script):
    """Return whether a script of `script_of` has spaces between words; True for None.

    Example:
        >>> has_spaces("Thai"), has_spaces("Latn"), has_spaces(None)
        (False, True, True)
    """
    return script not in _SPACELESS


def _script_of_letter(letter):
    name = unicodedata.name(letter, "")
    return next((script for script, start in _NAMES.items() if name.startswith(start)), None)


def _parse(code):
    try:
        return langcodes.Language.get(code) if isinstance(code, str) and code else None
    except ValueError:
        return None


def _right_code(word):
    """Return the main language of a territory ("jp"), or the language of a name ("english")."""
    if len(word) == 2:
        territory = langcodes.Language.make(territory=word.upper())
        likely = territory.maximize().language if territory.is_valid() else None
        return None if likely == "en" else likely  # "en" is also langcodes' answer if none is known
    names = list(_english_names()) if len(word) > 3 else []
    exact = (code for code, name in names if name == word)
    longer = (code for code, name in names if name.startswith(f"{word} "))
    return next(exact, None) or next(longer, None)


def _english_names():
    """Yield each code with its names in the registry of BCP 47, the codes of two letters first."""
    for entry in parse_registry():
        if entry["Type"] == "language":
            for name in entry["Description"]:
                yield entry["Subtag"], name.partition(" (")[0].removeprefix("Modern ").lower()
