"""A cell that looks at the source before every step: forward, and back through time."""

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

    U and W_a lie side by side, as both multiply the state: one product a step instead of two.

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
    units, width = weights[0].shape
    batch, length = states[0].shape[0], tf.shape(projected)[0]
    shapes = [(batch, units)] * len(states) + [(batch, cell.KEPT * units)] * bool(cell.KEPT)
    shapes += [(batch, values.shape[-1]), (batch, values.shape[1])]
    drop = (lambda c: c) if context_drop is None else (lambda c: c * context_drop)

    @tf.custom_gradient
    def run(projected, values, keys, *weights_and_states):
        recurrent_kernel, query_kernel, context_kernel, score_kernel, *first = weights_and_states
        state_kernel = tf.concat([recurrent_kernel, query_kernel], axis=1)

        def step(t, states):
            from_state = tf.matmul(states[0], state_kernel)
            z, query = tf.split(from_state, [width, -1], axis=-1)
            context, alpha = look(query, values, keys, score_kernel, values_mask)
            z = z + projected[t] + tf.matmul(drop(context), context_kernel)
            new, kept = cell.step(z, states)
            new = choose(mask, t, new, states)
            return new, [*new, *kept, context, alpha]

        last, written = through_time(step, first, length, shapes)
        states, (*kept, contexts, alphas) = written[: len(first)], written[len(first) :]
        before = [shifted(*pair) for pair in zip(first, states, strict=True)]

        def back(d_states, d_contexts, d_alphas, *d_last):
            def step_back(t, carried):
                d_keys, d_score_kernel, d_state, *gradients = carried
                gradients = [d_state + d_states[t], *gradients]
                dz, rest = cell.step_back(gradients, at(t, states), at(t, before), at(t, kept))
                [dz] = choose(mask, t, [dz], [tf.zeros_like(dz)])
                d_context = d_contexts[t] + drop(through(context_kernel, dz))
                query = tf.matmul(before[0][t], query_kernel)
                d_a, d_score = look_back(
                    d_context, d_alphas[t], alphas[t], query, values, keys, score_kernel
                )
                d_query = tf.reduce_sum(d_a, axis=1)
                d_from_state = tf.concat([dz, d_query], axis=-1)
                earlier = [through(state_kernel, d_from_state), *rest]
                # Padding hands the gradients of the states on as they are.
                earlier = choose(mask, t, earlier, gradients)
                carried = [d_keys + d_a, d_score_kernel + d_score, *earlier]
                return carried, [dz, d_query, d_context]

            begin = [tf.zeros_like(keys), tf.zeros_like(score_kernel), *d_last]
            widths = width, query_kernel.shape[1], values.shape[-1]
            carried, (dz, d_query, d_context) = through_time(
                step_back, begin, length, [(batch, size) for size in widths], backwards=True
            )
            d_keys, d_score_kernel, *gradients = carried
            return refuse(
                dz,
                tf.einsum("tbs,tbd->bsd", alphas, d_context),
                d_keys,
                over_steps(before[0], dz),
                over_steps(before[0], d_query),
                over_steps(drop(contexts), dz),
                d_score_kernel,
                *gradients,
            )

        return (states[0], contexts, alphas, *last), back

    s, contexts, alphas, *last = run(projected, values, keys, *weights, *states)
    return s, contexts, alphas, last
