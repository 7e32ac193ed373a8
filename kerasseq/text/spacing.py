r"""Spaces between words: kept with the words, so that a text comes back whole.

Two words mostly tell what stands between them: a space between words of letters, nothing before a
comma, nothing between Chinese characters. Where a text differs, a token keeps the difference:

    " !"         an exclamation mark after a space, as in French
    "\u2060&"    an ampersand after no space; U+2060 is WORD JOINER, which nobody sees
    " Tom"       a name after a Chinese character and a space

The frequent case costs nothing, and most words have one form. Of two neighbors, a mark keeps the
space rather than a word, a word rather than a Chinese character, and of two equals the right one.
No word holds a space or U+2060 of its own: spaces cut words, and `normalize` drops U+2060.

A wrong expectation makes the vocabulary larger. It never makes a text wrong.
"""

import tensorflow as tf

from kerasseq.text.tokenization import APOSTROPHE, HAN_OR_KANA, WORD, previous

NOTHING = "\N{WORD JOINER}"  # stands for no space, where one would be expected
_SPACING = rf"[\p{{Zs}}{NOTHING}]"
_WIDE = r"[\x{3001}-\x{303F}\x{FF01}-\x{FF0F}\x{FF1A}-\x{FF20}\x{FF3B}-\x{FF40}\x{FF5B}-\x{FF65}]"
_OPENING = r"[\p{Ps}\p{Pi}\p{Sc}]\p{M}*"
_SPANISH = "[¿¡]"  # open, but belong to a class that closes
_CLOSING = r"[\p{Pe}\p{Pf}\p{Po}]\p{M}*"
_LINK = rf"[\p{{Pd}}\p{{Pc}}]\p{{M}}*|{HAN_OR_KANA}|{_WIDE}\p{{M}}*"
_ELIDED = rf".*{WORD}{APOSTROPHE}"
_CLITIC = rf"(?i:[nN]{APOSTROPHE}t|{APOSTROPHE}(?:s|re|ve|ll|d|m))"


def write_spacing(words, spaces):
    """Return the words, each with the space beside it where the words do not tell it.

    Args:
        words: Ragged strings `(batch, None)`, as from `split_words`.
        spaces: The space before each word, or "", of the same shape.

    Returns:
        Ragged strings of the same shape.
    """
    flat, spaces = words.flat_values, spaces.flat_values
    follows = _follows(words)
    surprising = follows & (spaces != _expected(flat))
    sign = tf.where(surprising, tf.where(spaces == "", NOTHING, spaces), "")
    rank = _rank(flat)
    on_left = previous(rank, 0) < rank
    before, after = tf.where(on_left, "", sign), tf.where(on_left, sign, "")
    after = tf.concat([after[1:], [""]], axis=0)[: tf.size(flat)]  # at the word that keeps it
    return words.with_flat_values(tf.strings.join([before, flat, after]))


def join_words(tokens):
    """Return the texts, shape `(batch,)`, of ragged tokens from `write_spacing`."""
    flat = tokens.flat_values
    words = remove_spacing(flat)
    before = tf.strings.regex_replace(flat, rf"(?s)^({_SPACING}?).*$", r"\1")
    after = tf.strings.regex_replace(flat, rf"(?s)^.*?({_SPACING}?)$", r"\1")
    after = previous(after, "")
    spaces = tf.where(before != "", before, tf.where(after != "", after, _expected(words)))
    spaces = tf.where(_follows(tokens) & (spaces != NOTHING), spaces, "")
    pieces = tokens.with_flat_values(tf.strings.join([spaces, words]))
    return tf.strings.reduce_join(pieces, axis=1)


def remove_spacing(tokens):
    """Return the words in tokens from `write_spacing`, strings of any shape, without spaces."""
    return tf.strings.regex_replace(tokens, rf"^{_SPACING}|{_SPACING}$", "")


def fold_words(tokens):
    """Return the words in tokens, without spaces and with one kind of apostrophe."""
    return tf.strings.regex_replace(remove_spacing(tokens), APOSTROPHE, "'")


def _expected(words):
    """Return the expected space before each word, shape `(words,)`: " " or ""."""
    opens = tf.strings.regex_full_match(words, _SPANISH)
    nothing_after = opens | tf.strings.regex_full_match(words, f"{_OPENING}|{_LINK}|{_ELIDED}")
    nothing_before = ~opens & tf.strings.regex_full_match(words, f"{_CLOSING}|{_LINK}|{_CLITIC}")
    return tf.where(previous(nothing_after, False) | nothing_before, "", " ")


def _rank(words):
    """Return 0 for marks, 1 for words of letters, 2 for Chinese characters and kana."""
    of_letters = tf.strings.regex_full_match(words, rf"{WORD}.*")
    alone = tf.strings.regex_full_match(words, HAN_OR_KANA)
    return tf.cast(of_letters, tf.int32) + tf.cast(alone, tf.int32)


def _follows(words):
    """Return whether a word has another before it in its text, shape `(words,)`."""
    rows = words.value_rowids()
    return previous(rows, -1) == rows
