"""The fonts that can draw a text: matplotlib's own font has no Chinese, Japanese or Korean."""

import functools
import os
import unicodedata
import warnings

DEFAULT_FAMILY = "DejaVu Sans"  # comes with matplotlib
UNDRAWABLE = "□"
LITERAL = {"parse_math": False, "usetex": False}  # for a `Text`: "$" starts no formula
_CJK_SCRIPTS = {"CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO"}
_warned_scripts = set()


def fit_fonts(texts, font=None):
    """Return fonts that can draw `texts` together, and the texts to draw.

    The configured font (`rcParams["font.family"]`) and matplotlib's own font come first. If they
    lack characters, other installed fonts follow. A character that no font has becomes "□", and one
    warning for each script says which font to install.

    Args:
        texts: List of str.
        font: Family name or file of a font that comes before all others, or None.

    Returns:
        `(families, texts)`: the list of family names for a text's `family`, and the list of texts.

    Raises:
        ValueError: If `font` is neither an installed family nor a font file.
    """
    from matplotlib import rcParams
    from matplotlib.font_manager import FontProperties, findfont

    families = list(rcParams["font.family"]) if font is None else [_family_name(font)]
    families = list(dict.fromkeys([*families, DEFAULT_FAMILY]))
    paths = [findfont(FontProperties(family=[family])) for family in families]
    missing = frozenset("".join(texts)).difference(*(_characters(path) for path in paths))
    if missing:
        more, missing = _search(missing, preferred_ending=_regional_ending("".join(texts)))
        families += more
        _warn_once_per_script(missing)
    table = {ord(character): UNDRAWABLE for character in missing}
    return families, [text.translate(table) for text in texts]


def _family_name(font):
    from matplotlib.font_manager import fontManager

    if isinstance(font, str | os.PathLike) and os.path.isfile(font):
        path = os.path.abspath(font)
        if all(entry.fname != path for entry in fontManager.ttflist):
            fontManager.addfont(path)
        return next(entry.name for entry in fontManager.ttflist if entry.fname == path)
    if font not in {entry.name for entry in fontManager.ttflist}:
        raise ValueError(
            f"`font` must be an installed font family or the path of a font file. Received: {font=}"
        )
    return font


@functools.cache
def _characters(path):
    from matplotlib.font_manager import get_font

    return frozenset(map(chr, get_font(path).get_charmap()))


def _regional_ending(text):
    # China, Japan and Korea draw the same code point differently. Noto Sans CJK has a family for
    # each of the three.
    names = " ".join(unicodedata.name(character, "") for character in set(text))
    if "KATAKANA" in names or "HIRAGANA" in names:
        return "JP"
    return "KR" if "HANGUL" in names else "SC"


def _search(missing, preferred_ending):
    """Return families of installed fonts, and the characters that none of the fonts has."""
    from matplotlib.font_manager import findSystemFonts, fontManager

    # matplotlib keeps its list of fonts in a file, which lacks fonts that were installed later.
    known = {entry.fname for entry in fontManager.ttflist}
    for path in findSystemFonts():
        if path not in known:
            _add_font(path)
    # Upright before italic, without serifs before with, the reader's region before others.
    entries = sorted(
        (entry for entry in fontManager.ttflist if not entry.name.startswith("Last Resort")),
        key=lambda entry: (
            entry.style != "normal" or entry.weight not in (400, "normal", "regular"),
            "Sans" not in entry.name or "Mono" in entry.name,
            not entry.name.endswith(preferred_ending),
        ),
    )
    families = []
    # One font for all missing characters or, if there is none, always the font with most of them.
    while missing:
        whole = (entry for entry in entries if missing <= _characters(entry.fname))
        best = next(whole, None) or max(
            entries, key=lambda entry: len(missing & _characters(entry.fname))
        )
        left = missing - _characters(best.fname)
        if left == missing:
            break
        families.append(best.name)
        missing = left
    return families, missing


def _add_font(path):
    from matplotlib.font_manager import fontManager

    try:
        fontManager.addfont(path)
    except (OSError, RuntimeError, NotImplementedError):  # a broken file, or a bitmap font
        pass


def _warn_once_per_script(missing):
    for character in sorted(missing):
        script = unicodedata.name(character, "UNKNOWN").split()[0]
        if script in _warned_scripts:
            continue
        _warned_scripts.add(script)
        cjk = script in _CJK_SCRIPTS
        family, package = (
            ("Noto Sans CJK", "fonts-noto-cjk") if cjk else ("Noto Sans", "fonts-noto-core")
        )
        warnings.warn(
            f"No installed font has the {script} character {character!r}. It is drawn as "
            f"{UNDRAWABLE}, and so are other characters of this script that no font has. "
            f'Install "{family}" (Debian, Ubuntu: apt install {package}), or pass `font=`: an '
            "installed family or the path of a font file.",
            stacklevel=4,
        )
