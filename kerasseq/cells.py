"""One time step of a recurrent network: `RNNCell` and `LSTMCell`.

A step splits into a part that needs no earlier step, `project`, and a serial part, `step`. The
first is one matrix product for a whole sequence; only the second has to wait for its predecessor.
"""

import warnings

import keras
from keras import ops


class RecurrentCell(keras.layers.Layer):
    """What the two cells share: arguments, weights, projection and dropout.

    A subclass names its number of `gates`, its `state_size`, and its serial part `step`.
    """

    gates = 1

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
        if isinstance(units, bool) or not isinstance(units, int) or units <= 0:
            raise ValueError(f"`units` must be a positive integer. Received: units={units!r}")
        for name, rate in (("dropout", dropout), ("recurrent_dropout", recurrent_dropout)):
            if not 0 <= rate < 1:
                raise ValueError(f"`{name}` must be a rate in [0, 1). Received: {name}={rate!r}")
        self.units = units
        self.activation = keras.activations.get(activation)
        self.use_bias = use_bias
        self.kernel_initializer = keras.initializers.get(kernel_initializer)
        self.recurrent_initializer = keras.initializers.get(recurrent_initializer)
        self.bias_initializer = keras.initializers.get(bias_initializer)
        self.kernel_regularizer = keras.regularizers.get(kernel_regularizer)
        self.recurrent_regularizer = keras.regularizers.get(recurrent_regularizer)
        self.bias_regularizer = keras.regularizers.get(bias_regularizer)
        self.kernel_constraint = keras.constraints.get(kernel_constraint)
        self.recurrent_constraint = keras.constraints.get(recurrent_constraint)
        self.bias_constraint = keras.constraints.get(bias_constraint)
        self.dropout = dropout
        self.recurrent_dropout = recurrent_dropout
        self.seed = seed
        self.seed_generator = keras.random.SeedGenerator(seed)
        self.output_size = units

    def build(self, input_shape):
        width = self.gates * self.units
        self.kernel = self.add_weight(
            name="kernel",
            shape=(input_shape[-1], width),
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        self.recurrent_kernel = self.add_weight(
            name="recurrent_kernel",
            shape=(self.units, width),
            initializer=self.recurrent_initializer,
            regularizer=self.recurrent_regularizer,
            constraint=self.recurrent_constraint,
        )
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
        """Multiply inputs by the kernel: the part of a step that needs no earlier step.

        Args:
            inputs: Tensor of shape `(…, features)`: one step or a whole sequence.
            first_row: The kernel row that the first feature meets. The features may come in parts,
                each with its own rows, and the projections be added; row 0 brings the bias.

        Returns:
            Tensor of shape `(…, gates * units)`.
        """
        kernel = ops.cast(self.kernel, self.compute_dtype)
        inputs = ops.cast(inputs, self.compute_dtype)
        projected = ops.matmul(inputs, kernel[first_row : first_row + inputs.shape[-1]])
        if self.bias is not None and first_row == 0:
            projected = projected + ops.cast(self.bias, self.compute_dtype)
        return projected

    def recur(self, h_prev, recurrent_mask=None):
        """Return h_{t−1} U, shape `(…, gates * units)`, with dropout if a mask is given."""
        kernel = ops.cast(self.recurrent_kernel, self.compute_dtype)
        return ops.matmul(self.drop(h_prev, recurrent_mask), kernel)

    def step(self, projected, states, recurrent_mask=None):
        """Advance the state by one step: the serial part.

        Args:
            projected: `project(x_t)`, shape `(batch, gates * units)`.
            states: The state after step t − 1, a list of `(batch, units)`.
            recurrent_mask: Dropout mask on h_{t−1}, shape `(batch, units)`, or None.

        Returns:
            `(h, states)`: the output and the state after step t.
        """
        raise NotImplementedError

    def call(self, inputs, states, training=False):
        if training and (self.dropout or self.recurrent_dropout):
            warnings.warn(
                f"{self.name}: called step by step, as by keras.layers.RNN or in a stack of cells, "
                "dropout is drawn anew at every step. A kerasseq.RNN around this one cell keeps "
                "one mask for a whole sequence.",
                stacklevel=2,
            )
        h_prev = states[0]
        inputs = self.drop(inputs, self.input_mask(inputs, training))
        return self.step(self.project(inputs), states, self.recurrent_mask(h_prev, training))

    def input_mask(self, inputs, training):
        """Draw a dropout mask shaped like `inputs`, or None when nothing is to be dropped."""
        return self._draw_mask(inputs, self.dropout if training else 0.0)

    def recurrent_mask(self, h_prev, training):
        """Draw a dropout mask shaped like `h_prev`, or None when nothing is to be dropped."""
        return self._draw_mask(h_prev, self.recurrent_dropout if training else 0.0)

    def _draw_mask(self, like, rate):
        if not rate:
            return None
        return keras.random.dropout(ops.ones_like(like), rate, seed=self.seed_generator)

    @staticmethod
    def drop(tensor, mask):
        """Apply a drawn mask, or none."""
        return tensor if mask is None else ops.multiply(tensor, mask)

    def get_initial_state(self, batch_size=None):
        """Return the state before the first step: zeros of shape `(batch, units)` each."""
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


@keras.saving.register_keras_serializable(package="kerasseq")
class RNNCell(RecurrentCell):
    """One step of the simple recurrent network of Elman (1990), section 3.2.1 of the chapter.

    The hidden state is the network's memory: a function of the current input and of the state
    before, with the same weights at every step, so that a sequence may have any length.

        h_t = tanh(x_t W + h_{t−1} U + b)                                        (3.2.1)

    W is `kernel`, U `recurrent_kernel`, b `bias`, in the shapes of `keras.layers.SimpleRNNCell`:
    weights move between the two with `get_weights` / `set_weights`.

    Args:
        units: Positive integer, the size of h.
        activation: The non-linearity. Default `"tanh"`.
        use_bias: Whether to add b.
        kernel_initializer, recurrent_initializer, bias_initializer: How W, U and b begin.
        kernel_regularizer, recurrent_regularizer, bias_regularizer: Penalties on them.
        kernel_constraint, recurrent_constraint, bias_constraint: Constraints on them.
        dropout: Rate in [0, 1) at which features of x are dropped in training. Under `kerasseq.RNN`
            one mask is drawn per call and sequence and stays the same at every step.
        recurrent_dropout: The same for h_{t−1}.
        seed: Integer, makes the dropout reproducible.

    Call arguments:
        inputs: x_t, shape `(batch, features)`.
        states: `[h_prev]`, each `(batch, units)`.
        training: Whether dropout is active.

    Returns:
        `(h, [h])`, each `(batch, units)`.

    Raises:
        ValueError: If `units` is not a positive integer or a rate is outside [0, 1).

    Example:
        >>> cell = RNNCell(4)
        >>> h, states = cell(keras.ops.ones((2, 3)), [keras.ops.zeros((2, 4))])
        >>> h.shape
        TensorShape([2, 4])

    References:
        - Elman (1990), Finding structure in time.
    """

    gates = 1

    @property
    def state_size(self):
        return self.units

    def step(self, projected, states, recurrent_mask=None):
        h = self.activation(projected + self.recur(states[0], recurrent_mask))
        return h, [h]


@keras.saving.register_keras_serializable(package="kerasseq")
class LSTMCell(RecurrentCell):
    """One step of long short-term memory, section 3.3 of the chapter.

    Beside the hidden state h runs the cell state C. Between two steps C is only multiplied by the
    forget gate and added to, so that its gradient does not pass through a matrix at every step.

        i_t  = σ(x_t W_i + h_{t−1} U_i + b_i)        input gate                  (3.3.1)
        f_t  = σ(x_t W_f + h_{t−1} U_f + b_f)        forget gate
        C~_t = tanh(x_t W_c + h_{t−1} U_c + b_c)     candidate
        o_t  = σ(x_t W_o + h_{t−1} U_o + b_o)        output gate
        C_t  = f_t ⊙ C_{t−1} + i_t ⊙ C~_t
        h_t  = o_t ⊙ tanh(C_t)

    The four matrices stand side by side in the order i, f, c, o, as in `keras.layers.LSTMCell`:
    weights move between the two with `get_weights` / `set_weights`.

    Args:
        units: Positive integer, the size of h and of C.
        activation: The non-linearity of C~ and of the output. Default `"tanh"`.
        recurrent_activation: The non-linearity of the gates. Default `"sigmoid"`.
        use_bias: Whether to add the biases.
        unit_forget_bias: Begin with b_f = 1: a fresh cell remembers (Jozefowicz et al. 2015).
        kernel_initializer, recurrent_initializer, bias_initializer: How W, U and b begin.
        kernel_regularizer, recurrent_regularizer, bias_regularizer: Penalties on them.
        kernel_constraint, recurrent_constraint, bias_constraint: Constraints on them.
        dropout: Rate in [0, 1) at which features of x are dropped in training. Under `kerasseq.RNN`
            one mask is drawn per call and sequence, the same at every step and for all gates.
        recurrent_dropout: The same for h_{t−1}.
        seed: Integer, makes the dropout reproducible.

    Call arguments:
        inputs: x_t, shape `(batch, features)`.
        states: `[h_prev, c_prev]`, each `(batch, units)`, in this order.
        training: Whether dropout is active.

    Returns:
        `(h, [h, c])`, each `(batch, units)`.

    Raises:
        ValueError: If `units` is not a positive integer or a rate is outside [0, 1).

    Example:
        >>> cell = LSTMCell(4)
        >>> h, (h, c) = cell(keras.ops.ones((2, 3)), cell.get_initial_state(2))
        >>> c.shape
        TensorShape([2, 4])

    References:
        - Hochreiter & Schmidhuber (1997), Long short-term memory.
        - Gers, Schmidhuber & Cummins (2000), Learning to forget: the forget gate.
    """

    gates = 4

    def __init__(
        self,
        units,
        activation="tanh",
        recurrent_activation="sigmoid",
        use_bias=True,
        unit_forget_bias=True,
        **kwargs,
    ):
        super().__init__(units, activation=activation, use_bias=use_bias, **kwargs)
        self.recurrent_activation = keras.activations.get(recurrent_activation)
        self.unit_forget_bias = unit_forget_bias

    @property
    def state_size(self):
        return [self.units, self.units]

    def _initial_bias(self, shape, dtype=None):
        if not self.unit_forget_bias:
            return self.bias_initializer(shape, dtype=dtype)
        begin, end = self.units, 2 * self.units
        drawn = self.bias_initializer(shape, dtype=dtype)
        return ops.concatenate([drawn[:begin], ops.ones_like(drawn[begin:end]), drawn[end:]])

    def step(self, projected, states, recurrent_mask=None):
        gates = self.gate_values(projected, states[0], recurrent_mask)
        c = gates["forget_gate"] * states[1] + gates["input_gate"] * gates["candidate"]
        h = gates["output_gate"] * self.activation(c)
        return h, [h, c]

    def gate_values(self, projected, h_prev, recurrent_mask=None):
        """Return the gates by name, for one step or, given all h_{t−1}, for all steps at once.

        Args:
            projected: `project(inputs)`, shape `(…, 4 * units)`.
            h_prev: The output of the step before, shape `(…, units)`.
            recurrent_mask: Dropout mask on h_prev, or None.

        Returns:
            Dict of `input_gate`, `forget_gate`, `candidate`, `output_gate`, each `(…, units)`.
        """
        z = projected + self.recur(h_prev, recurrent_mask)
        i, f, candidate, o = ops.split(z, 4, axis=-1)
        return {
            "input_gate": self.recurrent_activation(i),
            "forget_gate": self.recurrent_activation(f),
            "candidate": self.activation(candidate),
            "output_gate": self.recurrent_activation(o),
        }

    def get_config(self):
        return {
            **super().get_config(),
            "recurrent_activation": keras.activations.serialize(self.recurrent_activation),
            "unit_forget_bias": self.unit_forget_bias,
        }
