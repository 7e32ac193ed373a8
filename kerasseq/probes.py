"""Measurements of a network through time: Jacobians, gradients, receptive field, gates."""

import keras
import numpy as np
import tensorflow as tf

from kerasseq.checks import check_cell
from kerasseq.layers import RNN, LSTMCell
from kerasseq.models.view_layers import LSTMGates


def step_jacobians(cell, inputs, initial_state=None):
    """Return the Jacobian of each step of a cell, along one sequence.

        J_t = ∂s_t / ∂s_{t−1},    ∂s_T / ∂s_t = J_T J_{T−1} … J_{t+1}

    s_t holds all states of step t side by side: h_t of an RNN, [h_t, C_t] of an LSTM. The product
    is the product in section 3.2.2 of the chapter: backpropagation multiplies a gradient by it on
    the way from step T back to step t.

    Args:
        cell: A Keras cell, built or not.
        inputs: Array `(length, features)`, one sequence.
        initial_state: Array, or list of arrays, of shape `(units,)`. Default: zeros.

    Returns:
        `(jacobians, states)`: arrays `(length, size, size)` and `(length, size)`. Row i of
        `jacobians[t]` is the gradient of element i of s_t.

    Raises:
        ValueError: If `inputs` is not one sequence.

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
    parts = [tf.cast(part, dtype) for part in tf.nest.flatten(initial_state)]
    initial_state = tf.concat(parts, axis=0)  # (size,)

    def step(inputs, state):
        return tf.concat(cell(inputs, tf.split(state, sizes, axis=1))[1], axis=1)

    states = [initial_state[None]]  # (1, size) each
    for x in inputs:
        states.append(step(x[None], states[-1]))
    # Once all states are known, the steps no longer depend on each other. So all Jacobians come
    # from one call: each step is a sample of the batch.
    before = tf.concat(states[:-1], axis=0)  # (length, size)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(before)
        after = step(inputs, before)
    jacobians = tape.batch_jacobian(after, before, experimental_use_pfor=False)
    return jacobians.numpy(), after.numpy()


def input_gradients(model, inputs, targets, embedding=None):
    """Return the norm of the gradient that reaches each input position.

        g_t = ‖∂L / ∂x_t‖,        x_t the embedding of position t

    L is the mean loss of the batch times the number of samples, so g does not depend on the batch
    size. At padding, g is 0.

    Args:
        model: A functional, compiled model.
        inputs: Input of the model, array or dict.
        targets: Targets of the model.
        embedding: Name of the embedding layer. Default: the first embedding of the model.

    Returns:
        Float array `(batch, length)`.

    Raises:
        ValueError: If the model has no such embedding layer.
    """
    layers = {layer.name: layer for layer in model.layers}
    names = [name for name, layer in layers.items() if isinstance(layer, keras.layers.Embedding)]
    matching = [name for name in names if embedding in (None, name)]
    if not matching:
        raise ValueError(f"`embedding` must be one of {names}. Received: embedding={embedding!r}")
    layer = layers[matching[0]]
    inputs = tf.nest.map_structure(tf.convert_to_tensor, inputs)
    # A new model from the vectors to the outputs would add nodes to the layers of `model`, and
    # `model` could no longer be saved. So the new model begins at the same inputs.
    both = keras.Model(model.input, [layer.output, model.output])
    with tf.GradientTape() as tape:
        tape.watch([weight.value for weight in layer.weights])  # also frozen weights
        # `call` instead of `both(inputs)`, which would give the outputs the mask of the inputs.
        vectors, outputs = both.call(inputs)
        loss = model.compute_loss(inputs, targets, outputs)
    gradient = tf.convert_to_tensor(tape.gradient(loss, vectors))  # (batch, length, features)
    return tf.norm(gradient, axis=-1).numpy() * len(gradient)


def receptive_field(model, ids):
    """Return how far back the output at the last position depends on the input.

    For each position in turn, the sequences exchange their ids at this position. If an output
    changes, the output depends on the position.

    Args:
        model: A model from ids `(batch, length)` to numbers: `(batch, classes)` at the last
            position, or `(batch, length, classes)`.
        ids: Integer array `(batch, length)`, a few different sequences.

    Returns:
        Number of positions from the earliest position that changes the output to the last position;
        0 if no position changes it.

    Raises:
        ValueError: If `ids` holds fewer than two sequences.
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
        change = np.abs(last_outputs(exchanged) - outputs).max()
        if change > 1e-6 * np.abs(outputs).max():  # more than rounding
            return length - position
    return 0


def product_norms(jacobians):
    """Return the norm of the product of the first Jacobians, for every number of steps.

    The norm says how much of a gradient is left after backpropagation through these steps.

    Args:
        jacobians: Array `(length, size, size)`, as from `step_jacobians`.

    Returns:
        Float array `(length,)`: the spectral norm of ∂s_t / ∂s_1 for t = 1 … length. The first
        element is 1.

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
    """Return the gates of an LSTM of any functional model at every step.

    Args:
        model: A functional model.
        inputs: Input of the model, array or dict.
        layer: Name of the layer, a forward `kerasseq.RNN` with an `LSTMCell`. Default: the first
            such layer.

    Returns:
        Dict of `input_gate`, `forget_gate`, `candidate` and `output_gate`, arrays
        `(batch, length, units)`.

    Raises:
        ValueError: If the model has no such layer.
    """
    layers = {each.name: each for each in model.layers if _is_forward_lstm(each)}
    matching = [name for name in layers if layer in (None, name)]
    if not matching:
        raise ValueError(
            "`layer` must be the name of a forward kerasseq.RNN with an LSTMCell, one of "
            f"{list(layers)}. Received: layer={layer!r}"
        )
    lstm = layers[matching[0]]
    # What the layer reads: its sequences, then perhaps states and masks.
    sequences, *others = tf.nest.flatten(lstm.input)
    states = [tensor for tensor in others if tensor.dtype != "bool"]
    sequences, *states = tf.nest.flatten(keras.Model(model.input, [sequences, *states])(inputs))
    gates = LSTMGates(lstm.cell)(sequences, initial_state=states or None)
    return {name: np.asarray(gate) for name, gate in gates.items()}


def _is_forward_lstm(layer):
    return isinstance(layer, RNN) and isinstance(layer.cell, LSTMCell) and not layer.go_backwards
