"""`RecurrentCell`: the arguments, weights, projection and dropout that both cells share."""

import contextlib
import warnings

import keras
from keras import ops

from kerasseq.checks import (
    check_keras_object,
    check_positive_integer,
    check_rate,
    check_shape,
    check_states,
    check_tensor,
)


class RecurrentCell(keras.layers.Layer):
    """Base class of `RNNCell` and `LSTMCell`.

    One step is `step(project(x_t), states)`. `project` needs no earlier step, so a layer calls it
    once for all steps of a sequence; `step` has to wait for the step before.

    A subclass gives its number of `gates`, its `state_size` and its `step`.
    """

    gates = 1  # number of matrices side by side in `kernel` and in `recurrent_kernel`

    def __init__(
        self,
        units,
        activation="tanh",
        use_bias=True,
        kernel_initializer="glorot_uniform",
        recurrent_initializer="orthogonal",
        bias_initializer="zeros",
        kernel_regularizer=None,
        recurrent_regularizer=None,
        bias_regularizer=None,
        kernel_constraint=None,
        recurrent_constraint=None,
        bias_constraint=None,
        dropout=0.0,
        recurrent_dropout=0.0,
        seed=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.units = check_positive_integer("units", units)
        self.activation = check_keras_object(activation=activation)
        self.use_bias = use_bias
        self.kernel_initializer = check_keras_object(kernel_initializer=kernel_initializer)
        self.recurrent_initializer = check_keras_object(recurrent_initializer=recurrent_initializer)
        self.bias_initializer = check_keras_object(bias_initializer=bias_initializer)
        self.kernel_regularizer = check_keras_object(kernel_regularizer=kernel_regularizer)
        self.recurrent_regularizer = check_keras_object(recurrent_regularizer=recurrent_regularizer)
        self.bias_regularizer = check_keras_object(bias_regularizer=bias_regularizer)
        self.kernel_constraint = check_keras_object(kernel_constraint=kernel_constraint)
        self.recurrent_constraint = check_keras_object(recurrent_constraint=recurrent_constraint)
        self.bias_constraint = check_keras_object(bias_constraint=bias_constraint)
        self.dropout = check_rate("dropout", dropout)
        self.recurrent_dropout = check_rate("recurrent_dropout", recurrent_dropout)
        self.seed = seed
        # Its state is a variable: in a graph, too, each call draws other masks.
        self.seed_generator = keras.random.SeedGenerator(seed)
        self.output_size = self.units
        self.kept_masks = None  # dropout masks (inputs, h_prev) while `keep_masks` is open

    def build(self, inputs_shape=None, states_shape=None):
        check_shape("inputs", inputs_shape, "batch features", sizes={})
        # The matrices of all gates stand side by side: one product computes all gates.
        width = self.gates * self.units
        # W, (features, gates * units)
        self.kernel = self.add_weight(
            name="kernel",
            shape=(inputs_shape[-1], width),
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        # U, (units, gates * units)
        self.recurrent_kernel = self.add_weight(
            name="recurrent_kernel",
            shape=(self.units, width),
            initializer=self.recurrent_initializer,
            regularizer=self.recurrent_regularizer,
            constraint=self.recurrent_constraint,
        )
        # b, (gates * units,)
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                name="bias",
                shape=(width,),
                initializer=self._initial_bias,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )

    def _initial_bias(self, shape, dtype=None):
        return self.bias_initializer(shape, dtype=dtype)

    def project(self, inputs, first_row=0):
        """Return x W + b, the part of a step that needs no earlier step.

        Args:
            inputs: Tensor of shape `(…, features)`: one step or a whole sequence.
            first_row: Kernel row of the first feature. To project the features in parts, add the
                results; only the part with `first_row=0` adds the bias.

        Returns:
            Tensor of shape `(…, gates * units)`.
        """
        # In mixed precision the weights are float32 and the products float16 or bfloat16.
        kernel = ops.cast(self.kernel, self.compute_dtype)
        inputs = ops.cast(inputs, self.compute_dtype)
        # (…, features) times (features, gates * units)
        projected = ops.matmul(inputs, kernel[first_row : first_row + inputs.shape[-1]])
        if self.bias is not None and first_row == 0:
            projected = projected + ops.cast(self.bias, self.compute_dtype)
        return projected

    def recur(self, h_prev, recurrent_mask=None):
        """Return h_{t−1} U, shape `(…, gates * units)`; a dropout mask applies to h_{t−1}."""
        kernel = ops.cast(self.recurrent_kernel, self.compute_dtype)
        return ops.matmul(self.drop(h_prev, recurrent_mask), kernel)

    def step(self, projected, states, recurrent_mask=None):
        """Advance the state by one step: the serial part.

        Args:
            projected: `project(x_t)`, shape `(batch, gates * units)`.
            states: State after step t − 1, a list of `(batch, units)`.
            recurrent_mask: Dropout mask on h_{t−1}, shape `(batch, units)`, or None.

        Returns:
            `(h, states)`: output and state after step t.
        """
        raise NotImplementedError

    def call(self, inputs, states, training=False):
        sizes = {"features": self.kernel.shape[0]}
        check_tensor("inputs", inputs, "batch features", sizes=sizes)
        state_sizes = keras.tree.flatten(self.state_size)
        states = check_states("states", states, state_sizes, sizes["batch"])
        if self.kept_masks is not None:  # a layer runs the sequence and has drawn the masks
            input_mask, recurrent_mask = self.kept_masks
        else:  # a single step, called by a user or by `keras.layers.RNN`
            if training and (self.dropout or self.recurrent_dropout):
                warnings.warn(
                    f"{self.name}: a cell that is called step by step, as keras.layers.RNN does, "
                    "draws new dropout masks at every step. kerasseq.RNN keeps one mask per "
                    "sequence.",
                    stacklevel=2,
                )
            input_mask = self.input_mask(inputs, training)
            recurrent_mask = self.recurrent_mask(states[0], training)
        projected = self.project(self.drop(inputs, input_mask))  # (batch, gates * units)
        return self.step(projected, states, recurrent_mask)

    @contextlib.contextmanager
    def keep_masks(self, batch_size, training):
        """Draw the dropout masks once; every `call` inside the `with` block uses them.

        Inside the block, `kept_masks` holds the masks of `inputs` and of `h_prev`; a mask is None
        without dropout.
        """
        features = self.kernel.shape[0]
        # Only the shapes and the dtype of these two tensors matter.
        inputs = ops.ones((batch_size, features), self.compute_dtype)
        h_prev = ops.ones((batch_size, self.units), self.compute_dtype)
        self.kept_masks = self.input_mask(inputs, training), self.recurrent_mask(h_prev, training)
        try:
            yield
        finally:  # also after an error, or the next call would drop with these masks
            self.kept_masks = None

    def input_mask(self, inputs, training):
        """Return a new dropout mask of the shape of `inputs`, or None if nothing is dropped."""
        return self._draw_mask(inputs, self.dropout if training else 0.0)

    def recurrent_mask(self, h_prev, training):
        """Return a new dropout mask of the shape of `h_prev`, or None if nothing is dropped."""
        return self._draw_mask(h_prev, self.recurrent_dropout if training else 0.0)

    def _draw_mask(self, like, rate):
        if not rate:
            return None
        # Dropout of ones: 0 where a feature is dropped, 1 / (1 − rate) where it is kept.
        return keras.random.dropout(ops.ones_like(like), rate, seed=self.seed_generator)

    @staticmethod
    def drop(tensor, mask):
        """Return `tensor` times a dropout mask; a mask of None changes nothing."""
        return tensor if mask is None else ops.multiply(tensor, mask)

    def get_initial_state(self, batch_size=None):
        """Return the state before the first step: a list of zeros, each `(batch, units)`."""
        sizes = self.state_size if isinstance(self.state_size, list) else [self.state_size]
        return [ops.zeros((batch_size, size), dtype=self.compute_dtype) for size in sizes]

    def get_config(self):
        return {
            **super().get_config(),
            "units": self.units,
            "activation": keras.activations.serialize(self.activation),
            "use_bias": self.use_bias,
            "kernel_initializer": keras.initializers.serialize(self.kernel_initializer),
            "recurrent_initializer": keras.initializers.serialize(self.recurrent_initializer),
            "bias_initializer": keras.initializers.serialize(self.bias_initializer),
            "kernel_regularizer": keras.regularizers.serialize(self.kernel_regularizer),
            "recurrent_regularizer": keras.regularizers.serialize(self.recurrent_regularizer),
            "bias_regularizer": keras.regularizers.serialize(self.bias_regularizer),
            "kernel_constraint": keras.constraints.serialize(self.kernel_constraint),
            "recurrent_constraint": keras.constraints.serialize(self.recurrent_constraint),
            "bias_constraint": keras.constraints.serialize(self.bias_constraint),
            "dropout": self.dropout,
            "recurrent_dropout": self.recurrent_dropout,
            "seed": self.seed,
        }
