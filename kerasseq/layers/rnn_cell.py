"""`RNNCell`: one step of the simple recurrent network."""

import keras

from kerasseq.layers.cell import RecurrentCell


@keras.saving.register_keras_serializable(package="kerasseq")
class RNNCell(RecurrentCell):
    """One step of the simple recurrent network of Elman (1990), section 3.2.1 of the chapter.

    The hidden state h is the memory of the network. Each step computes h from the current input
    and the previous state, with the same weights at every step; so a sequence may have any length.

        h_t = tanh(x_t W + h_{t−1} U + b)                                        (3.2.1)

    W is `kernel`, U `recurrent_kernel`, b `bias`, in the shapes of `keras.layers.SimpleRNNCell`:
    weights move between the two with `get_weights` / `set_weights`.

    Args:
        units: Positive integer, the size of h.
        activation: The non-linearity. Default `"tanh"`.
        use_bias: Whether to add b.
        kernel_initializer, recurrent_initializer, bias_initializer: Initial values of W, U and b.
        kernel_regularizer, recurrent_regularizer, bias_regularizer: Penalties on W, U and b.
        kernel_constraint, recurrent_constraint, bias_constraint: Constraints on W, U and b.
        dropout: Rate in [0, 1) at which training drops features of x. `kerasseq.RNN` draws one
            mask per call and sequence and keeps the mask at every step.
        recurrent_dropout: Rate in [0, 1) at which training drops units of h_{t−1}.
        seed: Integer; makes the dropout reproducible.

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
        # projected is x_t W + b; the product with U has to wait for h_{t−1}.
        h = self.activation(projected + self.recur(states[0], recurrent_mask))  # (batch, units)
        return h, [h]
