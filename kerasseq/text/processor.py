"""Text to ids and back: `TextProcessor`."""

import collections

import keras
import tensorflow as tf

from kerasseq.checks import check_boolean, check_one_of, check_options, check_vocabulary_size
from kerasseq.text import subwords
from kerasseq.text.control_tokens import CONTROL_TOKENS, END, PADDING, START, UNKNOWN
from kerasseq.text.spacing import fold_words, join_words, remove_spacing, write_spacing
from kerasseq.text.tensors import EXPECTED_IDS, as_dataset, as_tensor, flat_strings, padded
from kerasseq.text.tokenization import (
    join_characters,
    normalize,
    split_characters,
    split_words,
)
from kerasseq.text.vocabulary import Vocabulary, warn_of_long_words

_ENDS = CONTROL_TOKENS[START], CONTROL_TOKENS[END]
_JOIN = {"word": join_words, "char": join_characters, "subword": subwords.join}


@keras.saving.register_keras_serializable(package="kerasseq")
class TextProcessor(tf.Module):
    """A vocabulary that turns texts into ids, and ids into texts.

    A text gives the same ids in Python, in a `tf.data` pipeline and in an exported model, because
    `tf.strings` ops cut it. (Only subwords are cut in Python.) `kerasseq.text.tokenization` and
    `kerasseq.text.subwords` say where a text is cut.

    `decode(encode(text))` returns the text in any language, if the vocabulary holds all its tokens;
    the text is in Unicode's form NFC then, and each run of white space is one space. Where two
    words do not tell what stood between them, a token keeps it (`kerasseq.text.spacing`).

    Ids 0 to 3 are `[PAD]`, `[UNK]`, `[START]`, `[END]`. An unknown token becomes `[UNK]`. No text
    becomes a control token: "[START]" in a text is cut into ordinary tokens.

    Args:
        vocab_size: Largest number of tokens, the four control tokens included. The most frequent
            tokens are kept; tokens of the same frequency in alphabetical order. `None` keeps all
            words or characters, and learns 8,000 subwords.
        level: `"word"`, `"char"` or `"subword"`. Two languages share one vocabulary of subwords if
            one processor is adapted on the texts of both.
        lower: Whether to turn texts into lower case, "DÉSOLÉ" into "désolé".

    Raises:
        ValueError: If `level` or `vocab_size` is impossible, if the processor is used before
            `adapt`, if a text is not a string, or if an id is not an integer.

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
            vocab_size = check_vocabulary_size("vocab_size", vocab_size)
        self.vocab_size = vocab_size
        self.level = check_one_of("level", level, _JOIN)
        self.lower = check_boolean("lower", lower)
        self._vocabulary = self._subwords = None

    def adapt(self, texts):
        """Learn the vocabulary of texts.

        Args:
            texts: An iterable of str, or a `tf.data.Dataset` of strings, batched or not. A single
                str raises an error.

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
            counts.update(self._cut(batch)[0].flat_values.numpy().tolist())
        if not counts:
            raise ValueError(f"`texts` must hold a token or more. Received: texts={texts!r}")
        counts = {token.decode("utf-8"): count for token, count in counts.items()}
        if self.level == "word":
            warn_of_long_words(counts)
        tokens = sorted((-count, token) for token, count in counts.items())
        room = None if self.vocab_size is None else self.vocab_size - len(CONTROL_TOKENS)
        self._set_vocabulary([*CONTROL_TOKENS, *(token for _, token in tokens[:room])])
        return self

    def encode(self, texts):
        """Return the ids of texts: `[START]`, the tokens, `[END]`, then padding.

        Args:
            texts: A list of str, or a string tensor of shape `(batch,)`, also inside a
                `tf.function`. A single str counts as a list of one.

        Returns:
            int32 tensor, shape `(batch, length)`; the longest text sets the length.
        """
        return self.encode_ragged(texts).to_tensor()

    def encode_ragged(self, texts):
        """Return the ids of texts without padding: int32, ragged `(batch, None)`."""
        return self.encode_with_tokens(texts)[0]

    def encode_with_tokens(self, texts):
        """Return the ids and the readable tokens of texts.

        Args:
            texts: As in `encode`.

        Returns:
            `(ids, tokens)`: ragged tensors `(batch, None)` of int32 and of strings, both from
            `[START]` to `[END]`.
        """
        self._check_adapted()
        cut, readable = self._cut(as_tensor(texts))
        ids = cut.with_flat_values(self._vocabulary.ids(cut.flat_values))
        return _enclose(ids, START, END), _enclose(readable, *_ENDS)

    def decode(self, ids):
        """Return the texts of ids, up to the first `[END]` and without control tokens.

        Args:
            ids: Integers, shape `(batch, length)`: a tensor, an array, or lists, which may differ
                in length. An id outside the vocabulary counts as `[UNK]`.

        Returns:
            List of str.
        """
        ids = ids if tf.is_tensor(ids) else padded(ids)
        return [text.decode("utf-8") for text in self.decode_tensor(ids).numpy()]

    def decode_tensor(self, ids):
        """Return `decode` of an integer tensor as strings, shape `(batch,)`, also in a graph."""
        self._check_adapted()
        if isinstance(ids, tf.RaggedTensor):
            ids = ids.to_tensor()
        if ids.shape.rank not in (None, 2) or not ids.dtype.is_integer:
            raise ValueError(
                f"{EXPECTED_IDS} Received: ids.shape={ids.shape}, ids.dtype={ids.dtype.name}"
            )
        ids = tf.cast(ids, tf.int64)
        inside = tf.math.cumsum(tf.cast(ids == END, tf.int32), axis=1) == 0
        known = (ids >= 0) & (ids < len(self._vocabulary.tokens))
        tokens = tf.gather(self._surfaces, tf.where(known, ids, UNKNOWN))
        tokens = tf.ragged.boolean_mask(tokens, inside & (ids != PADDING) & (ids != START))
        return _JOIN[self.level](tokens)

    def tokens(self, texts):
        """Return the tokens of a text, without control tokens.

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
        """Return the texts of tokens: of lists of str, as in `vocabulary` or any others."""
        surfaces = tf.ragged.constant(
            [self.surfaces(row) for row in tokens], tf.string, ragged_rank=1
        )
        return [text.decode("utf-8") for text in _JOIN[self.level](surfaces).numpy()]

    def surfaces(self, tokens):
        """Return the bytes of tokens in a text: `b" Le"` for "▁Le"."""
        if self.level == "subword":
            return [subwords.surface(token) for token in tokens]
        return [token.encode("utf-8") for token in tokens]

    @property
    def vocabulary(self):
        """List of str: the tokens by id, the four control tokens first."""
        self._check_adapted()
        return list(self._vocabulary.tokens)

    @property
    def readable_vocabulary(self):
        """List of str: the tokens by id as `tokens` shows them. A token may be there twice."""
        if self.level != "word":
            return self.vocabulary
        return [token.decode("utf-8") for token in remove_spacing(self.vocabulary).numpy()]

    def __len__(self):
        self._check_adapted()
        return len(self._vocabulary.tokens)

    def get_config(self):
        config = {"vocab_size": self.vocab_size, "level": self.level, "lower": self.lower}
        if self._subwords is not None:
            return config | {"subwords": self._subwords.to_base64()}
        return config | {"vocabulary": self._vocabulary and list(self._vocabulary.tokens)}

    @classmethod
    def from_config(cls, config):
        config = dict(config)
        vocabulary, model = config.pop("vocabulary", None), config.pop("subwords", None)
        check_options(config, ("vocab_size", "level", "lower"))
        processor = cls(**config)
        if (vocabulary if processor.level == "subword" else model) is not None:
            expected = 'Level "subword" has `subwords`, the others have a `vocabulary`.'
            raise ValueError(f"{expected} Received: level={processor.level!r} without its own")
        if model is not None:
            processor._set_subwords(subwords.Subwords.from_base64(model))
        elif vocabulary is not None:
            processor._set_vocabulary(vocabulary)
        return processor

    def __reduce__(self):
        return type(self).from_config, (self.get_config(),)

    def split(self, texts):
        """Return the tokens of a string tensor, ragged `(batch, None)`, in a graph too."""
        texts = self._normalize(texts)
        return split_words(texts)[0] if self.level == "word" else self._split_pieces(texts)

    def _cut(self, texts):
        """Cut a string tensor into tokens.

        Returns:
            `(cut, readable)`: ragged `(batch, None)` tokens as in the vocabulary, and as `tokens`
            shows them. Only words differ: in the vocabulary a word may keep a space.
        """
        texts = self._normalize(texts)
        if self.level == "word":
            words, spaces = split_words(texts)
            return write_spacing(words, spaces), words
        pieces = self._split_pieces(texts)
        return pieces, pieces

    def _split_pieces(self, texts):
        """Cut normalized texts into characters or subwords."""
        if self.level == "char":
            return split_characters(texts)
        self._check_adapted()
        return self._subwords.split(texts)

    def _normalize(self, texts):
        return normalize(flat_strings(texts), self.lower)

    def _set_subwords(self, trained):
        self._subwords = trained
        self._set_vocabulary(trained.pieces)

    def _set_vocabulary(self, tokens):
        # An unknown pair of a word and a space takes the id of the same word with another space.
        self._vocabulary = Vocabulary(tokens, fold_words if self.level == "word" else None)
        with tf.init_scope():
            self._surfaces = tf.constant(self.surfaces(tokens))

    def _check_adapted(self):
        if self._vocabulary is None:
            raise ValueError(
                "This TextProcessor has no vocabulary yet: call `adapt(texts)` with the training "
                "texts first. Received: vocabulary=None"
            )


def _enclose(rows, start, end):
    """Put `start` and `end` around each row of a ragged `(batch, None)` tensor."""
    start, end = (
        tf.fill([rows.nrows(), 1], tf.constant(token, rows.dtype)) for token in (start, end)
    )
    return tf.concat([start, rows, end], axis=1)
