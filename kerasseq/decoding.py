"""Search for an output sequence over a plain step function, whatever model is behind it.

A step function answers `step(tokens, states) -> (logits, states, attention_weights)`:

- `tokens`: integer ids of shape `(batch,)`, the ones chosen last.
- `states`: a list or dict of tensors, batch first, handed on from step to step.
- `logits`: shape `(batch, vocab_size)`.
- `attention_weights`: shape `(batch, source_length)`.
"""

from typing import NamedTuple

from keras import ops

from kerasseq.text import END, PADDING, START


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


def greedy_search(step, states, source_length, max_length):
    """Take the likeliest next token, again and again, until every row has ended.

    Padding, [UNK] and [START] are never chosen; the scores are still those of the full softmax.
    What a row gets does not depend on the other rows of its batch.

    Args:
        step: A step function as in the module's docstring.
        states: The states before the first step.
        source_length: Width of the attention weights; 0 for a model without attention, whose step
            returns them with shape `(batch, 0)`.
        max_length: Integers `(batch,)`: a row that has not ended after so many tokens is stopped.

    Returns:
        A `Decoded`; `steps` is the largest `max_length`.

    Example:
        >>> def step(tokens, states):  # says 7, then [END]
        ...     following = ops.where(tokens == 7, 3, 7)
        ...     return ops.one_hot(following, 9) * 50, states, ops.ones((2, 1))
        >>> greedy_search(step, [], 1, ops.array([4, 4])).tokens.numpy().tolist()
        [[7, 3, 0, 0], [7, 3, 0, 0]]
    """
    batch_size, steps = ops.shape(max_length)[0], ops.max(max_length)
    found = Decoded(
        ops.zeros((batch_size, steps), dtype="int32"),
        ops.zeros((batch_size,), dtype="float32"),
        ops.zeros((batch_size, steps, source_length), dtype="float32"),
    )
    tokens = ops.full((batch_size,), START, dtype="int32")
    ended = max_length <= 0

    def is_open(position, tokens, ended, states, found):
        return ops.logical_not(ops.all(ended))

    def advance(position, tokens, ended, states, found):
        logits, states, weights = step(tokens, states)
        tokens, log_probs = _choose(logits)
        tokens = ops.where(ended, PADDING, tokens)
        found = _write(found, position, ended, tokens, log_probs, weights)
        ended = ended | (tokens == END) | (position + 1 >= max_length)
        return position + 1, tokens, ended, states, found

    loop = (ops.zeros((), dtype="int32"), tokens, ended, states, found)
    return ops.while_loop(is_open, advance, loop)[-1]


def _choose(logits):
    """Return the likeliest permitted ids and their log-probabilities, each `(batch,)`."""
    log_probs = ops.log_softmax(ops.cast(logits, "float32"), axis=-1)
    permitted = ops.arange(ops.shape(log_probs)[-1]) >= END  # padding, [UNK], [START] come before
    tokens = ops.argmax(ops.where(permitted, log_probs, -float("inf")), axis=-1)
    chosen = ops.take_along_axis(log_probs, ops.expand_dims(tokens, -1), axis=-1)
    return ops.cast(tokens, "int32"), ops.squeeze(chosen, -1)


def _write(found, position, ended, tokens, log_probs, weights):
    """Add one step to what was found; rows that have ended stay as they are."""
    going_on = ops.logical_not(ended)
    weights = ops.where(going_on[:, None], ops.cast(weights, "float32"), 0.0)
    return Decoded(
        ops.slice_update(found.tokens, (0, position), tokens[:, None]),
        found.scores + ops.where(going_on, log_probs, 0.0),
        ops.slice_update(found.attention_weights, (0, position, 0), weights[:, None]),
    )
