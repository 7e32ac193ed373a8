"""Text to ids and back: `TextProcessor`."""

import base64
import collections

import keras
import tensorflow as tf

from kerasseq import subwords
from kerasseq.arguments import boolean, one_of, vocabulary_size
from kerasseq.control_tokens import CONTROL_TOKENS, END, PADDING, START, UNKNOWN
from kerasseq.text_tensors import EXPECTED_IDS, as_dataset, as_tensor, padded
from kerasseq.tokenization import (
    join_characters,
    join_words,
    normalize,
    split_characters,
    split_words,
)

_SPLIT = {"word": split_words, "char": split_characters}
_JOIN = {"word": join_words, "char": join_characters, "subword": subwords.join}


@keras.saving.register_keras_serializable(package="kerasseq")
class TextProcessor(tf.Module):
    """Turns texts into ids and ids into texts.

    All of it is `tf.strings` ops, so a text gives the same ids in Python, in a `tf.data` pipeline
    and in an exported model; only subwords are cut in Python. Texts are first brought to Unicode
    form NFC and freed of control and zero-width characters. How they are cut, and what `decode`
    makes of the pieces, stands in `kerasseq.tokenization` and `kerasseq.subwords`.

    Ids 0 to 3 are `[PAD]`, `[UNK]`, `[START]`, `[END]`. Only unknown tokens become `[UNK]`, and no
    text becomes another of the four: "[START]" in a text is cut into ordinary tokens.

    Args:
        vocab_size: Most tokens to keep, the four control tokens included; `None` keeps all. The
            more frequent are kept; among equals, the first in alphabetical order. Of subwords
            `None` means 8,000.
        level: `"word"`, `"char"` or `"subword"`. For one vocabulary of subwords for both languages
            adapt one processor on the texts of both.
        lower: Whether to turn texts into lower case, "DÉSOLÉ" into "désolé".

    Raises:
        ValueError: For another level or an impossible `vocab_size`; when the processor is used
            before `adapt`; when something that is not a string is given as a text, or something
            that is not an integer as an id.

    Example:
    >>> text = TextProcessor().adapt(["Le chat dort.", "L'homme dort."])
    >>> text.tokens("L'homme dort.")
    ["L'", 'homme', 'dort', '.']
    >>> text.encode(["Le chat dort."]).numpy()
    array([[2, 7, 8, 5, 4, 3]], dtype=int32)
    >>> text.decode([[2, 7, 8, 5, 4, 3, 0]])
    ['Le chat dort.']
    """

    def __init__(self, vocab_size=None, level="word", lower=False):
        super().__init__()
        if vocab_size is not None:
            vocab_size = vocabulary_size("vocab_size", vocab_size)
        self.vocab_size = vocab_size
        self.level = one_of("level", level, _JOIN)
        self.lower = boolean("lower", lower)
        self._vocabulary = self._subwords = None

    def adapt(self, texts):
        """Learns the vocabulary.

        Args:
            texts: An iterable of str, or a `tf.data.Dataset` of strings, batched or not. One str is
                refused: it would be a vocabulary of one text.

        Returns:
            The processor itself.
        """
        batches = as_dataset(texts)
        if self.level == "subword":
            lines = (line for batch in batches for line in self._normalize(batch).numpy())
            self._set_subwords(subwords.train(lines, self.vocab_size))
            return self
        counts = collections.Counter()
        for batch in batches:
            counts.update(self.split(batch).flat_values.numpy().tolist())
        if not counts:
            raise ValueError(f"`texts` must hold a token or more. Received: texts={texts!r}")
        tokens = sorted((-count, token.decode("utf-8")) for token, count in counts.items())
        room = None if self.vocab_size is None else self.vocab_size - len(CONTROL_TOKENS)
        self._set_vocabulary([*CONTROL_TOKENS, *(token for _, token in tokens[:room])])
        return self

    def encode(self, texts):
        """Turns texts into ids: `[START]`, the tokens, `[END]`, padded at the end.

        Args:
            texts: A list of str, or a string tensor of shape `(batch,)`, also inside a
                `tf.function`. A single str counts as a list of one.

        Returns:
            int32 tensor, shape `(batch, length)`, where the longest text sets the length.
        """
        return self.encode_ragged(texts).to_tensor()

    def encode_ragged(self, texts):
        """Does the work of `encode` without padding: ragged int32, shape `(batch, None)`."""
        self._check_adapted()
        tokens = self.split(as_tensor(texts))
        ids = tokens.with_flat_values(self._ids.lookup(tokens.flat_values))
        edge = tf.ones([ids.nrows(), 1], tf.int32)
        return tf.concat([START * edge, ids, END * edge], axis=1)

    def decode(self, ids):
        """Turns ids into readable texts, up to the first `[END]` and without control tokens.

        Args:
            ids: Whole numbers, shape `(batch, length)`: a tensor, an array, or lists, which may
                differ in length. Numbers outside the vocabulary are unknown.

        Returns:
            List of str.
        """
        ids = ids if tf.is_tensor(ids) else padded(ids)
        return [text.decode("utf-8") for text in self.decode_tensor(ids).numpy()]

    def decode_tensor(self, ids):
        """Does the work of `decode` from tensor to tensor, also inside a `tf.function`.

        Args:
            ids: Integer tensor, shape `(batch, length)`.

        Returns:
            String tensor, shape `(batch,)`.
        """
        self._check_adapted()
        if isinstance(ids, tf.RaggedTensor):
            ids = ids.to_tensor()
        if ids.shape.rank not in (None, 2) or not ids.dtype.is_integer:
            raise ValueError(
                f"{EXPECTED_IDS} Received: ids.shape={ids.shape}, ids.dtype={ids.dtype.name}"
            )
        ids = tf.cast(ids, tf.int64)
        inside = tf.math.cumsum(tf.cast(ids == END, tf.int32), axis=1) == 0
        known = (ids >= 0) & (ids < len(self._vocabulary))
        tokens = tf.gather(self._tokens, tf.where(known, ids, UNKNOWN))
        tokens = tf.ragged.boolean_mask(tokens, inside & (ids != PADDING) & (ids != START))
        return _JOIN[self.level](tokens)

    def tokens(self, texts):
        """Returns the tokens of a text, without control tokens.

        Args:
            texts: A str, or a list of str, which is much faster than one after the other.

        Returns:
            List of str; for a list of texts, a list of such lists.
        """
        if isinstance(texts, str):
            return self.tokens([texts])[0]
        rows = self.split(as_tensor(texts)).to_list()
        return [[token.decode("utf-8") for token in row] for row in rows]

    def join(self, tokens):
        """Joins tokens to readable texts, also such as are not in the vocabulary.

        Args:
            tokens: List of lists of str, as from `tokens`.

        Returns:
            List of str.
        """
        surfaces = tf.ragged.constant(
            [self.surfaces(row) for row in tokens], tf.string, ragged_rank=1
        )
        return [text.decode("utf-8") for text in _JOIN[self.level](surfaces).numpy()]

    def surfaces(self, tokens):
        """Returns what tokens stand for in a text, a list of bytes: those of " Le" for "▁Le"."""
        if self.level == "subword":
            return [subwords.surface(token) for token in tokens]
        return [token.encode("utf-8") for token in tokens]

    @property
    def vocabulary(self):
        """List of str: the tokens by id, the four control tokens first."""
        self._check_adapted()
        return list(self._vocabulary)

    def __len__(self):
        self._check_adapted()
        return len(self._vocabulary)

    def get_config(self):
        config = {"vocab_size": self.vocab_size, "level": self.level, "lower": self.lower}
        if self._subwords is not None:
            return config | {"subwords": base64.b64encode(self._subwords.model).decode()}
        return config | {"vocabulary": self._vocabulary and list(self._vocabulary)}

    @classmethod
    def from_config(cls, config):
        config = dict(config)
        vocabulary, model = config.pop("vocabulary", None), config.pop("subwords", None)
        processor = cls(**config)
        if model is not None:
            processor._set_subwords(subwords.Subwords(base64.b64decode(model, validate=True)))
        elif vocabulary is not None:
            processor._set_vocabulary(vocabulary)
        return processor

    def split(self, texts):
        """Does the work of `tokens` on a string tensor: ragged `(batch, None)`, also in a graph."""
        if self.level == "subword":
            self._check_adapted()
            return self._subwords.split(self._normalize(texts))
        return _SPLIT[self.level](self._normalize(texts))

    def _normalize(self, texts):
        if texts.dtype != tf.string or texts.shape.rank not in (None, 0, 1):
            raise ValueError(
                "`texts` must be strings of shape (batch,). "
                f"Received: texts.shape={texts.shape}, texts.dtype={texts.dtype.name}"
            )
        return normalize(tf.reshape(texts, [-1]), self.lower)

    def _set_subwords(self, trained):
        self._subwords = trained
        self._set_vocabulary(trained.pieces)

    def _set_vocabulary(self, vocabulary):
        controls = tuple(vocabulary[: len(CONTROL_TOKENS)])
        if controls != CONTROL_TOKENS or len(set(vocabulary)) < len(vocabulary):
            raise ValueError(
                "`vocabulary` must begin with the four control tokens and hold no token twice. "
                f"Received: vocabulary={vocabulary!r}"
            )
        self._vocabulary = tuple(vocabulary)
        with tf.init_scope():
            self._tokens = tf.constant(self.surfaces(vocabulary))
            # No text finds a control token. A table needs an entry, and no token is "".
            ordinary = range(len(CONTROL_TOKENS), len(vocabulary))
            entries = tf.lookup.KeyValueTensorInitializer(
                ["", *(vocabulary[index] for index in ordinary)],
                [UNKNOWN, *ordinary],
                value_dtype=tf.int32,
            )
            self._ids = tf.lookup.StaticHashTable(entries, default_value=UNKNOWN)

    def _check_adapted(self):
        if self._vocabulary is None:
            raise ValueError(
                "This TextProcessor has no vocabulary yet: call `adapt(texts)` with the training "
                "texts first. Received: vocabulary=None"
            )
