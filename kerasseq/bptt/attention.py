"""One look at the source, and what it means for the gradients, section 3.4.3 of the chapter."""

import tensorflow as tf

from kerasseq.attention import masked_softmax


def compare(query, keys):
    """a_i = tanh(s_{t−1} W_a + h_i U_a), of shape `(batch, source_length, attention units)`."""
    return tf.tanh(query[:, None, :] + keys)


def look(query, values, keys, score_kernel, values_mask):
    """Return the context and the attention weights.

    e_i = a_i · v_a        α = softmax(e)        c = Σ_i α_i h_i

    Args:
        query: s_{t−1} W_a, `(batch, attention units)`.
        values: h, `(batch, source_length, value_dim)`.
        keys: h_i U_a, `(batch, source_length, attention units)`.
        score_kernel: v_a, `(attention units,)`.
        values_mask: Boolean `(batch, source_length)`, or None.

    Returns:
        `(c, α)`: `(batch, value_dim)` and `(batch, source_length)`.
    """
    scores = tf.linalg.matvec(compare(query, keys), score_kernel)
    alpha = masked_softmax(scores, values_mask)
    return tf.linalg.matvec(values, alpha, transpose_a=True), alpha


def look_back(d_context, d_alpha, alpha, query, values, keys, score_kernel):
    """Return δa, the gradient of what enters the tanh, and that of v_a.

    ∂L/∂α_i ← ∂L/∂α_i + ∂L/∂c · h_i            δe_i = α_i (∂L/∂α_i − Σ_j α_j ∂L/∂α_j)
    δa_i = δe_i v_a ⊙ (1 − a_i²)               ∂L/∂v_a = Σ_i δe_i a_i

    The a_i are computed again: kept, they would be by far the largest tensor.
    """
    d_alpha = d_alpha + tf.linalg.matvec(values, d_context)
    d_score = alpha * (d_alpha - tf.reduce_sum(alpha * d_alpha, axis=-1, keepdims=True))
    a = compare(query, keys)
    d_a = d_score[:, :, None] * (score_kernel * (1 - a * a))
    return d_a, tf.einsum("bs,bsa->a", d_score, a)
