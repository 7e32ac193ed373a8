"""Greedy search: always the likeliest next token."""

from keras import ops

from kerasseq.control_tokens import END, PADDING, START
from kerasseq.decoding.found import Decoded, likeliest, write


def greedy_search(step, states, source_length, max_length, steps=None, allow_unknown=False):
    """Take the likeliest next token, again and again, until every row has ended.

    Padding, [START] and, unless allowed, [UNK] are never chosen; the scores are still those of the
    full softmax. What a row gets does not depend on the other rows of its batch.

    Args:
        step: A step function as in the docstring of `kerasseq.decoding`.
        states: The states before the first step.
        source_length: Width of the attention weights; 0 for a model without attention, whose step
            returns them with shape `(batch, 0)`.
        max_length: Integers `(batch,)`: a row that has not ended after so many tokens is stopped.
        steps: Width of the results, by default the largest `max_length`. XLA has to know it.
        allow_unknown: Whether [UNK] may be chosen, for those who put another word in its place.

    Returns:
        A `Decoded`.

    Example:
        >>> def step(tokens, states):  # says 7, then [END]
        ...     following = ops.where(tokens == 7, 3, 7)
        ...     return ops.one_hot(following, 9) * 50, states, ops.ones((2, 1))
        >>> greedy_search(step, [], 1, ops.array([4, 4])).tokens.numpy().tolist()
        [[7, 3, 0, 0], [7, 3, 0, 0]]
    """
    max_length = ops.cast(max_length, "int32")
    batch_size, steps = ops.shape(max_length)[0], ops.max(max_length) if steps is None else steps
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
        log_probs, tokens = likeliest(logits, 1, allow_unknown)
        tokens = ops.where(ended, PADDING, tokens[:, 0])
        found = write(found, position, ended, tokens, weights)
        gained = ops.where(ended, ops.zeros_like(found.scores), log_probs[:, 0])
        found = found._replace(scores=found.scores + gained)
        ended = ended | (tokens == END) | (position + 1 >= max_length)
        return position + 1, tokens, ended, states, found

    loop = (ops.zeros((), dtype="int32"), tokens, ended, states, found)
    return ops.while_loop(is_open, advance, loop)[-1]
