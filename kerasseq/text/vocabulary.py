"""`Vocabulary`: the tokens of a `TextProcessor`, and their ids."""

import re
import warnings

import tensorflow as tf

from kerasseq.checks import check_texts
from kerasseq.text.control_tokens import CONTROL_TOKENS, UNKNOWN

_LETTER = re.compile(r"[^\W\d_]")
_LONGEST_WORD = 12  # letters on average; languages with spaces between words have fewer


class Vocabulary(tf.Module):
    """Tokens by id and ids by token, in tables that a SavedModel keeps.

    Args:
        tokens: List of str, the four control tokens first.
        fold: Function of a string tensor, or None. An unknown token `t` has the id of the first
            known token `u` with `fold(u) == fold(t)`.

    Raises:
        ValueError: If a control token is missing, or a token is there twice.
    """

    def __init__(self, tokens, fold=None):
        super().__init__()
        tokens = check_texts("vocabulary", tokens)
        controls = tuple(tokens[: len(CONTROL_TOKENS)])
        if controls != CONTROL_TOKENS or len(set(tokens)) < len(tokens):
            raise ValueError(
                "`vocabulary` must begin with the four control tokens and hold no token twice. "
                f"Received: vocabulary={tokens!r}"
            )
        self.tokens = tuple(tokens)
        self._fold = fold
        ordinary = tokens[len(CONTROL_TOKENS) :]  # a text never becomes a control token
        with tf.init_scope():
            self._ids = _table(ordinary)
            if fold is not None:
                folded = fold(tf.constant(ordinary, tf.string, shape=[len(ordinary)]))
                self._folded_ids = _table(folded.numpy().tolist())

    def ids(self, tokens):
        """Return the ids of tokens, strings of any shape, as int32."""
        ids = self._ids.lookup(tokens)
        if self._fold is None:
            return ids
        return tf.where(ids == UNKNOWN, self._folded_ids.lookup(self._fold(tokens)), ids)


def _table(tokens):
    ids = {}
    for index, token in enumerate(tokens, start=len(CONTROL_TOKENS)):
        ids.setdefault(token, index)
    # A table needs an entry, and no token is "".
    entries = tf.lookup.KeyValueTensorInitializer(
        ["", *ids], [UNKNOWN, *ids.values()], value_dtype=tf.int32
    )
    return tf.lookup.StaticHashTable(entries, default_value=UNKNOWN)


def warn_of_long_words(counts):
    """Warn if the average word is too long for a language with spaces between words.

    Args:
        counts: Dict from a token to its number in the texts.
    """
    letters = {token: len(_LETTER.findall(token)) for token in counts}
    words = sum(count for token, count in counts.items() if letters[token])
    length = sum(letters[token] * count for token, count in counts.items()) / max(words, 1)
    if length > _LONGEST_WORD:
        warnings.warn(
            "These texts have hardly any spaces: a word would have "
            f'{length:.0f} letters on average, and `level="word"` does not fit. For a language '
            'written without spaces use level="subword" or level="char".',
            stacklevel=3,
        )
