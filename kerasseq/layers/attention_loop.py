"""`run_attention`: the decoder's loop over time, for any cell, any attention and any backend.

`kerasseq.bptt.run_attention` is the same loop with the backward pass written out, for the cells and
the attention of this package on TensorFlow.
"""

import functools

import keras
from keras import ops

from kerasseq.layers.attention import BahdanauAttention
from kerasseq.layers.cell import RecurrentCell
from kerasseq.layers.cell_stack import check_output, nest, output_size, top_sizes
from kerasseq.layers.dropout_masks import kept_masks
from kerasseq.layers.exact import is_exactly, keeps
from kerasseq.layers.keras_loop import run


def run_attention(cell, attention, inputs, states, values, keys, mask, values_mask, training):
    """Run a cell that attends to `values` before every step.

    Args:
        cell: Any cell or stack of cells, built.
        attention: Any attention that `AttentionRNN` takes.
        inputs: x, `(batch, length, features)`.
        states: Flat list of `(batch, units)`.
        values, keys: `(batch, source_length, value_dim)` and `(batch, source_length, attention
            units)`. Padding of inputs, values and keys must be zero.
        mask, values_mask: Boolean `(batch, length)` and `(batch, source_length)`, or None.
        training: Whether dropout is active.

    Returns:
        `(outputs, contexts, attention_weights, *states)`, the first three `(batch, length, …)`.
    """
    projected, step = _prepare(cell, inputs, values, states, training)
    attend = _attend_function(attention, inputs, values, states)
    top = -len(top_sizes(cell))  # index of the first state of the top cell: the query

    def attend_and_step(projected, states):
        # (batch, value_dim) and (batch, source_length)
        context, weights = attend(states[top], values, keys, values_mask)
        output, states = step(projected, context, states)
        check_output(cell, output)
        # A loop of Keras has one output per step, so three tensors travel side by side.
        return ops.concatenate([output, context, weights], axis=-1), states

    features = inputs.shape[-1] + values.shape[-1]
    with kept_masks(cell, ops.shape(inputs)[0], features, training):
        _, packed, states = run(attend_and_step, projected, states, mask, return_sequences=True)
    sizes = output_size(cell), values.shape[-1]
    return *_unpack(packed, ops.shape(inputs)[:2], *sizes), *states


def _attend_function(attention, *tensors):
    """Return the function to call at every step: `attend` where a whole `call` adds nothing.

    The padding is zero already and the arguments are checked. A `call` does both at every step.
    """
    dtypes = {keras.backend.standardize_dtype(x.dtype) for x in keras.tree.flatten(tensors)}
    if is_exactly(attention, BahdanauAttention) and dtypes == {attention.compute_dtype}:
        return attention.attend
    return functools.partial(_call, attention)


def _call(attention, query, values, keys, values_mask):
    return attention(query, values, keys, values_mask=values_mask)


def _prepare(cell, inputs, values, states, training):
    """Return `(projected, step)`: what is computed for all steps at once, and the serial part.

    The cell reads [x_t, c_t]. Our cells project x_t for all steps here, with the first rows of the
    kernel; `step` adds the projection of c_t. Any other cell reads both in its step.
    """
    if not keeps(cell, RecurrentCell, "call", "project"):

        def step(inputs, context, states):  # Keras passes `training` on from the outer call
            inputs_and_context = ops.concatenate([inputs, context], axis=-1)
            output, states = cell(inputs_and_context, nest(cell, states))
            return output, keras.tree.flatten(states)

        return inputs, step

    input_mask = cell.input_mask(inputs[:, :1], training)  # (batch, 1, features)
    context_mask = cell.input_mask(values[:, 0], training)  # (batch, value_dim)
    recurrent_mask = cell.recurrent_mask(states[0], training)

    def step(projected, context, states):
        context = cell.project(cell.drop(context, context_mask), first_row=inputs.shape[-1])
        return cell.step(projected + context, states, recurrent_mask)

    return cell.project(cell.drop(inputs, input_mask)), step


def _unpack(packed, steps, units, value_dim):
    """Split outputs, contexts and weights, which lie side by side.

    The width of `packed` is unknown where the source length is unknown, and so would be the width
    of each slice. The reshapes state the widths, so that layers can be built on the slices.
    """
    outputs = ops.reshape(packed[..., :units], (*steps, units))
    contexts = ops.reshape(packed[..., units : units + value_dim], (*steps, value_dim))
    return outputs, contexts, packed[..., units + value_dim :]
