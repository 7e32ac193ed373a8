"""`Translator`: text in, text and attention out; saved in one file."""

from typing import NamedTuple

import numpy as np
import tensorflow as tf

from kerasseq import archive, views
from kerasseq.arguments import boolean, not_negative, positive_integer
from kerasseq.control_tokens import END, PADDING
from kerasseq.search import CompiledSearch
from kerasseq.text import TextProcessor
from kerasseq.text_arguments import text_list

_IDS = tf.TensorSpec((None, None), tf.int32)  # one trace serves every batch size and length


class Translation(NamedTuple):
    """A translation and what the model looked at.

    Attributes:
        text: The translation as readable text.
        tokens: Its tokens, without control tokens.
        source_tokens: What the encoder read, from `[START]` to `[END]`.
        attention_weights: Array `(len(tokens), len(source_tokens))`; row t is where the model
            looked before it wrote token t, and sums to 1. None for a model without attention.
        score: Natural logarithm of the translation's probability, [END] included.
    """

    text: str
    tokens: list
    source_tokens: list
    attention_weights: np.ndarray | None
    score: float


class Translator:
    """A trained model with the text processors of its two languages.

    Args:
        model: A model of `build_seq2seq` or `build_attention_seq2seq`. Its weights are shared, not
            copied: while it is being trained the translator always speaks for its present state.
        source_text, target_text: The adapted `TextProcessor` of each side.
        jit_compile: Whether XLA compiles the search. Then `translate` is faster, but the first
            batches take seconds more, up to once for every power of two of texts and of lengths:
            for many texts.

    Raises:
        ValueError: If the model was not built here, or a vocabulary does not fit it.

    Example:
        >>> source = TextProcessor().adapt(["a b"])
        >>> target = TextProcessor().adapt(["c d"])
        >>> model = build_attention_seq2seq(6, 6, embedding_dim=4, units=4)
        >>> [translation] = Translator(model, source, target).translate(["b a"])
        >>> translation.source_tokens
        ['[START]', 'b', 'a', '[END]']
    """

    def __init__(self, model, source_text, target_text, jit_compile=False):
        self.model = model
        self.source_text = source_text
        self.target_text = target_text
        self._search = CompiledSearch(model, boolean("jit_compile", jit_compile))
        for side, text in (("source", source_text), ("target", target_text)):
            if not isinstance(text, TextProcessor):
                expected = f"`{side}_text` must be an adapted TextProcessor."
                raise ValueError(f"{expected} Received: {side}_text={text!r}")
            size = model.get_layer(f"{side}_embedding").input_dim
            if len(text) != size:
                raise ValueError(
                    f"The model has {size} {side} ids, the text processor must have as many. "
                    f"Received: len({side}_text)={len(text)}"
                )
        self._forced = views.forced_view(model)
        self.has_attention = "attention_weights" in self._forced.output
        self._force = tf.function(self._force_batch, [_IDS, _IDS], autograph=False)

    def translate(self, texts, max_length=None, batch_size=64, beam_width=1, length_penalty=0.0):
        """Translate texts, by greedy search or with a beam.

        A translation does not depend on the other texts of its batch; that of "" is "".

        Args:
            texts: A list of str, or one str.
            max_length: Most tokens of a translation. Default: twice those of its source, plus ten.
            batch_size: How many texts to translate at once.
            beam_width: 1 takes the likeliest next token, again and again; more keeps so many
                hypotheses of each sentence, as `kerasseq.decoding.beam_search` does.
            length_penalty: Not negative; the larger, the better for long hypotheses of the beam.

        Returns:
            List of `Translation`, one per text, in their order.

        Raises:
            ValueError: If something is not a str, or a number not a positive integer.
        """
        if max_length is not None:
            max_length = positive_integer("max_length", max_length)
        batch_size = positive_integer("batch_size", batch_size)
        beam_width = positive_integer("beam_width", beam_width)
        length_penalty = not_negative("length_penalty", length_penalty)
        texts = _as_list("texts", texts)
        source_tokens = self.source_text.tokens(texts)
        limits = [(max_length or 2 * len(tokens) + 10) if tokens else 0 for tokens in source_tokens]

        def search(sources, rows):
            max_length = np.array([limits[row] for row in rows], "int32")
            return self._search(sources, max_length, beam_width, length_penalty)

        results = self._in_batches(search, texts, source_tokens, batch_size)
        ids = [_until_end(ids) for ids, _, _ in results]
        vocabulary = self.target_text.vocabulary
        target_tokens = [[vocabulary[token] for token in row] for row in ids]
        target_texts = self.target_text.decode(ids) if ids else []
        return self._translations(target_texts, target_tokens, source_tokens, results)

    def align(self, source_texts, target_texts, batch_size=64):
        """Return the attention and the score under given translations instead of the model's own.

        Args:
            source_texts, target_texts: Lists of str of the same length.
            batch_size: How many pairs to take at once.

        Returns:
            List of `Translation`; `text` and `tokens` are those of the given target.

        Raises:
            ValueError: If something is not a str, the lists differ in length, or `batch_size` is
                not a positive integer.
        """
        batch_size = positive_integer("batch_size", batch_size)
        source_texts = _as_list("source_texts", source_texts)
        target_texts = _as_list("target_texts", target_texts)
        if len(source_texts) != len(target_texts):
            raise ValueError(
                "Every source needs one target. Received: "
                f"len(source_texts)={len(source_texts)}, len(target_texts)={len(target_texts)}"
            )
        source_tokens = self.source_text.tokens(source_texts)
        target_tokens = self.target_text.tokens(target_texts)
        targets = _ids(self.target_text, target_texts, target_tokens)

        def force(sources, rows):
            return self._force(sources, _pad([targets[row] for row in rows]))

        results = self._in_batches(force, source_texts, source_tokens, batch_size)
        return self._translations(target_texts, target_tokens, source_tokens, results)

    def _in_batches(self, run, texts, tokens, batch_size):
        """Run batches of like lengths; return (ids, score, weights) of each text, in order."""
        sources = _ids(self.source_text, texts, tokens)
        order = np.argsort([len(source) for source in sources], kind="stable")
        results = [None] * len(sources)
        for start in range(0, len(order), batch_size):
            rows = order[start : start + batch_size]
            found = [np.asarray(part) for part in run(_pad([sources[row] for row in rows]), rows)]
            for row, *result in zip(rows, *found, strict=True):
                results[row] = result
        return results

    def _translations(self, texts, target_tokens, source_tokens, results):
        """Put the parts together, one `Translation` a text."""
        translations = []
        rows = zip(texts, target_tokens, source_tokens, results, strict=True)
        for text, target, source, (_, score, weights) in rows:
            source = ["[START]", *source, "[END]"]
            weights = weights[: len(target), : len(source)] if self.has_attention else None
            translations.append(Translation(text, target, source, weights, float(score)))
        return translations

    def _force_batch(self, source, target):
        """Return ids, scores and attention weights of the given translations."""
        forced = self._forced({"source": source, "target_in": target[:, :-1]})
        target = target[:, 1:]
        log_probs = tf.nn.log_softmax(tf.cast(forced["logits"], tf.float32))
        chosen = tf.gather(log_probs, target, batch_dims=2)
        scores = tf.reduce_sum(tf.where(target == PADDING, 0.0, chosen), axis=1)
        no_weights = tf.zeros((tf.shape(target)[0], 0, 0))
        return target, scores, forced.get("attention_weights", no_weights)

    def save(self, file):
        """Write model, text processors and settings into one file, whole or not at all.

        Args:
            file: Path of the file; an existing one is replaced.

        Raises:
            FileNotFoundError: If the folder does not exist.
            ValueError: If `file` is no path, or that of a folder.
        """
        archive.write(file, self.model, self.source_text, self.target_text)

    @classmethod
    def load(cls, file, jit_compile=False):
        """Read what `save` wrote. Nothing in the file is executed.

        Args:
            file: Path of the file.
            jit_compile: As above.

        Returns:
            A `Translator`.

        Raises:
            FileNotFoundError: If there is no such file.
            ValueError: If the file is not a translator's, or its format is not this release's.
        """
        return cls(*archive.read(file), jit_compile)


def _as_list(name, texts):
    return text_list(name, [texts] if isinstance(texts, str | bytes) else texts)


def _ids(text, texts, tokens):
    """Return one array a text: [START], its ids, [END], without padding."""
    if not texts:
        return []
    ids = text.encode(texts).numpy()
    return [row[: len(one) + 2] for row, one in zip(ids, tokens, strict=True)]


def _until_end(ids):
    ended = np.flatnonzero((ids == END) | (ids == PADDING))
    return ids[: ended[0]] if len(ended) else ids


def _pad(rows):
    """Return id arrays of different lengths as one int32 array, padded at the end."""
    padded = np.full((len(rows), max(map(len, rows))), PADDING, dtype="int32")
    for row, ids in zip(padded, rows, strict=True):
        row[: len(ids)] = ids
    return padded
