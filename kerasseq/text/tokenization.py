r"""Texts cut into words or characters, in `tf.strings` ops.

Word level, by the first rule that fits:

- a Chinese character or a Japanese kana is a token of its own;
- letters that each end in a period are one token: "U.S.", "p.m.";
- "3,000" and "3.14" are one token, "10:30" is three;
- a run of letters, digits, their marks and joiners is a word. An apostrophe between letters ends
  the left word ("l'" "homme"), but the English clitics n't 's 're 've 'll 'd 'm are tokens ("does"
  "n't");
- an emoji with its modifiers, a flag, and every other mark or symbol is a token of its own, the
  hyphen too ("well" "-" "known").

All kinds of white space separate tokens. `kerasseq.text.spacing` keeps what stood between them.

Character level: every character is a token, white space too.

At all levels texts are first brought to Unicode form NFC. Control characters, soft hyphens, byte
order marks and spaces of no width are dropped, and bytes that are not UTF-8 become replacement
characters (U+FFFD). Joiners stay: words of Persian and of Indic scripts and many emoji need them.
So do the marks of writing direction, and the spaces of no width that end words of Thai or Khmer.
"""

import tensorflow as tf

from kerasseq.text.unicode import nfc

WORD = r"[\p{L}\p{M}\p{N}\x{200C}\x{200D}]"  # U+200C and U+200D separate and join letters
HAN_OR_KANA = r"[\p{Han}\p{Hiragana}\p{Katakana}\x{30FC}\x{FF70}]\p{M}*"
APOSTROPHE = "['’‘]"
_DROPPED = (
    r"[\x00-\x08\x0e-\x1b\x7f-\x{84}\x{86}-\x{9f}\x{AD}"
    r"\x{2060}-\x{2064}\x{206A}-\x{206F}\x{FEFF}\x{FFF9}-\x{FFFB}]"
)
# Scripts whose words stand side by side: there a space of no width says where a word ends.
_OTHER = r"[^\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
_SPACE_OF_NO_WIDTH = rf"(^|{_OTHER})\x{{200B}}+($|{_OTHER})"

_SPACES = (
    (r"[\s\p{Z}\x0b\x1c-\x1f\x{85}]{2,}", " "),
    (r"[\s\p{Zl}\p{Zp}\x0b\x1c-\x1f\x{85}]", " "),  # one space of another width stays as it is
    (r"^\p{Zs}|\p{Zs}$", ""),
)
# While words are cut, the apostrophe of a clitic is a letter, one that stands in no text.
_LETTER = rf"[{WORD[1:-1]}\x{{01}}\x{{02}}]"
_LETTERS = rf"(?:{WORD}*\p{{Nd}}[.,](?:\p{{Nd}}+[.,])*\p{{Nd}}{WORD}*|{_LETTER}+)"
_ABBREVIATION = r"(?:\p{L}\p{M}*\.){2,}"
# A flag of two letters or a symbol, then skin, hair and the letters of other flags.
_ONE_EMOJI = r"(?:[\x{1F1E6}-\x{1F1FF}]{2}|\p{So})[\p{M}\x{1F3FB}-\x{1F3FF}\x{E0020}-\x{E007F}]*"
_EMOJI = rf"{_ONE_EMOJI}(?:\x{{200D}}{_ONE_EMOJI})*"
# After a clitic comes no letter, nor an apostrophe and a letter: there it would end a left word.
_CLITIC_END = rf"({APOSTROPHE}{{2}}|{APOSTROPHE}?[^'’‘\p{{L}}\p{{M}}\p{{N}}]|{APOSTROPHE}?$)"
_CLITICS = tuple(
    rule
    for mark, letter in (("'", "\x01"), ("’", "\x02"))
    for rule in (
        (rf"({WORD}){mark}((?i:s|re|ve|ll|d|m)){_CLITIC_END}", f"\\1\n{letter}\\2\\3"),
        (rf"({WORD})([nN]){mark}([tT]){_CLITIC_END}", f"\\1\n\\2{letter}\\3\\4"),
    )
)
_TOKEN = (
    rf"({_ABBREVIATION}|{_LETTERS}(?:{APOSTROPHE}{WORD}+)*|{_EMOJI}|[^\s\p{{Z}}\x01\x02]\p{{M}}*)"
)
# Tokens and the spaces between them end up on lines of their own.
_CUT_WORDS = (
    *_SPACES,
    (rf"({HAN_OR_KANA})", "\n\\1\n"),
    *_CLITICS,
    (_TOKEN, "\n\\1\n"),
    (rf"([^\n])({APOSTROPHE})", "\\1\\2\n"),
    ("\x01", "'"),
    ("\x02", "’"),
)


def normalize(texts, lower):
    """Return texts, shape `(batch,)`, as valid UTF-8 in form NFC, without dropped characters."""
    texts = tf.strings.unicode_transcode(texts, "UTF-8", "UTF-8", errors="replace")
    texts = tf.strings.regex_replace(texts, _DROPPED, "")
    for _ in range(2):  # a match takes both neighbors, so a letter between two spaces needs two
        texts = tf.strings.regex_replace(texts, _SPACE_OF_NO_WIDTH, r"\1\2")
    return nfc(tf.strings.lower(texts, encoding="utf-8") if lower else texts)


def split_words(texts):
    """Cut normalized texts, shape `(batch,)`, into words.

    Returns:
        `(words, spaces)`: ragged strings `(batch, None)`. `spaces` holds the space before each
        word, or ""; before the first word of a text, "".
    """
    for pattern, replacement in _CUT_WORDS:
        texts = tf.strings.regex_replace(texts, pattern, replacement)
    lines = tf.strings.split(texts, sep="\n")
    filled = tf.where(lines.flat_values != "")[:, 0]
    rows, lines = tf.gather(lines.value_rowids(), filled), tf.gather(lines.flat_values, filled)
    is_space = tf.strings.regex_full_match(lines, r"\p{Zs}")
    before = previous(tf.where(is_space, lines, ""), "")
    words = tf.where(~is_space)[:, 0]
    count = tf.shape(texts, tf.int64)[0]
    return tuple(
        tf.RaggedTensor.from_value_rowids(
            tf.gather(values, words), tf.gather(rows, words), count, validate=False
        )
        for values in (lines, before)
    )


def previous(values, first):
    """Return the value before each value, shape `(length,)`; `first` is before the first."""
    first = tf.constant([first], values.dtype)
    return tf.concat([first, values[:-1]], axis=0)[: tf.size(values)]


def split_characters(texts):
    """Cut normalized texts, shape `(batch,)`, into characters, ragged `(batch, None)`."""
    return tf.strings.unicode_split(texts, "UTF-8")


def join_characters(tokens):
    """Return the texts, shape `(batch,)`, of characters, ragged `(batch, None)`."""
    return tf.strings.reduce_join(tokens, axis=1)
