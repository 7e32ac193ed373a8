"""What the searches share: their result, and what may be chosen."""

from typing import NamedTuple

from keras import ops

from kerasseq.control_tokens import END, START, UNKNOWN


class Decoded(NamedTuple):
    """What a search found, one row a sentence.

    Attributes:
        tokens: Ids `(batch, steps)`: the chosen ids, [END] where it was reached, then padding.
        scores: `(batch,)`, the sum of the log-probabilities of the chosen ids, [END] included.
        attention_weights: `(batch, steps, source_length)`, zero after [END].
    """

    tokens: object
    scores: object
    attention_weights: object


def likeliest(logits, count, allow_unknown=False):
    """Return the likeliest next tokens; padding, [START] and mostly [UNK] are none.

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


def write(found, position, ended, tokens, weights):
    """Write a step's tokens and attention weights; rows that have ended before it get none.

    Args:
        found: Any named tuple with `tokens` and `attention_weights`.
        position: The step, from 0.
        ended: Boolean `(rows,)`.
        tokens: `(rows,)`.
        weights: `(rows, source_length)`.

    Returns:
        `found` with the step written into both.
    """
    weights = ops.cast(weights, "float32")
    weights = ops.where(ended[:, None], ops.zeros_like(weights), weights)
    here = ops.arange(ops.shape(found.tokens)[1], dtype="int32") == position  # (steps,)
    return found._replace(
        tokens=ops.where(here, tokens[:, None], found.tokens),
        attention_weights=ops.where(here[:, None], weights[:, None], found.attention_weights),
    )
