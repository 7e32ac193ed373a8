"""Backpropagation through time, written out: the fast path of the recurrent layers on TensorFlow.

TensorFlow's own gradient of a loop adds up the gradient of the whole weight matrix at every step.
Sections 3.2.2 and 3.3.2 of the chapter show a shorter way. The loop backward computes only δz_t,
the gradient of what enters the non-linearities at step t. After the loop, the gradient of each
weight matrix is one matrix product over all steps at once:

    ∂L/∂U = Σ_t h_{t−1}ᵀ δz_t  =  Hᵀ Δ       H, Δ: the h_{t−1} and the δz_t of all steps, stacked

Read the files in this order:

1. `rnn_step` and `lstm_step`: one step of a cell, forward and backward.
2. `time_loop`: the loop over time, and the products after it.
3. `rnn_gradient`: a cell over a sequence, forward and backward.
4. `attention_step` and `attention_rnn_gradient`: the same with attention.

All tensors are time-major, `(length, batch, …)`. `kerasseq.layers.fast_path` says when a layer
takes this path; on the portable path the numbers are the same.
"""

import contextlib

from keras import ops

from kerasseq.masks import zero_padding

_ENABLED = True


@contextlib.contextmanager
def enabled(value):
    """Turn the fast path on or off within a `with` block, for tests and comparisons.

    A layer takes the setting when it is traced: a model that has been trained or compiled keeps its
    path.

    Example:
        >>> with enabled(False):
        ...     sequence = RNN(LSTMCell(4), return_sequences=True)(keras.ops.ones((2, 5, 3)))
    """
    global _ENABLED
    before, _ENABLED = _ENABLED, value
    try:
        yield
    finally:
        _ENABLED = before


def is_enabled():
    """Return whether layers may take the fast path."""
    return _ENABLED


def run_cell(equations, cell, sequences, states, mask=None):
    """Run a cell over a sequence, from the first step to the last.

    Args:
        equations: `rnn_step` or `lstm_step`, the module with the equations of the cell.
        cell: The `RNNCell` or `LSTMCell` whose weights are used.
        sequences: x, `(batch, length, features)`.
        states: List of `(batch, units)`: h_0, or h_0 and C_0.
        mask: Boolean `(batch, length)`, True = a real step, or None.

    Returns:
        `(outputs, states)`: h after each step, `(batch, length, units)`, and the final states.
    """
    from kerasseq.bptt.rnn_gradient import run_rnn

    projected = cell.project(_swap_batch_and_time(sequences))  # (length, batch, gates * units)
    kernel = ops.cast(cell.recurrent_kernel, cell.compute_dtype)
    h, states = run_rnn(equations, projected, states, kernel, _time_major(mask))
    return _outputs(_swap_batch_and_time(h), mask), states


def run_attention(
    equations, cell, attention, inputs, states, values, keys, mask, values_mask, training
):
    """Run a cell that attends to `values` before every step.

    Args:
        equations, cell: As in `run_cell`.
        attention: The `BahdanauAttention` whose weights are used.
        inputs: x, `(batch, length, features)`.
        states: List of `(batch, units)`.
        values, keys: `(batch, source_length, value_dim)` and `(batch, source_length, attention
            units)`, zero at padding.
        mask, values_mask: Boolean `(batch, length)` and `(batch, source_length)`, or None.
        training: Whether dropout is active.

    Returns:
        `(outputs, contexts, attention_weights, *states)`, the first three `(batch, length, …)`.
    """
    from kerasseq.bptt.attention_rnn_gradient import Weights, run_attention_rnn

    inputs = cell.drop(inputs, cell.input_mask(inputs[:, :1], training))
    context_dropout = cell.input_mask(values[:, 0], training)  # (batch, value_dim)
    weights = Weights(
        recurrent_kernel=cell.recurrent_kernel,
        query_kernel=attention.query_kernel,
        context_kernel=cell.kernel[inputs.shape[-1] :],  # the rows that the context meets
        score_kernel=attention.score_kernel[:, 0],
    )
    s, contexts, attention_weights, states = run_attention_rnn(
        equations,
        cell.project(_swap_batch_and_time(inputs)),
        states,
        values,
        keys,
        Weights(*[ops.cast(weight, cell.compute_dtype) for weight in weights]),
        _time_major(mask),
        values_mask,
        context_dropout,
    )
    s, contexts, attention_weights = map(_swap_batch_and_time, (s, contexts, attention_weights))
    return _outputs(s, mask), contexts, attention_weights, *states


def _swap_batch_and_time(tensor):
    """Return `(batch, length, …)` as `(length, batch, …)`, and the other way round."""
    return ops.transpose(tensor, (1, 0, *range(2, len(tensor.shape))))


def _time_major(mask):
    """Return a mask `(batch, length)` as `(length, batch, 1)`, and None as None."""
    return None if mask is None else ops.expand_dims(ops.transpose(mask), -1)


def _outputs(h, mask):
    """Return the states after each step as outputs, which are zero before the first real step."""
    return h if mask is None else zero_padding(h, ops.cumsum(ops.cast(mask, "int32"), axis=1) > 0)
