"""The simple recurrent step and its step back, section 3.2.2 of the chapter."""

import tensorflow as tf

KEPT = 0  # nothing has to be kept but the state


def step(z, states):
    """h_t = tanh(z_t)."""
    return [tf.tanh(z)], []


def step_back(gradients, states, states_prev, kept):
    """δz_t = ∂L/∂h_t ⊙ (1 − h_t²)."""
    [dh] = gradients
    [h] = states
    return dh * (1 - h * h), []
