"""Backpropagation through time, written out: the fast path of the recurrences on TensorFlow.

Automatic gradients of a loop add up the gradient of the whole weight matrix at every step. Written
out, sections 3.2.2 and 3.3.2 of the chapter say how to do better. The loop backward hands on only
δz_t, the gradient of what enters the non-linearities at step t; the gradients of all the weights
are then one matrix product each over all steps at once:

    ∂L/∂U = Σ_t h_{t−1}ᵀ δz_t  =  Hᵀ Δ       H, Δ: the h_{t−1} and the δz_t of all steps, stacked

Each recurrence here is a step forward, which keeps what the step back will need, and the step back.
`driver` runs them over time. Everything is time-major: `(length, batch, …)`. The layers of
`kerasseq.recurrence` come here by themselves; with other activations, recurrent dropout, other
cells or another backend they take the portable path, whose numbers are the same.
"""

from keras import ops

from kerasseq.bptt.switch import covers, enabled
from kerasseq.masking import zero_padding

__all__ = ["covers", "enabled", "run_attention", "run_cell"]


def run_cell(cell, sequences, states, mask=None):
    """Run a cell of `kerasseq.cells` over `(batch, length, features)`, from first to last.

    Returns:
        `(outputs, states)`: h after each step, `(batch, length, units)`, and the final states.
    """
    from kerasseq.bptt.recurrence import recur

    projected = cell.project(_swap(sequences))
    kernel = ops.cast(cell.recurrent_kernel, cell.compute_dtype)
    h, states = recur(_steps_of(cell), projected, states, kernel, _time_major(mask))
    return _outputs(_swap(h), mask), states


def run_attention(cell, attention, inputs, states, values, keys, mask, values_mask, training):
    """Run a cell that attends to `values` before every step over `(batch, length, features)`.

    Returns:
        `(outputs, contexts, attention_weights, *states)`, the first three `(batch, length, …)`.
    """
    from kerasseq.bptt.attention_recurrence import attend_and_recur

    inputs = cell.drop(inputs, cell.input_mask(inputs[:, :1], training))
    context_drop = cell.input_mask(values[:, 0], training)

    kernels = (
        cell.recurrent_kernel,
        attention.query_kernel,
        cell.kernel[inputs.shape[-1] :],
        attention.score_kernel[:, 0],
    )
    s, contexts, attention_weights, states = attend_and_recur(
        _steps_of(cell),
        cell.project(_swap(inputs)),
        states,
        values,
        keys,
        [ops.cast(kernel, cell.compute_dtype) for kernel in kernels],
        _time_major(mask),
        values_mask,
        context_drop,
    )
    return _outputs(_swap(s), mask), _swap(contexts), _swap(attention_weights), *states


def _steps_of(cell):
    from kerasseq.bptt import lstm, rnn

    return {"RNNCell": rnn, "LSTMCell": lstm}[type(cell).__name__]


def _swap(tensor):
    """Swap batch and time."""
    return ops.transpose(tensor, (1, 0, *range(2, len(tensor.shape))))


def _time_major(mask):
    return None if mask is None else ops.expand_dims(ops.transpose(mask), -1)


def _outputs(h, mask):
    """Turn the states after each step into outputs, which are zero before the first real step."""
    return h if mask is None else zero_padding(h, ops.cumsum(ops.cast(mask, "int32"), axis=1) > 0)
