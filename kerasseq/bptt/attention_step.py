"""One step of Bahdanau attention, forward and backward: section 3.4.3 of the chapter."""

import tensorflow as tf

from kerasseq.masks import masked_softmax


def attend(query, values, keys, score_kernel, values_mask):
    """Compare a query with all source positions and return the context.

    Args:
        query: s_{t−1} W_a, `(batch, attention units)`.
        values: h, `(batch, source_length, value_dim)`.
        keys: h_i U_a, `(batch, source_length, attention units)`.
        score_kernel: v_a, `(attention units,)`.
        values_mask: Boolean `(batch, source_length)`, or None.

    Returns:
        `(c, α)`: context `(batch, value_dim)` and attention weights `(batch, source_length)`.
    """
    hidden = _hidden(query, keys)  # (batch, source_length, attention units)
    scores = tf.linalg.matvec(hidden, score_kernel)  # e_i = a_i · v_a, (batch, source_length)
    alpha = masked_softmax(scores, values_mask)  # α = softmax(e)
    context = tf.linalg.matvec(values, alpha, transpose_a=True)  # c = Σ_i α_i h_i
    return context, alpha


def attend_back(d_context, d_alpha, alpha, query, values, keys, score_kernel):
    """Take the attention step backward.

    Args:
        d_context: ∂L/∂c, `(batch, value_dim)`.
        d_alpha: ∂L/∂α by way of the returned weights, `(batch, source_length)`.
        alpha: α.
        query, values, keys, score_kernel: As in `attend`.

    Returns:
        `(δa, ∂L/∂v_a)`: the gradient of what enters the tanh, `(batch, source_length, attention
        units)`, and that of the score kernel, `(attention units,)`.
    """
    # α_i reaches the loss as a result and through the context: ∂c/∂α_i = h_i.
    d_alpha = d_alpha + tf.linalg.matvec(values, d_context)  # (batch, source_length)
    # Softmax: ∂L/∂e_i = α_i (∂L/∂α_i − Σ_j α_j ∂L/∂α_j)
    d_scores = alpha * (d_alpha - tf.reduce_sum(alpha * d_alpha, axis=-1, keepdims=True))
    # a is computed again: kept for all steps, it would be by far the largest tensor.
    hidden = _hidden(query, keys)
    # ∂e_i/∂a_i = v_a, and tanh' = 1 − tanh²
    d_hidden = d_scores[:, :, None] * (score_kernel * (1 - hidden * hidden))
    d_score_kernel = tf.einsum("bs,bsa->a", d_scores, hidden)  # Σ_i ∂L/∂e_i a_i
    return d_hidden, d_score_kernel


def _hidden(query, keys):
    """Return a_i = tanh(s_{t−1} W_a + h_i U_a), `(batch, source_length, attention units)`."""
    return tf.tanh(query[:, None, :] + keys)
