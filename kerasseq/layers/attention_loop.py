"""The portable loop of a cell that looks at the source before every step."""

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
    """Run a cell that attends to `values` before every step over `(batch, length, features)`.

    As `kerasseq.bptt.run_attention` does, but for any cell, any attention, any backend. What is
    masked must be zero already.

    Returns:
        `(outputs, contexts, attention_weights, *states)`, the first three `(batch, length, …)`.
    """
    projected, step = _prepare(cell, inputs, values, states, training)
    look, top = _look_of(attention, inputs, values, states), -len(top_sizes(cell))

    def attend_and_step(projected, states):
        context, weights = look(states[top], values, keys, values_mask)
        output, states = step(projected, context, states)
        check_output(cell, output)
        return ops.concatenate([output, context, weights], axis=-1), states

    features = inputs.shape[-1] + values.shape[-1]
    with kept_masks(cell, ops.shape(inputs)[0], features, training):
        _, packed, states = run(attend_and_step, projected, states, mask, return_sequences=True)
    sizes = output_size(cell), values.shape[-1]
    return *_unpack(packed, ops.shape(inputs)[:2], *sizes), *states


def _look_of(attention, *tensors):
    """Return what is called at every step: if that is the same, without zeroing padding again."""
    dtypes = {keras.backend.standardize_dtype(one.dtype) for one in keras.tree.flatten(tensors)}
    same = is_exactly(attention, BahdanauAttention) and dtypes == {attention.compute_dtype}
    return attention.look if same else functools.partial(_call, attention)


def _call(attention, query, values, keys, values_mask):
    return attention(query, values, keys, values_mask=values_mask)


def _prepare(cell, inputs, values, states, training):
    """Return what can be done for all steps at once, and the function for what can not."""
    if not keeps(cell, RecurrentCell, "call", "project"):

        def step(inputs, context, states):  # Keras hands `training` on by itself
            both = ops.concatenate([inputs, context], axis=-1)
            output, states = cell(both, nest(cell, states))
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
    """Split outputs, contexts and weights that lie side by side.

    The reshapes change nothing, but a slice of a tensor of unknown width, which `packed` is where
    the source's length is unknown, would not know its own width, and no layer could be built on it.
    """
    outputs = ops.reshape(packed[..., :units], (*steps, units))
    contexts = ops.reshape(packed[..., units : units + value_dim], (*steps, value_dim))
    return outputs, contexts, packed[..., units + value_dim :]
