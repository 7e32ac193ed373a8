"""`AttentionRNN`: run a cell that attends to the source before every step."""

import keras
from keras import ops

from kerasseq import bptt
from kerasseq.checks import (
    check_built,
    check_built_cell,
    check_cell,
    check_shape,
    check_states,
    check_tensor,
)
from kerasseq.layers.attention import BahdanauAttention
from kerasseq.layers.attention_loop import run_attention
from kerasseq.layers.cell_stack import as_cell, cells_of, output_size, state_sizes, top_sizes
from kerasseq.layers.fast_path import covers, equations_of
from kerasseq.masks import attach_mask, read_mask, zero_padding

_INPUTS = "batch target_length features"
_VALUES = "batch source_length value_dim"


@keras.saving.register_keras_serializable(package="kerasseq")
class AttentionRNN(keras.layers.Layer):
    """Run a cell over the target; the cell attends to the source before every step (section 3.4.3).

    At step t the previous state of the decoder is the query, the attention returns a context, and
    the cell reads the current input and the context side by side:

        α_t, c_t = attention(s_{t−1}, h)                                      (3.4.3, steps 1 to 3)
        s_t      = cell([x_t, c_t], s_{t−1})                                  (step 4)

    The inputs are projected for all steps at once; the contexts cannot be, since a context is known
    only at its step. In a stack of cells, s_{t−1} is the state of the top cell; the lowest cell
    reads [x_t, c_t], and every other cell reads the output of the cell below.

    Args:
        cell: An `RNNCell`, `LSTMCell`, any Keras cell, or a list of cells to be stacked. The first
            state of the cell is the query; in a stack, the first state of the last cell. A cell
            whose output is not as wide as its first state must have an `output_size`.
        attention: A `BahdanauAttention`, or any layer that takes the same call arguments, returns
            the same two tensors, and has a `project(values)` for the keys.
        **kwargs: `name`, `dtype` and so on of `keras.layers.Layer`.

    Call arguments:
        inputs: x, shape `(batch, target_length, features)`.
        values: The encoder states h, shape `(batch, source_length, value_dim)`.
        initial_state: List of `(batch, units)`, in the order of the cell's states; in a stack, one
            cell after the other. If None, the initial state of the cell, zeros as a rule.
        keys: `attention.project(values)`, `(batch, source_length, attention units)`. Computed here
            if None.
        inputs_mask, values_mask: `(batch, target_length)` and `(batch, source_length)`, True = a
            real position. Keras fills both in.
        training: Whether dropout is active.

    Returns:
        `outputs, contexts, attention_weights, *final_states`, always in this number:
        `(batch, target_length, units)`, `(batch, target_length, value_dim)`,
        `(batch, target_length, source_length)`, and `(batch, units)` for each state.

    Masking: a masked target step keeps the state and repeats the output; its context and weights
    are zero. A masked source position has weight 0. Outputs and contexts carry the target mask.

    Raises:
        ValueError: If an argument, a rank, a state or a mask does not fit.

    Example:
        >>> decoder = AttentionRNN(LSTMCell(4), BahdanauAttention(8))
        >>> outputs, contexts, weights, h, c = decoder(
        ...     keras.ops.ones((2, 5, 3)), keras.ops.ones((2, 7, 6)))
        >>> weights.shape
        TensorShape([2, 5, 7])

    References:
        - Bahdanau, Cho & Bengio (2015), https://arxiv.org/abs/1409.0473, appendix A.2.2.
    """

    def __init__(self, cell, attention, **kwargs):
        super().__init__(**kwargs)
        _check_attention(attention)
        for single in cell if isinstance(cell, (list, tuple)) else [cell]:
            check_cell(single)
        self.cell = as_cell(cell)
        self.attention = attention
        # The widths of x and h, known once the layer is built; a call compares its tensors to them.
        self._features = self._value_dim = None
        self.supports_masking = True

    @property
    def state_size(self):
        return state_sizes(self.cell)

    def build(
        self, inputs_shape=None, values_shape=None, initial_state_shape=None, keys_shape=None
    ):
        sizes = {}
        check_shape("inputs", inputs_shape, _INPUTS, sizes=sizes)
        check_shape("values", values_shape, _VALUES, sizes=sizes)
        self._features, self._value_dim = sizes["features"], sizes["value_dim"]
        # A loaded layer has built children already. The query of the attention is s_{t−1}, the
        # first state of the top cell; the values are h.
        if not self.attention.built:
            self.attention.build((inputs_shape[0], top_sizes(self.cell)[0]), values_shape)
            self.attention.built = True
        if isinstance(self.attention, BahdanauAttention):
            # An attention that was built elsewhere may have been built for other widths.
            kernels = self.attention.query_kernel, self.attention.key_kernel
            check_built("attention", kernels, (top_sizes(self.cell)[0], self._value_dim))
        if not self.cell.built:  # the cell reads [x_t, c_t]
            self.cell.build((inputs_shape[0], self._features + self._value_dim))
            self.cell.built = True
        check_built_cell(cells_of(self.cell)[0], self._features + self._value_dim)

    def compute_output_spec(
        self,
        inputs,
        values,
        initial_state=None,
        keys=None,
        inputs_mask=None,
        values_mask=None,
        training=False,
    ):
        # Keras infers the shapes of a symbolic call without `call`, so the checks stand here, too.
        self._read(inputs, values, initial_state, keys, inputs_mask, values_mask)
        return super().compute_output_spec(inputs, values, initial_state, keys)

    def call(
        self,
        inputs,
        values,
        initial_state=None,
        keys=None,
        inputs_mask=None,
        values_mask=None,
        training=False,
    ):
        states, inputs_mask, values_mask = self._read(
            inputs, values, initial_state, keys, inputs_mask, values_mask
        )
        # Padding has weight 0, but 0 · NaN is NaN, in the context and in the gradients.
        inputs, values = zero_padding(inputs, inputs_mask), zero_padding(values, values_mask)
        if keys is None:
            keys = self.attention.project(values)  # (batch, source_length, attention units)
        keys = zero_padding(keys, values_mask)
        if states is None:
            states = self.get_initial_state(ops.shape(inputs)[0])  # (batch, units) each
        states = [ops.cast(state, self.cell.compute_dtype) for state in states]

        # The written-out backward pass where it covers these classes, else the portable loop.
        arguments = inputs, states, values, keys, inputs_mask, values_mask, training
        layers = (self, AttentionRNN), (self.attention, BahdanauAttention)
        if covers(self.cell, inputs, training, *layers):
            equations = equations_of(self.cell)
            results = bptt.run_attention(equations, self.cell, self.attention, *arguments)
        else:
            results = run_attention(self.cell, self.attention, *arguments)
        results = (ops.cast(result, self.compute_dtype) for result in results)
        # (batch, target_length, units), (…, value_dim), (…, source_length), (batch, units) each
        outputs, contexts, weights, *states = results
        # At a masked target step nothing was attended to. The outputs repeat the step before.
        contexts = attach_mask(zero_padding(contexts, inputs_mask), inputs_mask)
        weights = zero_padding(weights, inputs_mask)
        return attach_mask(outputs, inputs_mask), contexts, weights, *states

    def _read(self, inputs, values, initial_state, keys, inputs_mask, values_mask):
        """Check the arguments and return the states as a list, the masks as booleans."""
        sizes = {"features": self._features, "value_dim": self._value_dim}
        check_tensor("inputs", inputs, _INPUTS, sizes=sizes)
        check_tensor("values", values, _VALUES, sizes=sizes)
        if keys is not None:
            # Another attention may have no `units`; its keys may then have any width.
            sizes["units"] = getattr(self.attention, "units", None)
            check_tensor("keys", keys, "batch source_length units", sizes=sizes)
        if initial_state is not None:
            batch = sizes["batch"]
            initial_state = check_states("initial_state", initial_state, self.state_size, batch)
        inputs_mask = read_mask(inputs_mask, inputs, "inputs_mask")
        return initial_state, inputs_mask, read_mask(values_mask, values, "values_mask")

    def get_initial_state(self, batch_size):
        """Return the initial states of the cell in a flat list, each `(batch, units)`."""
        if hasattr(self.cell, "get_initial_state"):
            return keras.tree.flatten(self.cell.get_initial_state(batch_size=batch_size))
        return [ops.zeros((batch_size, size), dtype=self.compute_dtype) for size in self.state_size]

    def compute_mask(self, inputs, inputs_mask):
        # Outputs and contexts are sequences of the target; the weights end in the source axis, and
        # the states have no time axis.
        return [inputs_mask, inputs_mask, None, *[None for _ in self.state_size]]

    def compute_output_shape(
        self, inputs_shape, values_shape, initial_state_shape=None, keys_shape=None
    ):
        batch, target_length = inputs_shape[:2]
        return (
            (batch, target_length, output_size(self.cell)),  # outputs
            (batch, target_length, values_shape[-1]),  # contexts
            (batch, target_length, values_shape[1]),  # attention weights
            *[(batch, size) for size in self.state_size],  # final states
        )

    def get_config(self):
        return {
            **super().get_config(),
            "cell": keras.saving.serialize_keras_object(self.cell),
            "attention": keras.saving.serialize_keras_object(self.attention),
        }

    @classmethod
    def from_config(cls, config):
        config = dict(config)
        for name in ("cell", "attention"):
            config[name] = keras.saving.deserialize_keras_object(config[name])
        return cls(**config)


def _check_attention(attention):
    """Raise ValueError unless `attention` is a layer with a method `project`."""
    if not isinstance(attention, keras.layers.Layer) or not hasattr(attention, "project"):
        raise ValueError(
            "`attention` must be a BahdanauAttention, or a layer with the same call and a method "
            f"`project(values)`. Received: attention={attention!r}"
        )
