r"""How texts are cut into tokens and tokens joined to readable text, in `tf.strings` ops.

Word level, in the order in which a place in the text is tried:

- a Chinese character or a Japanese kana is a token of its own;
- letters that each end in a period are one token: "U.S.", "p.m.";
- "3,000" and "3.14" are one token, "10:30" is three;
- a run of letters, digits and their marks is a word. An apostrophe between letters ends the left
  word ("l'" "homme"), but the English clitics n't 's 're 've 'll 'd 'm are tokens ("does" "n't");
- an emoji with its modifiers, a flag, and every other mark or symbol is a token of its own, the
  hyphen too ("well" "-" "known").

All kinds of white space separate; ‘ and ’ count as '. Joining follows the same rules: a joined text
has the very tokens that it was made of. Where several texts have the same tokens, one is made that
reads well, so "Va !" comes back as "Va!", and "Paris - Rome" as "Paris-Rome".

Character level: every character is a token, white space too, and joining gives the text back.

At both levels texts are brought to Unicode form NFC, control characters and zero-width characters
are dropped, and bytes that are not UTF-8 become replacement characters (U+FFFD). Among the dropped
are the joiners of Persian and of Indic scripts, and those in emoji, whose parts become tokens.
"""

import tensorflow as tf

from kerasseq.nfc import nfc

_INVISIBLE = r"[\p{Cf}\x00-\x08\x0e-\x1b\x7f-\x{84}\x{86}-\x{9f}]"
_WORD = r"[\p{L}\p{M}\p{N}]"
_KANA_OR_HAN = r"[\p{Han}\p{Hiragana}\p{Katakana}\x{30FC}\x{FF70}]\p{M}*"
_WIDE_MARK = (
    r"[\x{3001}-\x{303F}\x{FF01}-\x{FF0F}\x{FF1A}-\x{FF20}\x{FF3B}-\x{FF40}\x{FF5B}-\x{FF65}]"
)
_LETTERS = rf"(?:{_WORD}*\p{{Nd}}[.,](?:\p{{Nd}}+[.,])*\p{{Nd}}{_WORD}*|[\p{{L}}\p{{M}}\p{{N}}’]+)"
_ABBREVIATION = r"(?:\p{L}\p{M}*\.){2,}"
_EMOJI = r"(?:[\x{1F1E6}-\x{1F1FF}]{2}|\p{So})[\p{M}\x{1F3FB}-\x{1F3FF}]*"
# After a clitic comes no letter, nor an apostrophe and a letter: there it would end a left word.
_CLITIC_END = r"(''|'?[^'\p{L}\p{M}\p{N}]|'?$)"

_SPLIT_WORDS = (
    (r"[\s\p{Z}\x0b\x1c-\x1f\x{85}]+", " "),
    (r"[‘’]", "'"),
    (r"(^|[^\p{L}\p{M}\p{N}\p{So}])\p{M}+", r"\1"),  # marks without a letter
    (rf"({_KANA_OR_HAN})", r" \1 "),
    # No ’ is left in the text. From here it is the apostrophe of a clitic, a letter like others.
    (rf"({_WORD})'((?i:s|re|ve|ll|d|m)){_CLITIC_END}", r"\1 ’\2\3"),
    (rf"({_WORD})([nN])'([tT]){_CLITIC_END}", r"\1 \2’\3\4"),
    (rf"({_ABBREVIATION}|{_LETTERS}(?:'{_WORD}+)*|{_EMOJI}|\S)", r" \1 "),
    (r"([^ ])'", r"\1' "),
    (r"’", "'"),
)

_JOIN_WORDS = (
    # Apostrophes within words become ’, which leaves those that quote.
    (r"([^ ])' ", r"\1’"),
    (r" ([nN])'([tT])", r"\1’\2"),
    (r" '([^ ])", r"’\1"),
    # Pairs, so that marks which open and close alike are put on the right side.
    (r'" ([^"]+) "', r'"\1"'),
    (r"' ([^']+) '", r"'\1'"),
    (r" '( |$)", r"'\1"),
    (r"“ ([^“”]+) ”", r"“\1”"),
    (r"„ ([^„“”]+) ([“”])", r"„\1\2"),
    (r"’", "'"),
    (r" ([.,;:!?…%)\]}])", r"\1"),
    (r"([(\[{¿¡]) ", r"\1"),
    (r"([$£]) (\p{Nd})", r"\1\2"),
    (rf"({_WORD}) ([-‐‑]) ", r"\1\2"),
    (r" / ", "/"),
    (r"(\p{Nd}): (\p{Nd})", r"\1:\2"),
    (rf" ({_KANA_OR_HAN}|{_WIDE_MARK})", r"\1"),
    (rf"({_KANA_OR_HAN}|{_WIDE_MARK}) ", r"\1"),
)


def normalize(texts, lower):
    """Brings texts, shape `(batch,)`, to valid UTF-8 in form NFC without invisible characters."""
    texts = tf.strings.unicode_transcode(texts, "UTF-8", "UTF-8", errors="replace")
    texts = tf.strings.regex_replace(texts, _INVISIBLE, "")
    return nfc(tf.strings.lower(texts, encoding="utf-8") if lower else texts)


def split_words(texts):
    """Cuts normalized texts, shape `(batch,)`, into words, ragged `(batch, None)`."""
    return tf.strings.split(_rewrite(texts, _SPLIT_WORDS))


def join_words(tokens):
    """Joins words, ragged `(batch, None)`, to readable texts, shape `(batch,)`."""
    return _rewrite(tf.strings.reduce_join(tokens, axis=1, separator=" "), _JOIN_WORDS)


def split_characters(texts):
    """Cuts normalized texts, shape `(batch,)`, into characters, ragged `(batch, None)`."""
    return tf.strings.unicode_split(texts, "UTF-8")


def join_characters(tokens):
    """Joins characters, ragged `(batch, None)`, to texts, shape `(batch,)`."""
    return tf.strings.reduce_join(tokens, axis=1)


def _rewrite(texts, rules):
    for pattern, replacement in rules:
        texts = tf.strings.regex_replace(texts, pattern, replacement)
    return texts
