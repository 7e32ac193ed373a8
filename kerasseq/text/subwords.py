"""Subwords: frequent words whole, rare words in pieces, learned and cut by SentencePiece.

A piece at the start of a word begins with "▁", which stands for the space before the word. A
character without a piece is cut into bytes, pieces such as "<0xE2>". So no text is unknown, and the
pieces joined are the text. Only a "▁" in the text becomes "_".
"""

import base64
import binascii
import io
import itertools
import re

import tensorflow as tf

from kerasseq.text.control_tokens import CONTROL_TOKENS

_SPACE = "▁"
_BYTE = re.compile("<0x([0-9A-F]{2})>")
DEFAULT_SIZE = 8000


class Subwords:
    """A trained SentencePiece model.

    Args:
        model: The bytes of a model from `train`.

    Raises:
        ValueError: If the bytes are not a SentencePiece model, or one with other control tokens.
    """

    def __init__(self, model):
        import sentencepiece

        self.model = model
        try:
            self._processor = sentencepiece.SentencePieceProcessor(model_proto=model)
        except (RuntimeError, TypeError) as error:
            raise ValueError(
                f"`model` must be a SentencePiece model. Received: {len(model)} bytes"
            ) from error
        count = self._processor.get_piece_size()
        self.pieces = [self._processor.id_to_piece(index) for index in range(count)]
        if self.pieces[: len(CONTROL_TOKENS)] != list(CONTROL_TOKENS):
            raise ValueError(
                f"The first pieces must be {list(CONTROL_TOKENS)}. Received: {self.pieces[:4]}"
            )

    @classmethod
    def from_base64(cls, text):
        """Return a model from the text of `to_base64`."""
        try:
            return cls(base64.b64decode(text, validate=True))
        except (TypeError, binascii.Error) as error:
            expected = "`subwords` must be a SentencePiece model in base64."
            raise ValueError(f"{expected} Received: subwords={text!r:.100}") from error

    def to_base64(self):
        """Return the model as ASCII text, for JSON."""
        return base64.b64encode(self.model).decode("ascii")

    def split(self, texts):
        """Cut normalized texts, shape `(batch,)`, into pieces, ragged `(batch, None)`."""
        if not tf.executing_eagerly():
            raise ValueError(
                'At level "subword" texts are cut by SentencePiece, in Python: `encode` them '
                f"outside of `tf.function` and `Dataset.map`. Received: texts={texts!r}"
            )
        rows = self._processor.encode([_plain(text) for text in texts.numpy()], out_type=str)
        flat = tf.constant(list(itertools.chain(*rows)), tf.string)
        return tf.RaggedTensor.from_row_lengths(flat, [len(row) for row in rows])


def surface(piece):
    """Return the bytes of a piece in a text: `b" Le"` for "▁Le"."""
    if byte := _BYTE.fullmatch(piece):
        return bytes.fromhex(byte[1])
    return piece.replace(_SPACE, " ").encode("utf-8")


def join(surfaces):
    """Return the texts, shape `(batch,)`, of the surfaces of pieces, ragged `(batch, None)`."""
    texts = tf.strings.reduce_join(surfaces, axis=1)
    # The bytes that a model predicts may be no character.
    texts = tf.strings.unicode_transcode(texts, "UTF-8", "UTF-8", errors="replace")
    return tf.strings.regex_replace(texts, "^ ", "")  # the space before the first word


def train(texts, vocab_size=None):
    """Learn the pieces of texts: a unigram language model (Kudo, 2018) with bytes for the rest.

    Args:
        texts: Iterable of normalized texts, as bytes.
        vocab_size: Largest number of pieces, the four control tokens and the 256 bytes included.
            Default: 8,000.

    Returns:
        A `Subwords`.

    Raises:
        ValueError: If `vocab_size` has no room for the characters of the texts, or there is no
            text.
    """
    import sentencepiece

    model = io.BytesIO()
    padding, unknown, start, end = CONTROL_TOKENS
    vocab_size = vocab_size or DEFAULT_SIZE
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=map(_plain, texts),
            model_writer=model,
            vocab_size=vocab_size,
            hard_vocab_limit=False,
            byte_fallback=True,
            normalization_rule_name="identity",
            remove_extra_whitespaces=False,
            max_sentence_length=1 << 20,  # bytes; longer texts are left out
            num_threads=1,  # more threads add in another order, and learn other pieces
            minloglevel=2,
            **{"pad_id": 0, "unk_id": 1, "bos_id": 2, "eos_id": 3},
            **{"pad_piece": padding, "unk_piece": unknown, "bos_piece": start, "eos_piece": end},
        )
    except RuntimeError as error:
        reason = str(error).split("] ")[-1].strip() or str(error)
        raise ValueError(
            "SentencePiece learns no subwords of these texts: `vocab_size` must have room for 4 "
            "control tokens, 256 bytes and the characters of the texts, and a text must not be "
            f"empty. Received: vocab_size={vocab_size} ({reason})"
        ) from error
    return Subwords(model.getvalue())


def _plain(text):
    return text.decode("utf-8").replace(_SPACE, "_")
