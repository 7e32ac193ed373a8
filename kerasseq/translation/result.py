"""`Translation`: what a `Translator` returns, made from the hypotheses of a search."""

from typing import NamedTuple

import numpy as np

from kerasseq.text.control_tokens import END, PADDING, UNKNOWN


class Translation(NamedTuple):
    """A translation and the attention of the model.

    Attributes:
        text: The translation as readable text.
        tokens: List of str, the tokens of the translation, without control tokens.
        source_tokens: List of str, the tokens that the encoder read, from `[START]` to `[END]`.
        attention_weights: Array `(len(tokens), len(source_tokens))`. Row t holds the weights with
            which the model generated token t; the row sums to 1. None for a model without
            attention, or with `keep_attention=False`.
        score: Natural logarithm of the translation's probability, [END] included.
    """

    text: str
    tokens: list
    source_tokens: list
    attention_weights: np.ndarray | None
    score: float

    def without_control_tokens(self):
        """Return the translation with `[START]` and `[END]` taken off the source.

        Their columns of the attention weights go, too; the rows then sum to less than 1.

        Example:
            >>> weights = np.full((1, 3), 1 / 3)
            >>> one = Translation("chat", ["chat"], ["[START]", "cat", "[END]"], weights, -0.1)
            >>> one.without_control_tokens().source_tokens
            ['cat']
        """
        weights = self.attention_weights
        return self._replace(
            source_tokens=self.source_tokens[1:-1],
            attention_weights=None if weights is None else weights[:, 1:-1],
        )


def make_translations(hypotheses, source_tokens, target_text):
    """Return the translations of hypotheses.

    Each unknown token is replaced by the source token with the largest attention weight.

    Args:
        hypotheses: List of `Hypothesis`.
        source_tokens: For each hypothesis a list of str, from `[START]` to `[END]`.
        target_text: The `TextProcessor` of the ids.

    Returns:
        List of `Translation`.
    """
    if not hypotheses:
        return []
    ids = [_until_end(hypothesis.ids) for hypothesis in hypotheses]
    vocabulary, readable = target_text.vocabulary, target_text.readable_vocabulary
    tokens = [[readable[token] for token in row] for row in ids]
    texts = target_text.decode(ids)
    for row, hypothesis in enumerate(hypotheses):
        unknown = np.flatnonzero(ids[row] == UNKNOWN)
        if not len(unknown):
            continue
        source = source_tokens[row][1:-1]
        spaced = [vocabulary[token] for token in ids[row]]  # as text: with the space of each token
        for place in unknown:
            largest = np.argmax(hypothesis.attention_weights[place, 1 : len(source) + 1])
            tokens[row][place] = spaced[place] = source[largest]
        [texts[row]] = target_text.join([spaced])
    return attach_attention(texts, tokens, source_tokens, hypotheses)


def attach_attention(texts, tokens, source_tokens, hypotheses):
    """Return one `Translation` for each text, with the score and the attention of its hypothesis.

    Args:
        texts: List of str.
        tokens, source_tokens: For each text a list of str, the latter from `[START]` to `[END]`.
        hypotheses: For each text a `Hypothesis`, which may be padded.
    """
    translations = []
    for text, target, source, hypothesis in zip(
        texts, tokens, source_tokens, hypotheses, strict=True
    ):
        weights = hypothesis.attention_weights
        # A model without attention has weights without columns.
        weights = weights[: len(target), : len(source)] if weights.shape[-1] else None
        translations.append(Translation(text, target, source, weights, float(hypothesis.score)))
    return translations


def _until_end(ids):
    """Return the ids before the first `[END]` or padding."""
    ended = np.flatnonzero((ids == END) | (ids == PADDING))
    return ids[: ended[0]] if len(ended) else ids
