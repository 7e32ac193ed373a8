"""Instruments that look at a network as the chapter does: through time, one step after another."""

import keras
import numpy as np
import tensorflow as tf

from kerasseq.checks import check_cell
from kerasseq.layers import RNN, LSTMCell
from kerasseq.models.view_layers import LSTMGates


def step_jacobians(cell, inputs, initial_state=None):
    """Measure how each state depends on the one before it, along one sequence.

        J_t = ∂s_t / ∂s_{t−1},    ∂s_T / ∂s_t = J_T J_{T−1} … J_{t+1}

    where s_t holds all states of step t side by side: h_t, of an LSTM [h_t, C_t]. The product is
    that of the chapter, section 3.2.2: a gradient that goes back from step T to step t is
    multiplied by it from the left.

    Args:
        cell: A Keras cell, built or not.
        inputs: Array `(length, features)`, one sequence.
        initial_state: Array, or list of arrays, of shape `(units,)`; zeros by default.

    Returns:
        The Jacobians, array `(length, size, size)`: row i of `J[t]` is the gradient of number i of
        s_t. And the states, array `(length, size)`.

    Raises:
        ValueError: If `inputs` is no single sequence.

    Example:
        >>> from kerasseq import RNNCell
        >>> jacobians, states = step_jacobians(RNNCell(3), np.ones((5, 2)))
        >>> jacobians.shape, states.shape
        ((5, 3, 3), (5, 3))
    """
    check_cell(cell)
    inputs, dtype = np.asarray(inputs), cell.compute_dtype
    if inputs.ndim != 2:
        raise ValueError(
            "`inputs` must be one sequence, of shape (length, features). "
            f"Received: inputs.shape={inputs.shape}"
        )
    if not cell.built:
        cell.build((None, inputs.shape[1]))
    sizes = tf.nest.flatten(cell.state_size)
    if initial_state is None:
        initial_state = [np.zeros(size) for size in sizes]
    inputs = tf.cast(inputs, dtype)
    state = tf.concat([tf.cast(one, dtype) for one in tf.nest.flatten(initial_state)], 0)

    def step(inputs, state):
        return tf.concat(cell(inputs, tf.split(state, sizes, axis=1))[1], axis=1)

    states = [state[None]]
    for one in inputs:
        states.append(step(one[None], states[-1]))
    # The states are known, so that all Jacobians can be taken at once: each step is a sample.
    before = tf.concat(states[:-1], axis=0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(before)
        after = step(inputs, before)
    jacobians = tape.batch_jacobian(after, before, experimental_use_pfor=False)
    return jacobians.numpy(), after.numpy()


def input_gradients(model, inputs, targets, embedding=None):
    """Measure how strongly the loss asks each input position to change.

        g_t = ‖∂L / ∂x_t‖        x_t the vector of position t behind the embedding

    of each sample, where L is the mean loss of the batch that the model is compiled with, times the
    number of samples, so that g does not depend on the size of the batch. At a position that is
    padding it is 0.

    Args:
        model: A functional, compiled model.
        inputs: Its input, array or dict.
        targets: What it should say.
        embedding: Name of the embedding layer; by default the first one of the model.

    Returns:
        Float array `(batch, length)`.

    Raises:
        ValueError: If the model has no such embedding layer.
    """
    embeddings = [one for one in model.layers if isinstance(one, keras.layers.Embedding)]
    found = [one for one in embeddings if embedding in (None, one.name)]
    if not found:
        raise ValueError(
            f"`embedding` must be one of {[one.name for one in embeddings]}. "
            f"Received: embedding={embedding!r}"
        )
    inputs = tf.nest.map_structure(tf.convert_to_tensor, inputs)
    # Not a model that begins at the vectors: Keras hangs its nodes on the layers of the old one,
    # which then cannot be saved any more.
    both = keras.Model(model.input, [found[0].output, model.output])
    with tf.GradientTape() as tape:
        tape.watch([weight.value for weight in found[0].weights])  # also if they are frozen
        # `call`, as a model around it would take the input's mask for that of its output.
        vectors, outputs = both.call(inputs)
        loss = model.compute_loss(inputs, targets, outputs)
    gradient = tf.convert_to_tensor(tape.gradient(loss, vectors))
    return tf.norm(gradient, axis=-1).numpy() * len(gradient)


def receptive_field(model, ids):
    """Measure how many of the last positions the output at the last one depends on.

    The ids of each position in turn are exchanged among the sequences, and one looks whether any
    output is another.

    Args:
        model: A model from ids `(batch, length)` to numbers, `(batch, classes)` of the last
            position or `(batch, length, classes)` of all.
        ids: Integer array `(batch, length)`, a handful of different sequences.

    Returns:
        Number of positions from the first that matters to the last; 0 if none does.

    Raises:
        ValueError: If `ids` are not several sequences.
    """
    ids = np.asarray(ids)
    if ids.ndim != 2 or len(ids) < 2:
        raise ValueError(
            "`ids` must be at least two sequences, of shape (batch, length). "
            f"Received: ids.shape={ids.shape}"
        )

    def last_outputs(ids):
        outputs = np.asarray(model(ids))
        return outputs.reshape(len(ids), -1, outputs.shape[-1])[:, -1]

    outputs, length = last_outputs(ids), ids.shape[1]
    for position in range(length):
        exchanged = ids.copy()
        exchanged[:, position] = np.roll(ids[:, position], 1)
        changes = np.abs(last_outputs(exchanged) - outputs).max()
        if changes > 1e-6 * np.abs(outputs).max():
            return length - position
    return 0


def product_norms(jacobians):
    """Return how much of a gradient is left after going back through the steps.

    Args:
        jacobians: Array `(length, size, size)`, as from `step_jacobians`.

    Returns:
        Float array `(length,)`: the spectral norm of ∂s_t / ∂s_1, t = 1 … length: 1 at first.

    Example:
        >>> [round(float(norm), 3) for norm in product_norms(np.full((3, 1, 1), 0.5))]
        [1.0, 0.5, 0.25]
    """
    product = np.eye(jacobians.shape[-1])
    norms = [1.0]
    for jacobian in jacobians[1:].astype("float64"):
        product = jacobian @ product
        norms.append(np.linalg.norm(product, 2))
    return np.array(norms)


def gate_values(model, inputs, layer=None):
    """Measure the gates of an LSTM of any functional model, over its input.

    Args:
        model: A functional model.
        inputs: Its input, array or dict.
        layer: Name of the layer, a `kerasseq.RNN` around an `LSTMCell` that reads forward; by
            default the first.

    Returns:
        Dict of `input_gate`, `forget_gate`, `candidate` and `output_gate`, arrays
        `(batch, length, units)`.

    Raises:
        ValueError: If the model has no such layer.
    """
    layers = [one for one in model.layers if _reads_forward(one)]
    found = [one for one in layers if layer in (None, one.name)]
    if not found:
        raise ValueError(
            "`layer` must be the name of a kerasseq.RNN around an LSTMCell that reads forward, one "
            f"of {[one.name for one in layers]}. Received: layer={layer!r}"
        )
    tensors = tf.nest.flatten(found[0].input)
    states = [one for one in tensors[1:] if one.dtype != "bool"]  # the others are masks
    before = keras.Model(model.input, [tensors[0], *states])
    sequences, *states = tf.nest.flatten(before(inputs))
    gates = LSTMGates(found[0].cell)(sequences, initial_state=states or None)
    return {name: np.asarray(gate) for name, gate in gates.items()}


def _reads_forward(layer):
    return isinstance(layer, RNN) and isinstance(layer.cell, LSTMCell) and not layer.go_backwards
