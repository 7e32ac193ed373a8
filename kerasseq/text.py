"""Text to ids and back: `TextProcessor`."""

import collections

import keras
import numpy as np
import tensorflow as tf

from kerasseq.arguments import boolean, one_of, vocabulary_size
from kerasseq.control_tokens import CONTROL_TOKENS, END, PADDING, START, UNKNOWN
from kerasseq.text_arguments import is_list, text_list
from kerasseq.tokenization import LEVELS, normalize

_IDS = "`ids` must hold integers of shape (batch, length)."
_BATCH = 4096  # texts that `adapt` takes at once


@keras.saving.register_keras_serializable(package="kerasseq")
class TextProcessor(tf.Module):
    """Turns texts into ids and ids into texts.

    All of it is `tf.strings` ops, so a text gives the same ids in Python, in a `tf.data` pipeline
    and in an exported model. Texts are first brought to Unicode form NFC and freed of control and
    zero-width characters. How they are cut, and what `decode` makes of the pieces, stands in
    `kerasseq.tokenization`.

    Ids 0 to 3 are `[PAD]`, `[UNK]`, `[START]`, `[END]`. Only unknown tokens become `[UNK]`, and no
    text becomes another of the four: "[START]" in a text is cut into ordinary tokens.

    Args:
        vocab_size: Most tokens to keep, the four control tokens included; `None` keeps all. The
            more frequent are kept; among equals, the first in alphabetical order.
        level: `"word"` or `"char"`.
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
        self.level = one_of("level", level, LEVELS)
        self.lower = boolean("lower", lower)
        self._vocabulary = None

    def adapt(self, texts):
        """Learns the vocabulary.

        Args:
            texts: An iterable of str, or a `tf.data.Dataset` of strings, batched or not. One str is
                refused: it would be a vocabulary of one text.

        Returns:
            The processor itself.
        """
        counts = collections.Counter()
        for batch in _as_dataset(texts):
            counts.update(self._split(batch).flat_values.numpy().tolist())
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
        self._check_adapted()
        tokens = self._split(_as_tensor(texts))
        ids = tokens.with_flat_values(self._ids.lookup(tokens.flat_values))
        edge = tf.ones([ids.nrows(), 1], tf.int32)
        return tf.concat([START * edge, ids, END * edge], axis=1).to_tensor()

    def decode(self, ids):
        """Turns ids into readable texts, up to the first `[END]` and without control tokens.

        Args:
            ids: Whole numbers, shape `(batch, length)`: a tensor, an array, or lists, which may
                differ in length. Numbers outside the vocabulary are unknown.

        Returns:
            List of str.
        """
        ids = ids if tf.is_tensor(ids) else _pad(ids)
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
            raise ValueError(f"{_IDS} Received: ids.shape={ids.shape}, ids.dtype={ids.dtype.name}")
        ids = tf.cast(ids, tf.int64)
        inside = tf.math.cumsum(tf.cast(ids == END, tf.int32), axis=1) == 0
        known = (ids >= 0) & (ids < len(self._vocabulary))
        tokens = tf.gather(self._tokens, tf.where(known, ids, UNKNOWN))
        tokens = tf.ragged.boolean_mask(tokens, inside & (ids != PADDING) & (ids != START))
        return LEVELS[self.level].join(tokens)

    def tokens(self, texts):
        """Returns the tokens of a text, without control tokens.

        Args:
            texts: A str, or a list of str, which is much faster than one after the other.

        Returns:
            List of str; for a list of texts, a list of such lists.
        """
        if isinstance(texts, str):
            return self.tokens([texts])[0]
        rows = self._split(_as_tensor(texts)).to_list()
        return [[token.decode("utf-8") for token in row] for row in rows]

    @property
    def vocabulary(self):
        """List of str: the tokens by id, the four control tokens first."""
        self._check_adapted()
        return list(self._vocabulary)

    def __len__(self):
        self._check_adapted()
        return len(self._vocabulary)

    def get_config(self):
        return {
            "vocab_size": self.vocab_size,
            "level": self.level,
            "lower": self.lower,
            "vocabulary": None if self._vocabulary is None else list(self._vocabulary),
        }

    @classmethod
    def from_config(cls, config):
        config = dict(config)
        vocabulary = config.pop("vocabulary", None)
        processor = cls(**config)
        if vocabulary is not None:
            processor._set_vocabulary(vocabulary)
        return processor

    def _split(self, texts):
        """Cuts texts, shape `(batch,)`, into a ragged tensor of tokens, `(batch, None)`."""
        if texts.dtype != tf.string or texts.shape.rank not in (None, 0, 1):
            raise ValueError(
                "`texts` must be strings of shape (batch,). "
                f"Received: texts.shape={texts.shape}, texts.dtype={texts.dtype.name}"
            )
        return LEVELS[self.level].split(normalize(tf.reshape(texts, [-1]), self.lower))

    def _set_vocabulary(self, vocabulary):
        if not len(CONTROL_TOKENS) <= len(set(vocabulary)) == len(vocabulary):
            raise ValueError(
                "`vocabulary` must hold the four control tokens and no token twice. "
                f"Received: vocabulary={vocabulary!r}"
            )
        self._vocabulary = tuple(vocabulary)
        with tf.init_scope():
            self._tokens = tf.constant([token.encode("utf-8") for token in vocabulary])
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


def _as_tensor(texts):
    if tf.is_tensor(texts):
        return texts
    if isinstance(texts, str | bytes):
        texts = [texts]
    # A lone surrogate fits no encoding; it becomes a replacement character.
    encoded = [text.encode("utf-8", "surrogatepass") for text in text_list("texts", texts)]
    return tf.constant(encoded, tf.string, shape=[len(encoded)])


def _as_dataset(texts):
    """Returns a dataset of string tensors, shape `(batch,)`, from an iterable or a dataset."""
    if isinstance(texts, str | bytes):
        text_list("texts", texts)  # refuses it
    if not isinstance(texts, tf.data.Dataset):
        texts = tf.data.Dataset.from_tensors(_as_tensor(texts))
    if not isinstance(texts.element_spec, tf.TensorSpec):
        raise ValueError(
            "`texts` must be a dataset of strings, one component only: use "
            "`pairs.map(lambda source, target: source)`. "
            f"Received: element_spec={texts.element_spec}"
        )
    return texts.batch(_BATCH) if texts.element_spec.shape.rank == 0 else texts


def _pad(ids):
    """Returns lists or arrays of ids, which may differ in length, as one tensor."""
    try:
        rows = [np.asarray(row) for row in ids] if is_list(ids) else [np.asarray(ids)]
    except ValueError as error:  # of different depths
        raise ValueError(f"{_IDS} Received: ids={ids!r}") from error
    if any(row.ndim != 1 or (row.size and row.dtype.kind not in "iu") for row in rows):
        raise ValueError(f"{_IDS} Received: ids={ids!r}")
    rows = [row.tolist() for row in rows]
    return tf.ragged.constant(rows, tf.int64, ragged_rank=1).to_tensor()
