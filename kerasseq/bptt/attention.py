"""A cell that looks at the source before every step: forward, and back through time."""

import tensorflow as tf

from kerasseq.attention import masked_softmax
from kerasseq.bptt.driver import choose, over_steps, refuse, shifted, through_time


def attend_and_recur(
    cell, projected, states, values, keys, weights, mask=None, values_mask=None, context_drop=None
):
    """Run a cell over time that reads a context at every step.

    Forward, with s the decoder's state, h the values and k_i = h_i U_a the keys:

        a_i = tanh(s_{t−1} W_a + k_i)       e_i = v · a_i       α = softmax(e)      c = Σ_i α_i h_i
        z   = projected_t + c K + s_{t−1} U                     states_t = step(z, states_{t−1})

    Backward, each line the derivative of one above, last first:

        δz   by step_back                                ∂L/∂c   = δz Kᵀ
        ∂L/∂α_i = ∂L/∂c · h_i                            ∂L/∂h_i += α_i ∂L/∂c
        δe_i = α_i (∂L/∂α_i − Σ_j α_j ∂L/∂α_j)           δa_i = δe_i v ⊙ (1 − a_i²)
        ∂L/∂k_i += δa_i          ∂L/∂s_{t−1} = δz Uᵀ + (Σ_i δa_i) W_aᵀ

    The a_i are computed again on the way back: kept, they would be by far the largest tensor.

    Args:
        cell: The module `kerasseq.bptt.rnn` or `kerasseq.bptt.lstm`.
        projected: x_t W + b of all steps, `(length, batch, gates * units)`.
        states: List of `(batch, units)`.
        values: h, `(batch, source_length, value_dim)`.
        keys: k, `(batch, source_length, attention units)`.
        weights: `(U, K, W_a, v)`, of shapes `(units, gates * units)`,
            `(value_dim, gates * units)`, `(units, attention units)` and `(attention units,)`.
        mask: Boolean `(length, batch, 1)`, or None.
        values_mask: Boolean `(batch, source_length)`, or None.
        context_drop: Dropout mask on what the cell reads of c, `(batch, value_dim)`, or None.

    Returns:
        `(s, contexts, attention_weights, states)`: the first three of all steps, time-major.
    """
    recurrent_kernel, context_kernel, query_kernel, score_kernel = weights
    units, width = recurrent_kernel.shape
    batch, length = states[0].shape[0], tf.shape(projected)[0]
    shapes = [(batch, units)] * len(states) + [(batch, cell.KEPT * units)] * bool(cell.KEPT)
    shapes += [(batch, values.shape[-1]), (batch, values.shape[1])]
    drop = (lambda c: c) if context_drop is None else (lambda c: c * context_drop)

    def compare(query, keys):
        return tf.tanh(query[:, None, :] + keys)  # (batch, source_length, attention units)

    @tf.custom_gradient
    def run(projected, values, keys, from_state, context_kernel, score_kernel, *first):
        def step(t, states):
            z, query = tf.split(tf.matmul(states[0], from_state), [width, -1], axis=-1)
            scores = tf.linalg.matvec(compare(query, keys), score_kernel)
            alpha = masked_softmax(scores, values_mask)
            context = tf.linalg.matvec(values, alpha, transpose_a=True)
            z = z + projected[t] + tf.matmul(drop(context), context_kernel)
            new, kept = cell.step(z, states)
            new = choose(mask, t, new, states)
            return new, [*new, *kept, context, alpha]

        last, written = through_time(step, first, length, shapes)
        states, (*kept, contexts, alphas) = written[: len(first)], written[len(first) :]
        before = [shifted(*pair) for pair in zip(first, states, strict=True)]

        def back(d_states, d_contexts, d_alphas, *d_last):
            # Turned once, not in every product: TensorFlow's own does it several times slower.
            turned_from_state, turned_context_kernel = (
                tf.transpose(kernel) for kernel in (from_state, context_kernel)
            )

            def step_back(t, carried):
                d_keys, d_score_kernel, *gradients = carried
                dh = gradients[0] + d_states[t]
                dz, rest = cell.step_back(
                    [dh, *gradients[1:]],
                    [state[t] for state in states],
                    [state[t] for state in before],
                    [one[t] for one in kept],
                )
                [dz] = choose(mask, t, [dz], [tf.zeros_like(dz)])
                dc = drop(tf.matmul(dz, turned_context_kernel)) + d_contexts[t]
                d_alpha = tf.linalg.matvec(values, dc) + d_alphas[t]
                alpha = alphas[t]
                de = alpha * (d_alpha - tf.reduce_sum(alpha * d_alpha, axis=-1, keepdims=True))
                query = tf.matmul(before[0][t], from_state[:, width:])
                a = compare(query, keys)
                da = de[:, :, None] * (score_kernel * (1 - a * a))
                d_from = tf.concat([dz, tf.reduce_sum(da, axis=1)], axis=-1)
                earlier = [tf.matmul(d_from, turned_from_state), *rest]
                if mask is not None:  # padding hands the gradient of the state on as it is
                    earlier[0] = earlier[0] + tf.where(mask[t], tf.zeros_like(dh), dh)
                    earlier[1:] = choose(mask, t, earlier[1:], gradients[1:])
                d_score_kernel = d_score_kernel + tf.einsum("bs,bsa->a", de, a)
                return [d_keys + da, d_score_kernel, *earlier], [d_from, dc]

            begin = [tf.zeros_like(keys), tf.zeros_like(score_kernel), *d_last]
            shapes = [(batch, from_state.shape[1]), (batch, values.shape[-1])]
            (d_keys, d_score_kernel, *gradients), (d_from, dc) = through_time(
                step_back, begin, length, shapes, backwards=True
            )
            dz = d_from[..., :width]
            return refuse(
                dz,
                tf.einsum("tbs,tbd->bsd", alphas, dc),
                d_keys,
                over_steps(before[0], d_from),
                over_steps(drop(contexts), dz),
                d_score_kernel,
                *gradients,
            )

        return (states[0], contexts, alphas, *last), back

    from_state = tf.concat([recurrent_kernel, query_kernel], axis=1)
    s, contexts, alphas, *last = run(
        projected, values, keys, from_state, context_kernel, score_kernel, *states
    )
    return s, contexts, alphas, last
