"""A cell that looks at the source before every step: forward, and back through time."""

from typing import NamedTuple

import tensorflow as tf

from kerasseq.bptt.attention import look, look_back
from kerasseq.bptt.driver import at, choose, over_steps, refuse, shifted, through, through_time


def attend_and_recur(
    cell, projected, states, values, keys, weights, mask=None, values_mask=None, context_drop=None
):
    """Run a cell over time that reads a context at every step.

    With s the decoder's state and h the encoder's:

        forward:   c_t from s_{t−1} by look
                   z_t = projected_t + c_t K + s_{t−1} U     states_t = step(z_t, states_{t−1})
        backward:  δz_t from ∂L/∂states_t by step_back       ∂L/∂c_t ← ∂L/∂c_t + δz_t Kᵀ
                   δa_t from ∂L/∂c_t by look_back
                   ∂L/∂s_{t−1} = δz_t Uᵀ + (Σ_i δa_{t,i}) W_aᵀ
        after it:  ∂L/∂U = Σ_t s_{t−1}ᵀ δz_t    ∂L/∂W_a = Σ_t s_{t−1}ᵀ Σ_i δa_{t,i}
                   ∂L/∂K = Σ_t c_tᵀ δz_t        ∂L/∂h_i = Σ_t α_{t,i} ∂L/∂c_t
                   ∂L/∂keys_i = Σ_t δa_{t,i}    ∂L/∂projected_t = δz_t

    Args:
        cell: The module `kerasseq.bptt.rnn` or `kerasseq.bptt.lstm`.
        projected: x_t W + b of all steps, `(length, batch, gates * units)`.
        states: List of `(batch, units)`.
        values: h, `(batch, source_length, value_dim)`.
        keys: `(batch, source_length, attention units)`.
        weights: `(U, W_a, K, v_a)`, of shapes `(units, gates * units)`, `(units, attention units)`,
            `(value_dim, gates * units)` and `(attention units,)`.
        mask: Boolean `(length, batch, 1)`, or None.
        values_mask: Boolean `(batch, source_length)`, or None.
        context_drop: Dropout mask on what the cell reads of c, `(batch, value_dim)`, or None.

    Returns:
        `(s, contexts, attention_weights, states)`: the first three of all steps, time-major.
    """
    drop = (lambda c: c) if context_drop is None else (lambda c: c * context_drop)

    @tf.custom_gradient
    def run(projected, values, keys, *weights_and_states):
        weights, first = weights_and_states[:4], list(weights_and_states[4:])
        state_kernel = tf.concat(weights[:2], axis=1)
        same = _Same(cell, values, keys, *weights, mask, values_mask, drop, state_kernel)
        last, seen = _forward(projected, first, same)

        def back(d_states, d_contexts, d_alphas, *d_last):
            return refuse(*_back(seen, d_states, d_contexts, d_alphas, d_last, same))

        return (seen.states[0], seen.contexts, seen.alphas, *last), back

    s, contexts, alphas, *last = run(projected, values, keys, *weights, *states)
    return s, contexts, alphas, last


class _Same(NamedTuple):
    """What is the same at every step, under the names of `attend_and_recur`."""

    cell: object
    values: tf.Tensor
    keys: tf.Tensor
    recurrent_kernel: tf.Tensor  # U
    query_kernel: tf.Tensor  # W_a
    context_kernel: tf.Tensor  # K
    score_kernel: tf.Tensor  # v_a
    mask: tf.Tensor | None
    values_mask: tf.Tensor | None
    drop: object
    state_kernel: tf.Tensor  # U and W_a side by side: both multiply the state, one product does


class _Seen(NamedTuple):
    """What the way forward leaves for the way back, all time-major."""

    states: list
    before: list
    kept: list
    contexts: tf.Tensor
    alphas: tf.Tensor


def _forward(projected, first, same):
    """Return the final states, and what was seen on the way."""
    (batch, units), kept = first[0].shape, same.cell.KEPT
    widths = [units] * len(first) + [kept * units] * bool(kept)
    widths += [same.values.shape[-1], same.values.shape[1]]
    last, written = through_time(
        lambda t, states: _step(t, states, projected, same),
        first,
        tf.shape(projected)[0],
        [(batch, width) for width in widths],
    )
    states, (*kept, contexts, alphas) = written[: len(first)], written[len(first) :]
    before = [shifted(*pair) for pair in zip(first, states, strict=True)]
    return last, _Seen(states, before, kept, contexts, alphas)


def _back(seen, d_states, d_contexts, d_alphas, d_last, same):
    """Return the gradients of projected, values, keys, U, W_a, K, v_a and the first states."""
    kernels = same.recurrent_kernel, same.query_kernel
    widths = [kernel.shape[1] for kernel in kernels] + [same.values.shape[-1]]
    carried, (dz, d_query, d_context) = through_time(
        lambda t, carried: _step_back(t, carried, seen, d_states, d_contexts, d_alphas, same),
        [tf.zeros_like(same.keys), tf.zeros_like(same.score_kernel), *d_last],
        tf.shape(d_states)[0],
        [(seen.states[0].shape[1], width) for width in widths],
        backwards=True,
    )
    d_keys, d_score_kernel, *gradients = carried
    s_prev = seen.before[0]
    d_values = tf.einsum("tbs,tbd->bsd", seen.alphas, d_context)
    d_kernels = [over_steps(s_prev, dz), over_steps(s_prev, d_query)]
    d_kernels += [over_steps(same.drop(seen.contexts), dz), d_score_kernel]
    return dz, d_values, d_keys, *d_kernels, *gradients


def _step(t, states, projected, same):
    from_state = tf.matmul(states[0], same.state_kernel)
    z, query = tf.split(from_state, [same.recurrent_kernel.shape[1], -1], axis=-1)
    context, alpha = look(query, same.values, same.keys, same.score_kernel, same.values_mask)
    z = z + projected[t] + tf.matmul(same.drop(context), same.context_kernel)
    new, kept = same.cell.step(z, states)
    new = choose(same.mask, t, new, states)
    return new, [*new, *kept, context, alpha]


def _step_back(t, carried, seen, d_states, d_contexts, d_alphas, same):
    d_keys, d_score_kernel, d_state, *gradients = carried
    gradients = [d_state + d_states[t], *gradients]
    before = at(t, seen.before)
    dz, rest = same.cell.step_back(gradients, at(t, seen.states), before, at(t, seen.kept))
    [dz] = choose(same.mask, t, [dz], [tf.zeros_like(dz)])
    d_context = d_contexts[t] + same.drop(through(same.context_kernel, dz))
    query = tf.matmul(before[0], same.query_kernel)
    looked = query, same.values, same.keys, same.score_kernel
    d_a, d_score = look_back(d_context, d_alphas[t], seen.alphas[t], *looked)
    d_query = tf.reduce_sum(d_a, axis=1)
    earlier = [through(same.state_kernel, tf.concat([dz, d_query], axis=-1)), *rest]
    # Padding hands the gradients of the states on as they are.
    earlier = choose(same.mask, t, earlier, gradients)
    return [d_keys + d_a, d_score_kernel + d_score, *earlier], [dz, d_query, d_context]
