"""A cell that attends to the source before every step, forward and backward through time."""

from typing import NamedTuple

import tensorflow as tf

from kerasseq.bptt.attention_step import attend, attend_back
from kerasseq.bptt.time_loop import (
    forbid_second_gradient,
    previous,
    scan,
    step_of,
    times_transposed,
    weight_gradient,
    where_real,
)


class Weights(NamedTuple):
    """The weights that are used at every step."""

    recurrent_kernel: tf.Tensor  # U, (units, gates * units)
    query_kernel: tf.Tensor  # W_a, (units, attention units)
    context_kernel: tf.Tensor  # K, (value_dim, gates * units)
    score_kernel: tf.Tensor  # v_a, (attention units,)


def run_attention_rnn(
    equations,
    projected,
    first,
    values,
    keys,
    weights,
    mask=None,
    values_mask=None,
    context_dropout=None,
):
    """Run a cell over time that reads a context at every step.

    With s the state of the decoder and h the states of the encoder:

        forward:          c_t, α_t = attend(s_{t−1} W_a)
                          z_t = projected_t + c_t K + s_{t−1} U
                          state_t = step(z_t, state_{t−1})
        backward:         δz_t = step_back(∂L/∂state_t)
                          ∂L/∂c_t ← ∂L/∂c_t + δz_t Kᵀ
                          δa_t = attend_back(∂L/∂c_t)
                          ∂L/∂s_{t−1} = δz_t Uᵀ + (Σ_i δa_{t,i}) W_aᵀ
        after the loop:   ∂L/∂U = Σ_t s_{t−1}ᵀ δz_t    ∂L/∂W_a = Σ_t s_{t−1}ᵀ Σ_i δa_{t,i}
                          ∂L/∂K = Σ_t c_tᵀ δz_t        ∂L/∂h_i = Σ_t α_{t,i} ∂L/∂c_t
                          ∂L/∂keys_i = Σ_t δa_{t,i}    ∂L/∂projected_t = δz_t

    Args:
        equations: The module `kerasseq.bptt.rnn_step` or `kerasseq.bptt.lstm_step`.
        projected: x_t W + b of all steps, `(length, batch, gates * units)`.
        first: List of `(batch, units)`: s_0, or s_0 and C_0.
        values: h, `(batch, source_length, value_dim)`.
        keys: h_i U_a, `(batch, source_length, attention units)`.
        weights: The `Weights`.
        mask: Boolean `(length, batch, 1)`, or None.
        values_mask: Boolean `(batch, source_length)`, or None.
        context_dropout: Dropout mask on the context that the cell reads, `(batch, value_dim)`, or
            None.

    Returns:
        `(s, contexts, attention_weights, state)`: the first three of all steps, time-major, and the
        final state as a list.
    """

    @tf.custom_gradient
    def run(projected, values, keys, *weights_and_first):
        weights = Weights(*weights_and_first[:4])
        first = equations.State(*weights_and_first[4:])
        kernels = tf.concat([weights.recurrent_kernel, weights.query_kernel], axis=1)
        constants = _Constants(
            equations, values, keys, weights, kernels, mask, values_mask, context_dropout
        )
        last, trace = _forward(projected, first, constants)

        def back(ds, d_contexts, d_alphas, *d_last):
            d_last = equations.State(*d_last)
            gradients = _backward(trace, ds, d_contexts, d_alphas, d_last, constants)
            return forbid_second_gradient(*gradients)

        return (trace.states.h, trace.contexts, trace.alphas, *last), back

    s, contexts, alphas, *last = run(projected, values, keys, *weights, *first)
    return s, contexts, alphas, last


class _Constants(NamedTuple):
    """What is the same at every step, as in `run_attention_rnn`."""

    equations: object
    values: tf.Tensor
    keys: tf.Tensor
    weights: Weights
    state_kernels: tf.Tensor  # U and W_a side by side: one product multiplies the state by both
    mask: tf.Tensor | None
    values_mask: tf.Tensor | None
    context_dropout: tf.Tensor | None

    def drop(self, context):
        """Apply the dropout mask to a context, or to the gradient of a context."""
        return context if self.context_dropout is None else context * self.context_dropout


class _Trace(NamedTuple):
    """What the forward pass keeps for the backward pass, of all steps: `(length, batch, …)`."""

    states: NamedTuple  # the state after each step
    previous: NamedTuple  # the state before each step
    saved: list  # what `step` saved
    contexts: tf.Tensor
    alphas: tf.Tensor


def _forward(projected, first, constants):
    """Return the final state and the trace."""
    equations = constants.equations
    batch, units = first.h.shape
    widths = [units] * len(first)
    if equations.SAVED:
        widths.append(equations.SAVED * units)
    widths += [constants.values.shape[-1], constants.values.shape[1]]  # context, attention weights
    last, written = scan(
        lambda t, state: _step(t, state, projected, constants),
        first,
        tf.shape(projected)[0],
        [(batch, width) for width in widths],
    )
    states = equations.State(*written[: len(first)])
    *saved, contexts, alphas = written[len(first) :]
    before = equations.State(*map(previous, first, states))
    return last, _Trace(states, before, saved, contexts, alphas)


def _step(t, state, projected, constants):
    """Take step t forward: attend, then let the cell read input and context."""
    weights = constants.weights
    products = tf.matmul(state.h, constants.state_kernels)
    # s_{t−1} U, (batch, gates * units), and s_{t−1} W_a, (batch, attention units)
    from_state, query = tf.split(products, [weights.recurrent_kernel.shape[1], -1], axis=-1)
    context, alpha = attend(
        query, constants.values, constants.keys, weights.score_kernel, constants.values_mask
    )
    z = from_state + projected[t] + tf.matmul(constants.drop(context), weights.context_kernel)
    new, saved = constants.equations.step(z, state)
    new = where_real(constants.mask, t, new, state)
    return new, [*new, *saved, context, alpha]


def _backward(trace, ds, d_contexts, d_alphas, d_last, constants):
    """Return the gradients of projected, values, keys, U, W_a, K, v_a and the first state.

    Args:
        ds, d_contexts, d_alphas: The gradients of the three results of each step, time-major.
        d_last: The gradient of the final state.
    """
    weights = constants.weights
    widths = weights.recurrent_kernel.shape[1], weights.query_kernel.shape[1]
    widths += (constants.values.shape[-1],)
    # The gradients of keys and v_a are summed in the loop: kept for all steps, they would be large.
    carried = tf.zeros_like(constants.keys), tf.zeros_like(weights.score_kernel), d_last
    carried, (dz, d_query, d_context) = scan(
        lambda t, carried: _step_back(t, carried, trace, ds, d_contexts, d_alphas, constants),
        carried,
        tf.shape(ds)[0],
        [(trace.states.h.shape[1], width) for width in widths],
        backward=True,
    )
    d_keys, d_score_kernel, d_first = carried
    s_prev = trace.previous.h  # (length, batch, units)
    d_weights = Weights(
        recurrent_kernel=weight_gradient(s_prev, dz),  # Σ_t s_{t−1}ᵀ δz_t
        query_kernel=weight_gradient(s_prev, d_query),  # Σ_t s_{t−1}ᵀ Σ_i δa_{t,i}
        context_kernel=weight_gradient(constants.drop(trace.contexts), dz),  # Σ_t c_tᵀ δz_t
        score_kernel=d_score_kernel,
    )
    d_values = tf.einsum("tbs,tbd->bsd", trace.alphas, d_context)  # Σ_t α_{t,i} ∂L/∂c_t
    return dz, d_values, d_keys, *d_weights, *d_first


def _step_back(t, carried, trace, ds, d_contexts, d_alphas, constants):
    """Take step t backward: first through the cell, then through the attention before it."""
    d_keys, d_score_kernel, d_state = carried
    weights, mask = constants.weights, constants.mask
    d_state = d_state._replace(h=d_state.h + ds[t])
    before = step_of(t, trace.previous)

    dz, direct = constants.equations.step_back(
        d_state, step_of(t, trace.states), before, step_of(t, trace.saved)
    )
    dz = where_real(mask, t, dz, tf.zeros_like(dz))
    # ∂L/∂c_t ← ∂L/∂c_t + δz_t Kᵀ
    d_context = d_contexts[t] + constants.drop(times_transposed(dz, weights.context_kernel))

    query = tf.matmul(before.h, weights.query_kernel)  # s_{t−1} W_a, (batch, attention units)
    d_hidden, d_score = attend_back(
        d_context,
        d_alphas[t],
        trace.alphas[t],
        query,
        constants.values,
        constants.keys,
        weights.score_kernel,
    )
    d_query = tf.reduce_sum(d_hidden, axis=1)  # Σ_i δa_{t,i}: each position met the same query

    # ∂L/∂s_{t−1} = δz_t Uᵀ + (Σ_i δa_{t,i}) W_aᵀ, as one product
    d_products = tf.concat([dz, d_query], axis=-1)
    d_before = constants.equations.State(
        times_transposed(d_products, constants.state_kernels), *direct
    )
    # At padding the state was handed on as it is, and so is its gradient.
    d_before = where_real(mask, t, d_before, d_state)
    return (d_keys + d_hidden, d_score_kernel + d_score, d_before), [dz, d_query, d_context]
