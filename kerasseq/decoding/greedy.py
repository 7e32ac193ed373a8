"""Greedy search: always the likeliest next token."""

from keras import ops

from kerasseq.decoding.result import make_decoded, make_record, most_likely_tokens
from kerasseq.text.control_tokens import END, PADDING, START


def greedy_search(
    step,
    states,
    source_length,
    max_length,
    steps=None,
    allow_unknown=False,
    keep_attention=True,
    trim=False,
):
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
        keep_attention: Whether to return attention, which takes memory by the product of the two
            lengths; without it `attention_weights` has no columns.
        trim: Whether to cut the results behind the last token of all rows. Not under XLA.

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
    rows = ops.shape(max_length)[0]
    source_length = source_length if keep_attention else 0
    most = ops.max(max_length) if steps is None else steps
    record = make_record(rows, most, source_length)

    def is_open(position, tokens, ended, scores, states, stores):
        return ops.logical_not(ops.all(ended))

    def advance(position, tokens, ended, scores, states, stores):
        logits, states, weights = step(tokens, states)
        log_probs, tokens = most_likely_tokens(logits, 1, allow_unknown)
        tokens = ops.where(ended, PADDING, tokens[:, 0])
        weights = ops.cast(weights[:, :source_length], "float32")
        stores = record.write(stores, position, tokens=tokens, attention_weights=weights)
        scores = scores + ops.where(ended, ops.zeros_like(scores), log_probs[:, 0])
        ended = ended | (tokens == END) | (position + 1 >= max_length)
        return position + 1, tokens, ended, scores, states, stores

    tokens = ops.full((rows,), START, dtype="int32")
    scores = ops.zeros((rows,), dtype="float32")
    loop = (ops.zeros((), "int32"), tokens, max_length <= 0, scores, states, record.begin())
    position, _, _, scores, _, stores = ops.while_loop(is_open, advance, loop)
    return make_decoded(record.read(stores, position if trim else None), scores)
