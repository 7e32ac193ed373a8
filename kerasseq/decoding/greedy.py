"""Greedy search: choose the most likely next token at every step."""

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
    """Choose the most likely next token at every step, until every row has ended.

    Padding, [START] and, without `allow_unknown`, [UNK] are never chosen; the scores are
    log-probabilities of the full softmax. The result of a row does not depend on the other rows.

    Args:
        step: A step function as in the docstring of `kerasseq.decoding`.
        states: States before the first step.
        source_length: Width of the attention weights. 0 for a model without attention, whose step
            returns weights of shape `(batch, 0)`.
        max_length: Integers `(batch,)`, the largest number of tokens of each row.
        steps: Width of the results. Default: the largest `max_length`. XLA needs a Python integer.
        allow_unknown: Whether [UNK] may be chosen, for callers that replace it by another word.
        keep_attention: Whether to return attention, which needs memory for source length times
            target length; otherwise `attention_weights` has no columns.
        trim: Whether to cut the results after the last token of the longest row. Not under XLA.

    Returns:
        A `Decoded`.

    Example:
        >>> def step(tokens, states):  # 7, then [END]
        ...     following = ops.where(tokens == 7, 3, 7)
        ...     return ops.one_hot(following, 9) * 50, states, ops.ones((2, 1))
        >>> greedy_search(step, [], 1, ops.array([4, 4])).tokens.numpy().tolist()
        [[7, 3, 0, 0], [7, 3, 0, 0]]
    """
    max_length = ops.cast(max_length, "int32")
    rows = ops.shape(max_length)[0]
    source_length = source_length if keep_attention else 0
    width = ops.max(max_length) if steps is None else steps
    record = make_record(rows, width, source_length)

    # The loop carries: the step number, the last token, whether the row has ended, the score, the
    # states of the model, and the record of all steps so far.

    def is_open(position, tokens, ended, scores, states, stores):
        return ops.logical_not(ops.all(ended))

    def advance(position, tokens, ended, scores, states, stores):
        logits, states, weights = step(tokens, states)
        log_probs, tokens = most_likely_tokens(logits, 1, allow_unknown)  # (rows, 1) each
        tokens = ops.where(ended, PADDING, tokens[:, 0])  # (rows,)
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
