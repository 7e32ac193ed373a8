"""One step of long short-term memory, forward and backward: section 3.3.2 of the chapter."""

from typing import NamedTuple

import tensorflow as tf

SAVED = 4  # the four gates side by side: the step backward needs them


class State(NamedTuple):
    """What a step hands to the next step, or the gradient of it."""

    h: tf.Tensor  # hidden state, (batch, units)
    c: tf.Tensor  # cell state, (batch, units)


def step(z, previous):
    """Take one step forward.

    Args:
        z: z_t = x_t W + h_{t−1} U + b of the four gates side by side, `(batch, 4 * units)`.
        previous: The `State` after step t − 1.

    Returns:
        `(state, saved)`: the `State` after step t, and a list of what `step_back` will need.
    """
    z_i, z_f, z_c, z_o = tf.split(z, 4, axis=-1)  # (batch, units) each
    i = tf.sigmoid(z_i)  # input gate
    f = tf.sigmoid(z_f)  # forget gate
    candidate = tf.tanh(z_c)  # C~_t
    o = tf.sigmoid(z_o)  # output gate
    c = f * previous.c + i * candidate  # C_t = f ⊙ C_{t−1} + i ⊙ C~_t
    h = o * tf.tanh(c)  # h_t = o ⊙ tanh(C_t)
    return State(h, c), [tf.concat([i, f, candidate, o], axis=-1)]  # (batch, 4 * units)


def step_back(d_state, state, previous, saved):
    """Take the step backward.

    Args:
        d_state: ∂L/∂h_t and ∂L/∂C_t, as a `State`.
        state, previous: The `State` after steps t and t − 1.
        saved: What `step` saved.

    Returns:
        `(δz_t, direct)`: `direct` has ∂L/∂C_{t−1}. It passes through no matrix: this is the highway
        on which gradients survive hundreds of steps.
    """
    i, f, candidate, o = tf.split(saved[0], 4, axis=-1)  # (batch, units) each
    dh, tanh_c = d_state.h, tf.tanh(state.c)

    # C_t reaches the loss by two ways: through C_{t+1} (d_state.c) and through h_t.
    dc = d_state.c + dh * o * (1 - tanh_c * tanh_c)  # + ∂L/∂h_t ⊙ o ⊙ (1 − tanh² C_t)

    # Each gate: gradient of its value, times the slope of its non-linearity.
    dz_i = dc * candidate * i * (1 - i)  # ∂C_t/∂i = C~_t,      σ' = i (1 − i)
    dz_f = dc * previous.c * f * (1 - f)  # ∂C_t/∂f = C_{t−1},   σ' = f (1 − f)
    dz_c = dc * i * (1 - candidate * candidate)  # ∂C_t/∂C~ = i,  tanh' = 1 − C~²
    dz_o = dh * tanh_c * o * (1 - o)  # ∂h_t/∂o = tanh(C_t),     σ' = o (1 − o)
    dz = tf.concat([dz_i, dz_f, dz_c, dz_o], axis=-1)  # (batch, 4 * units)

    return dz, (dc * f,)  # ∂L/∂C_{t−1} = ∂L/∂C_t ⊙ f
