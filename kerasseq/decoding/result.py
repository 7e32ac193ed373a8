"""The parts that both searches share: result types, checks, the choice of tokens, the record."""

from typing import NamedTuple

import numpy as np
from keras import ops

from kerasseq.checks import check_not_negative, check_positive_integer
from kerasseq.decoding.record import Record
from kerasseq.text.control_tokens import END, PADDING, START, UNKNOWN

_LARGEST_PENALTY = 10.0  # a larger exponent overflows float32


class Decoded(NamedTuple):
    """The result of a search, one row per sentence.

    Attributes:
        tokens: Ids `(batch, steps)`: the chosen ids, [END] if the row reached it, then padding.
        scores: `(batch,)`, the sum of the log-probabilities of the chosen ids, [END] included.
        attention_weights: `(batch, steps, source_length)`, zero after [END]. `source_length` is 0
            without attention, or if attention is not kept.
    """

    tokens: object
    scores: object
    attention_weights: object


class Hypothesis(NamedTuple):
    """One hypothesis of one sentence.

    Attributes:
        ids: Array `(steps,)`; after the last token [END], if it was reached, then padding.
        score: Sum of the log-probabilities of its ids, [END] included.
        attention_weights: Array `(steps, source_length)`.
    """

    ids: object
    score: object
    attention_weights: object


def finite_hypotheses(ids, scores, attention_weights):
    """Return the hypotheses of one sentence, best first; there may be fewer than `n_best`.

    Args:
        ids, scores, attention_weights: Arrays `(n_best, steps)`, `(n_best,)` and `(n_best, steps,
            source_length)`. A missing hypothesis has the score −∞.

    Returns:
        List of `Hypothesis`, at least one.
    """
    best, *others = map(Hypothesis, ids, scores, attention_weights)
    return [best, *(hypothesis for hypothesis in others if np.isfinite(hypothesis.score))]


def check_beam(beam_width, length_penalty, n_best):
    """Raise ValueError if an argument of `beam_search` does not fit."""
    check_positive_integer("beam_width", beam_width)
    check_positive_integer("n_best", n_best)
    if n_best > beam_width:
        raise ValueError(
            "`n_best` must be at most `beam_width`. "
            f"Received: n_best={n_best}, beam_width={beam_width}"
        )
    if check_not_negative("length_penalty", length_penalty) > _LARGEST_PENALTY:
        raise ValueError(
            f"`length_penalty` must be at most {_LARGEST_PENALTY}. "
            f"Received: length_penalty={length_penalty}"
        )


def most_likely_tokens(logits, count, allow_unknown=False):
    """Return the most likely next tokens, never padding or [START].

    Args:
        logits: Shape `(rows, vocab_size)`.
        count: Number of tokens; a small vocabulary may have fewer.
        allow_unknown: Whether [UNK] may be chosen.

    Returns:
        `(log_probs, tokens)`, `(rows, count)` each, best first. The log-probabilities are float32,
        of the full softmax.
    """
    logits = ops.cast(logits, "float32")
    # Ids: 0 padding, 1 [UNK], 2 [START], 3 [END]. Cutting off the first ids forbids them.
    first = UNKNOWN if allow_unknown else END
    if logits.shape[-1] is not None:
        count = min(count, logits.shape[-1] - END + allow_unknown)
    total = ops.logsumexp(logits, axis=-1, keepdims=True)  # log p = logit − total
    choices = logits[:, first:]  # (rows, vocab_size − first)
    if allow_unknown:
        is_start = ops.arange(ops.shape(choices)[1], dtype="int32") == START - first
        choices = ops.where(is_start, ops.cast(-1e30, "float32"), choices)
    highest, tokens = ops.top_k(choices, count)
    return highest - total, ops.cast(tokens, "int32") + first


def make_record(rows, steps, source_length, **more):
    """Return the `Record` of a search: `tokens`, `attention_weights`, and tensors of its own."""
    return Record(
        steps,
        tokens=((rows,), "int32"),
        attention_weights=((rows, source_length), "float32"),
        **more,
    )


def make_decoded(recorded, scores):
    """Return the `Decoded` of recorded steps, with zero attention after [END].

    Args:
        recorded: Dict of `tokens` `(rows, steps)`, padding after the end of a row, and
            `attention_weights` `(rows, steps, source_length)`.
        scores: `(rows,)`.
    """
    tokens, weights = recorded["tokens"], recorded["attention_weights"]
    ended = (tokens == PADDING)[..., None]  # (rows, steps, 1)
    return Decoded(tokens, scores, ops.where(ended, ops.zeros_like(weights), weights))
