"""What the searches share: the check of their settings, the choice of tokens, the result."""

from typing import NamedTuple

import numpy as np
from keras import ops

from kerasseq.checks import check_not_negative, check_positive_integer
from kerasseq.decoding.record import Record
from kerasseq.text.control_tokens import END, PADDING, START, UNKNOWN

_LARGEST_PENALTY = 10.0  # beyond it, float32 overflows


class Decoded(NamedTuple):
    """What a search found, one row a sentence.

    Attributes:
        tokens: Ids `(batch, steps)`: the chosen ids, [END] where it was reached, then padding.
        scores: `(batch,)`, the sum of the log-probabilities of the chosen ids, [END] included.
        attention_weights: `(batch, steps, source_length)`, zero after [END]. Where attention is not
            kept, or there is none, `source_length` is 0.
    """

    tokens: object
    scores: object
    attention_weights: object


class Hypothesis(NamedTuple):
    """One hypothesis of one sentence.

    Attributes:
        ids: Array `(steps,)`, with [END] and padding where it ended before.
        score: Sum of the log-probabilities of its ids, [END] included.
        attention_weights: Array `(steps, source_length)`.
    """

    ids: object
    score: object
    attention_weights: object


def finite_hypotheses(ids, scores, attention_weights):
    """Return the hypotheses of one sentence, best first: a search may find fewer than asked for.

    Args:
        ids, scores, attention_weights: Arrays `(n_best, steps)`, `(n_best,)` and `(n_best, steps,
            source_length)`; a hypothesis that does not exist has no finite score.

    Returns:
        List of `Hypothesis`, at least one.
    """
    best, *others = map(Hypothesis, ids, scores, attention_weights)
    return [best, *(one for one in others if np.isfinite(one.score))]


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
    """Return the most_likely_tokens next tokens; padding, [START] and mostly [UNK] are none.

    Args:
        logits: Shape `(rows, vocab_size)`.
        count: How many; fewer if the vocabulary has not as many.
        allow_unknown: Whether [UNK] may be one.

    Returns:
        `(log_probs, tokens)`, `(rows, count)` each, best first. The log-probabilities are those of
        the full softmax, as float32.
    """
    logits = ops.cast(logits, "float32")
    first = UNKNOWN if allow_unknown else END  # the other three come before [END]
    if logits.shape[-1] is not None:
        count = min(count, logits.shape[-1] - END + allow_unknown)
    total = ops.logsumexp(logits, axis=-1, keepdims=True)
    choices = logits[:, first:]
    if allow_unknown:
        is_start = ops.arange(ops.shape(choices)[1], dtype="int32") == START - first
        choices = ops.where(is_start, ops.cast(-1e30, "float32"), choices)
    highest, tokens = ops.top_k(choices, count)
    return highest - total, ops.cast(tokens, "int32") + first


def make_record(rows, steps, source_length, **more):
    """Return the `Record` of a search: `tokens`, `attention_weights`, and what it needs more."""
    return Record(
        steps,
        tokens=((rows,), "int32"),
        attention_weights=((rows, source_length), "float32"),
        **more,
    )


def make_decoded(found, scores):
    """Return the `Decoded` of what a record read; after [END] there is no attention.

    Args:
        found: Dict of `tokens` `(rows, steps)`, padding where a row had ended, and
            `attention_weights` `(rows, steps, source_length)`.
        scores: `(rows,)`.
    """
    tokens, weights = found["tokens"], found["attention_weights"]
    ended = (tokens == PADDING)[..., None]
    return Decoded(tokens, scores, ops.where(ended, ops.zeros_like(weights), weights))
