"""What the layers must compute, as plain loops in NumPy float64: slow, and meant to be read.

A cell here is a function `cell(inputs, states) -> (output, states)`; masks are True at real steps.
"""

import keras
import numpy as np
import tensorflow as tf


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x):
    exponentials = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return exponentials / np.sum(exponentials, axis=-1, keepdims=True)


def rnn_cell(kernel, recurrent_kernel, bias):
    def cell(x, states):
        [h_prev] = states
        h = np.tanh(x @ kernel + h_prev @ recurrent_kernel + bias)
        return h, [h]

    return cell


def lstm_cell(kernel, recurrent_kernel, bias):
    # One matrix per gate, in the order in which they stand side by side.
    w_i, w_f, w_c, w_o = np.split(kernel, 4, axis=1)
    u_i, u_f, u_c, u_o = np.split(recurrent_kernel, 4, axis=1)
    b_i, b_f, b_c, b_o = np.split(bias, 4)

    def cell(x, states):
        h_prev, c_prev = states
        input_gate = sigmoid(x @ w_i + h_prev @ u_i + b_i)
        forget_gate = sigmoid(x @ w_f + h_prev @ u_f + b_f)
        candidate = np.tanh(x @ w_c + h_prev @ u_c + b_c)
        output_gate = sigmoid(x @ w_o + h_prev @ u_o + b_o)
        c = forget_gate * c_prev + input_gate * candidate
        h = output_gate * np.tanh(c)
        return h, [h, c]

    return cell


def stacked(cells, counts):
    """Return cells on top of each other as one, whose states lie in the order of the cells."""

    def cell(x, states):
        new = []
        for one, count in zip(cells, counts, strict=True):
            x, states_of_one = one(x, states[:count])
            states, new = states[count:], [*new, *states_of_one]
        return x, new

    return cell


def run(cell, sequences, states, mask=None):
    """Return the outputs of all steps, `(batch, length, units)`, and the final states."""
    batch, length = sequences.shape[:2]
    if mask is None:
        mask = np.ones((batch, length), dtype=bool)
    outputs, previous = [], np.zeros_like(states[0])
    for t in range(length):
        output, new_states = cell(sequences[:, t], states)
        real = mask[:, t, None]
        states = [np.where(real, new, old) for new, old in zip(new_states, states, strict=True)]
        previous = np.where(real, output, previous)
        outputs.append(previous)
    return np.stack(outputs, axis=1), states


def attention(query, values, weights, mask=None):
    """Return the context and the attention weights for one query a sentence, `(batch, dim)`."""
    query_kernel, key_kernel, score_kernel = weights
    batch, length, value_dim = values.shape
    context, found = np.zeros((batch, value_dim)), np.zeros((batch, length))
    for b in range(batch):
        real = np.arange(length) if mask is None else np.flatnonzero(mask[b])
        if len(real) == 0:
            continue
        hidden = [np.tanh(query[b] @ query_kernel + values[b, i] @ key_kernel) for i in real]
        found[b, real] = softmax(np.array([h @ score_kernel[:, 0] for h in hidden]))
        for i in real:
            context[b] += found[b, i] * values[b, i]
    return context, found


def attention_rnn(
    cell, weights, inputs, values, states, inputs_mask=None, values_mask=None, query=0
):
    """Return outputs, contexts, attention weights and the final states.

    State number `query` asks; it is as wide as the output.
    """
    batch, target_length = inputs.shape[:2]
    if inputs_mask is None:
        inputs_mask = np.ones((batch, target_length), dtype=bool)
    outputs, contexts, found, previous = [], [], [], np.zeros_like(states[query])
    for t in range(target_length):
        context, alpha = attention(states[query], values, weights, values_mask)
        output, new_states = cell(np.concatenate([inputs[:, t], context], axis=-1), states)
        real = inputs_mask[:, t, None]
        states = [np.where(real, new, old) for new, old in zip(new_states, states, strict=True)]
        previous = np.where(real, output, previous)
        outputs.append(previous)
        contexts.append(np.where(real, context, 0))
        found.append(np.where(real, alpha, 0))
    return np.stack(outputs, 1), np.stack(contexts, 1), np.stack(found, 1), *states


def token_losses(ids, logits, label_smoothing=0.0):
    """Return the cross-entropy of every token with the smoothed target written out."""
    vocab_size = logits.shape[-1]
    target = (1 - label_smoothing) * np.eye(vocab_size)[ids] + label_smoothing / vocab_size
    return -np.sum(target * np.log(softmax(logits)), axis=-1)


def mean_over_real(losses, mask):
    return np.sum(losses * mask) / np.sum(mask)


def randomize(layer, seed=0):
    """Give all weights random values, biases and gates included, and return the layer."""
    rng = np.random.default_rng(seed)
    layer.set_weights([rng.normal(0, 0.5, weight.shape) for weight in layer.weights])
    return layer


def normal(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def flat(results):
    return [np.asarray(result) for result in keras.tree.flatten(results)]


def weights_of(layer):
    return [np.asarray(weight, dtype="float64") for weight in layer.get_weights()]


def assert_close(actual, expected, tolerance=1e-5):
    """Compare, with a tolerance relative to the largest entry."""
    actual, expected = np.asarray(actual, "float64"), np.asarray(expected, "float64")
    assert actual.shape == expected.shape
    largest = max(1.0, float(np.max(np.abs(expected), initial=0)))
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance * largest)


def assert_all_close(actual, expected, tolerance=1e-5):
    for one, other in zip(flat(actual), flat(expected), strict=True):
        assert_close(one, other, tolerance)


def assert_gradients(loss, variables, step=1e-6):
    """Compare the tape with the slope of `loss()` along one random direction per variable."""
    with tf.GradientTape() as tape:
        value = loss()
    gradients = tape.gradient(value, variables)
    rng = np.random.default_rng(0)
    for variable, gradient in zip(variables, gradients, strict=True):
        assert gradient is not None, f"no gradient reaches {variable.name}"
        direction = rng.normal(size=variable.shape)
        variable.assign_add(step * direction)
        above = float(loss())
        variable.assign_sub(2 * step * direction)
        below = float(loss())
        variable.assign_add(step * direction)
        slope = (above - below) / (2 * step)
        assert abs(slope) > 1e-3
        np.testing.assert_allclose(np.sum(gradient * direction), slope, rtol=1e-5)
