"""What the searches share: their result, and what may be chosen."""

from typing import NamedTuple

from keras import ops

from kerasseq.control_tokens import END


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


def permitted_log_probs(logits):
    """Return the log-probabilities of the next token, −∞ for padding, [UNK] and [START].

    Args:
        logits: Shape `(rows, vocab_size)`.

    Returns:
        Float32 tensor of the same shape. The others keep their share of the full softmax.
    """
    log_probs = ops.log_softmax(ops.cast(logits, "float32"), axis=-1)
    permitted = ops.arange(ops.shape(log_probs)[-1]) >= END  # the other three come before
    return ops.where(permitted, log_probs, -float("inf"))


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
    weights = ops.where(ended[:, None], 0.0, ops.cast(weights, "float32"))
    return found._replace(
        tokens=ops.slice_update(found.tokens, (0, position), tokens[:, None]),
        attention_weights=ops.slice_update(
            found.attention_weights, (0, position, 0), weights[:, None]
        ),
    )
