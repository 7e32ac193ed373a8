"""A cell over a sequence: forward, and backpropagation through time."""

import tensorflow as tf

from kerasseq.bptt.driver import at, choose, over_steps, refuse, shifted, through, through_time


def recur(cell, projected, states, recurrent_kernel, mask=None):
    """Run a cell over time.

        forward:   z_t = projected_t + h_{t−1} U            states_t = step(z_t, states_{t−1})
        backward:  δz_t from ∂L/∂states_t by step_back      ∂L/∂h_{t−1} = δz_t Uᵀ
        after it:  ∂L/∂U = Σ_t h_{t−1}ᵀ δz_t                ∂L/∂projected_t = δz_t

    Args:
        cell: The module `kerasseq.bptt.rnn` or `kerasseq.bptt.lstm`.
        projected: x_t W + b of all steps, `(length, batch, gates * units)`.
        states: List of `(batch, units)`: h_0, or h_0 and C_0.
        recurrent_kernel: U, `(units, gates * units)`.
        mask: Boolean `(length, batch, 1)`, or None.

    Returns:
        `(h, states)`: h of all steps, `(length, batch, units)`, and the final states. At a masked
        step the states stay as they are.
    """
    units, batch, length = recurrent_kernel.shape[0], states[0].shape[0], tf.shape(projected)[0]
    shapes = [(batch, units)] * len(states) + [(batch, cell.KEPT * units)] * bool(cell.KEPT)

    @tf.custom_gradient
    def run(projected, recurrent_kernel, *first):
        def step(t, states):
            z = projected[t] + tf.matmul(states[0], recurrent_kernel)
            new, kept = cell.step(z, states)
            new = choose(mask, t, new, states)
            return new, [*new, *kept]

        last, written = through_time(step, first, length, shapes)
        states, kept = written[: len(first)], written[len(first) :]
        before = [shifted(*pair) for pair in zip(first, states, strict=True)]

        def back(dh_all, *gradients):
            def step_back(t, gradients):
                gradients = [gradients[0] + dh_all[t], *gradients[1:]]
                dz, rest = cell.step_back(gradients, at(t, states), at(t, before), at(t, kept))
                [dz] = choose(mask, t, [dz], [tf.zeros_like(dz)])
                earlier = [through(recurrent_kernel, dz), *rest]
                # Padding hands the gradients of the states on as they are.
                return choose(mask, t, earlier, gradients), [dz]

            gradients, [dz] = through_time(
                step_back, gradients, length, [projected.shape[1:]], backwards=True
            )
            return refuse(dz, over_steps(before[0], dz), *gradients)

        return (states[0], *last), back

    h, *last = run(projected, recurrent_kernel, *states)
    return h, last
