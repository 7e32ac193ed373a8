"""`LSTMCell`: one step of long short-term memory."""

import keras
from keras import ops

from kerasseq.checks import check_keras_object
from kerasseq.layers.cell import RecurrentCell


@keras.saving.register_keras_serializable(package="kerasseq")
class LSTMCell(RecurrentCell):
    """One step of long short-term memory, section 3.3 of the chapter.

    The cell has two states: the hidden state h and the cell state C. From one step to the next, C
    is multiplied by the forget gate and added to. The gradient of C passes through no matrix.

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
        unit_forget_bias: Begin with b_f = 1: an untrained cell remembers (Jozefowicz et al. 2015).
        kernel_initializer, recurrent_initializer, bias_initializer: Initial values of W, U and b.
        kernel_regularizer, recurrent_regularizer, bias_regularizer: Penalties on W, U and b.
        kernel_constraint, recurrent_constraint, bias_constraint: Constraints on W, U and b.
        dropout: Rate in [0, 1) at which training drops features of x. `kerasseq.RNN` draws one
            mask per call and sequence and keeps the mask at every step and for all gates.
        recurrent_dropout: Rate in [0, 1) at which training drops units of h_{t−1}.
        seed: Integer; makes the dropout reproducible.

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
        kernel_initializer="glorot_uniform",
        recurrent_initializer="orthogonal",
        bias_initializer="zeros",
        unit_forget_bias=True,
        **kwargs,
    ):
        super().__init__(
            units,
            activation,
            use_bias,
            kernel_initializer,
            recurrent_initializer,
            bias_initializer,
            **kwargs,
        )
        self.recurrent_activation = check_keras_object(recurrent_activation=recurrent_activation)
        self.unit_forget_bias = unit_forget_bias

    @property
    def state_size(self):
        return [self.units, self.units]  # h and C

    def _initial_bias(self, shape, dtype=None):
        if not self.unit_forget_bias:
            return self.bias_initializer(shape, dtype=dtype)
        # The gates lie in the order i, f, c, o: the forget gate is the second part.
        i, f, c, o = ops.split(self.bias_initializer(shape, dtype=dtype), 4)
        return ops.concatenate([i, ops.ones_like(f), c, o])

    def step(self, projected, states, recurrent_mask=None):
        h_prev, c_prev = states  # (batch, units) each
        gates = self.gate_values(projected, h_prev, recurrent_mask)
        # C_t = f_t ⊙ C_{t−1} + i_t ⊙ C~_t
        c = gates["forget_gate"] * c_prev + gates["input_gate"] * gates["candidate"]
        # h_t = o_t ⊙ tanh(C_t)
        h = gates["output_gate"] * self.activation(c)
        return h, [h, c]

    def gate_values(self, projected, h_prev, recurrent_mask=None):
        """Return the gates by name: of one step or, given h_{t−1} of all steps, of all steps.

        Args:
            projected: `project(inputs)`, shape `(…, 4 * units)`.
            h_prev: The output of the step before, shape `(…, units)`.
            recurrent_mask: Dropout mask on h_prev, or None.

        Returns:
            Dict of `input_gate`, `forget_gate`, `candidate`, `output_gate`, each `(…, units)`.
        """
        z = projected + self.recur(h_prev, recurrent_mask)  # (…, 4 * units)
        i, f, candidate, o = ops.split(z, 4, axis=-1)  # (…, units) each
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
