"""`Translation`: what a `Translator` returns, made of what a search found."""

from typing import NamedTuple

import numpy as np

from kerasseq.control_tokens import END, PADDING, UNKNOWN


class Translation(NamedTuple):
    """A translation and what the model looked at.

    Attributes:
        text: The translation as readable text.
        tokens: Its tokens, without control tokens.
        source_tokens: What the encoder read, from `[START]` to `[END]`.
        attention_weights: Array `(len(tokens), len(source_tokens))`; row t is where the model
            looked before it wrote token t, and sums to 1. None for a model without attention, or
            where it was not kept.
        score: Natural logarithm of the translation's probability, [END] included.
    """

    text: str
    tokens: list
    source_tokens: list
    attention_weights: np.ndarray | None
    score: float


def read_translations(found, source_tokens, target_text):
    """Return the translations of what a search found.

    For an unknown token stands the source token that got most attention.

    Args:
        found: List of (ids, score, attention weights).
        source_tokens: List of lists of str, without control tokens.
        target_text: The `TextProcessor` of the ids.

    Returns:
        List of `Translation`.
    """
    if not found:
        return []
    ids = [_until_end(one[0]) for one in found]
    vocabulary, readable = target_text.vocabulary, target_text.readable_vocabulary
    tokens = [[readable[token] for token in row] for row in ids]
    texts = target_text.decode(ids)
    for row, (_, _, weights) in enumerate(found):
        unknown = np.flatnonzero(ids[row] == UNKNOWN)
        source = source_tokens[row]
        spaced = [vocabulary[token] for token in ids[row]] if len(unknown) else []
        for place in unknown:
            looked_at = source[np.argmax(weights[place, 1 : len(source) + 1])]
            tokens[row][place] = spaced[place] = looked_at
        if len(unknown):
            [texts[row]] = target_text.join([spaced])
    return put_together(texts, tokens, source_tokens, found)


def put_together(texts, tokens, source_tokens, found):
    """Return one `Translation` for each text, its tokens, its source's, and (_, score, weights)."""
    translations = []
    for text, target, source, (_, score, weights) in zip(
        texts, tokens, source_tokens, found, strict=True
    ):
        source = ["[START]", *source, "[END]"]
        # A model without attention has weights without columns.
        weights = weights[: len(target), : len(source)] if weights.shape[-1] else None
        translations.append(Translation(text, target, source, weights, float(score)))
    return translations


def _until_end(ids):
    ended = np.flatnonzero((ids == END) | (ids == PADDING))
    return ids[: ended[0]] if len(ended) else ids
