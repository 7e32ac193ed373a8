"""The step of long short-term memory and its step back, section 3.3.2 of the chapter."""

import tensorflow as tf

KEPT = 4  # the four gates


def step(z, states):
    """Advance h and C.

    i, f, o = σ(z_i), σ(z_f), σ(z_o)    C~ = tanh(z_c)
    C_t = f ⊙ C_{t−1} + i ⊙ C~          h_t = o ⊙ tanh(C_t)
    """
    _, c_prev = states
    z_i, z_f, z_c, z_o = tf.split(z, 4, axis=-1)
    i, f, candidate, o = tf.sigmoid(z_i), tf.sigmoid(z_f), tf.tanh(z_c), tf.sigmoid(z_o)
    c = f * c_prev + i * candidate
    h = o * tf.tanh(c)
    return [h, c], [tf.concat([i, f, candidate, o], axis=-1)]


def step_back(gradients, states, states_prev, kept):
    """Return δz_t and the part of ∂L/∂C_{t−1} that runs along the cell state.

    ∂L/∂C_t  ←  ∂L/∂C_t + ∂L/∂h_t ⊙ o ⊙ (1 − tanh² C_t)
    δz_i = ∂L/∂C_t ⊙ C~      ⊙ i (1 − i)        δz_c = ∂L/∂C_t ⊙ i         ⊙ (1 − C~²)
    δz_f = ∂L/∂C_t ⊙ C_{t−1} ⊙ f (1 − f)        δz_o = ∂L/∂h_t ⊙ tanh(C_t) ⊙ o (1 − o)
    ∂L/∂C_{t−1} = ∂L/∂C_t ⊙ f
    """
    dh, dc = gradients
    i, f, candidate, o = tf.split(kept[0], 4, axis=-1)
    tanh_c = tf.tanh(states[1])
    dc = dc + dh * o * (1 - tanh_c * tanh_c)
    dz_i = dc * candidate * i * (1 - i)
    dz_f = dc * states_prev[1] * f * (1 - f)
    dz_c = dc * i * (1 - candidate * candidate)
    dz_o = dh * tanh_c * o * (1 - o)
    return tf.concat([dz_i, dz_f, dz_c, dz_o], axis=-1), [dc * f]
