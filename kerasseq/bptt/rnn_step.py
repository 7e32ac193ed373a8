"""One step of the simple recurrent cell, forward and backward: section 3.2.2 of the chapter."""

from typing import NamedTuple

import tensorflow as tf

SAVED = 0  # the step backward needs no other tensor than the states


class State(NamedTuple):
    """What a step hands to the next step, or the gradient of it."""

    h: tf.Tensor  # (batch, units)


def step(z, previous):
    """Take one step forward.

    Args:
        z: z_t = x_t W + h_{t−1} U + b, `(batch, units)`.
        previous: The `State` after step t − 1.

    Returns:
        `(state, saved)`: the `State` after step t, and a list of what `step_back` will need.
    """
    h = tf.tanh(z)  # h_t = tanh(z_t)
    return State(h), []


def step_back(d_state, state, previous, saved):
    """Take the step backward.

    Args:
        d_state: ∂L/∂h_t, as a `State`.
        state, previous: The `State` after steps t and t − 1.
        saved: What `step` saved.

    Returns:
        `(δz_t, direct)`: `direct` has the gradients of the previous state that do not pass through
        the matrix U. The simple cell has none: h_{t−1} enters by z_t only.
    """
    dz = d_state.h * (1 - state.h * state.h)  # ∂L/∂z_t = ∂L/∂h_t ⊙ (1 − h_t²), as tanh' = 1 − tanh²
    return dz, ()
