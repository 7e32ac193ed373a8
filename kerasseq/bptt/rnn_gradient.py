"""A cell over a sequence, forward, and backpropagation through time."""

from typing import NamedTuple

import tensorflow as tf

from kerasseq.bptt.time_loop import (
    forbid_second_gradient,
    previous,
    scan,
    step_of,
    times_transposed,
    weight_gradient,
    where_real,
)


def run_rnn(equations, projected, first, recurrent_kernel, mask=None):
    """Run a cell over time.

        forward:          z_t = projected_t + h_{t−1} U        state_t = step(z_t, state_{t−1})
        backward:         δz_t = step_back(∂L/∂state_t)        ∂L/∂h_{t−1} = δz_t Uᵀ
        after the loop:   ∂L/∂U = Σ_t h_{t−1}ᵀ δz_t            ∂L/∂projected_t = δz_t

    Args:
        equations: The module `kerasseq.bptt.rnn_step` or `kerasseq.bptt.lstm_step`.
        projected: x_t W + b of all steps, `(length, batch, gates * units)`.
        first: List of `(batch, units)`: h_0, or h_0 and C_0.
        recurrent_kernel: U, `(units, gates * units)`.
        mask: Boolean `(length, batch, 1)`, or None. At a masked step the state stays as it is.

    Returns:
        `(h, state)`: h of all steps, `(length, batch, units)`, and the final state as a list.
    """

    @tf.custom_gradient
    def run(projected, recurrent_kernel, *first):
        last, trace = _forward(
            equations, projected, equations.State(*first), recurrent_kernel, mask
        )

        def back(dh, *d_last):
            d_last = equations.State(*d_last)
            gradients = _backward(equations, trace, dh, d_last, recurrent_kernel, mask)
            return forbid_second_gradient(*gradients)

        return (trace.states.h, *last), back

    h, *last = run(projected, recurrent_kernel, *first)
    return h, last


class _Trace(NamedTuple):
    """What the forward pass keeps for the backward pass, of all steps: `(length, batch, …)`."""

    states: NamedTuple  # the state after each step
    previous: NamedTuple  # the state before each step
    saved: list  # what `step` saved


def _forward(equations, projected, first, recurrent_kernel, mask):
    """Return the final state and the trace."""

    def step(t, state):
        z = projected[t] + tf.matmul(state.h, recurrent_kernel)  # (batch, gates * units)
        new, saved = equations.step(z, state)
        new = where_real(mask, t, new, state)
        return new, [*new, *saved]

    batch, units = first.h.shape
    shapes = [(batch, units)] * len(first)
    if equations.SAVED:
        shapes.append((batch, equations.SAVED * units))
    last, written = scan(step, first, tf.shape(projected)[0], shapes)
    states, saved = equations.State(*written[: len(first)]), written[len(first) :]
    before = equations.State(*map(previous, first, states))
    return last, _Trace(states, before, saved)


def _backward(equations, trace, dh, d_last, recurrent_kernel, mask):
    """Return the gradients of `projected`, of U and of the first state.

    Args:
        dh: ∂L/∂h_t by way of the output of each step, `(length, batch, units)`.
        d_last: The gradient of the final state.
    """

    def step_back(t, d_state):
        # h_t reaches the loss by two ways: through the output of step t and through step t + 1.
        d_state = d_state._replace(h=d_state.h + dh[t])
        states = step_of(t, trace.states), step_of(t, trace.previous), step_of(t, trace.saved)
        dz, direct = equations.step_back(d_state, *states)
        dz = where_real(mask, t, dz, tf.zeros_like(dz))
        d_previous = equations.State(times_transposed(dz, recurrent_kernel), *direct)  # δz_t Uᵀ
        # At padding the state was handed on as it is, and so is its gradient.
        return where_real(mask, t, d_previous, d_state), [dz]

    batch, width = trace.states.h.shape[1], recurrent_kernel.shape[1]
    d_first, [dz] = scan(step_back, d_last, tf.shape(dh)[0], [(batch, width)], backward=True)
    return dz, weight_gradient(trace.previous.h, dz), *d_first  # ∂L/∂U = Σ_t h_{t−1}ᵀ δz_t
