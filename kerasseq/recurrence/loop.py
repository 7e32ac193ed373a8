"""The loop over time, and the checks of what goes into it."""

import keras
from keras import ops


class _Step:
    """What `keras.layers.RNN` asks of a cell, around a plain function."""

    def __init__(self, function, state_size):
        self.function = function
        self.state_size = state_size

    def call(self, inputs, states):
        return self.function(inputs, states)

    __call__ = call


def run(function, sequences, states, mask, **options):
    """Run `function(x_t, states) -> (output, states)` over time, as `keras.layers.RNN` runs a cell.

    The loop is Keras' own, borrowed from a layer that is thrown away: it runs and trains on every
    backend, with XLA and without.
    """
    if sequences.shape[1] == 1:
        return run_once(function, sequences, states, mask)
    step = _Step(function, [state.shape[-1] for state in states])
    loop = keras.layers.RNN(step, name="loop", **options)  # a name, or it would use up "rnn_1", …
    return loop.inner_loop(sequences, states, mask)


def run_once(function, sequences, states, mask):
    """Take the only step of a sequence of length 1, as in decoding, without a loop."""
    output, new_states = function(sequences[:, 0], states)
    if mask is not None:  # (batch, 1)
        output = ops.where(mask, output, ops.zeros_like(output))
        new_states = [ops.where(mask, *pair) for pair in zip(new_states, states, strict=True)]
    return output, ops.expand_dims(output, 1), new_states


def check_rank(name, shape):
    if len(shape) != 3:
        raise ValueError(
            f"`{name}` must have shape (batch, length, features). "
            f"Received: {name}.shape={tuple(shape)}"
        )


def check_states(initial_state, sizes):
    """Raise ValueError unless `initial_state` is one `(batch, size)` tensor for each size."""
    states = initial_state if isinstance(initial_state, (list, tuple)) else [initial_state]
    expected = [("batch", size) for size in sizes]
    received = [tuple(state.shape) for state in states]
    fits = len(received) == len(expected) and all(
        len(shape) == 2 and shape[-1] in (None, size)
        for shape, size in zip(received, sizes, strict=True)
    )
    if not fits:
        described = ", ".join(f"({batch}, {size})" for batch, size in expected)
        raise ValueError(
            f"`initial_state` must hold {len(expected)} states of shape {described}. "
            f"Received: initial_state of shape {received}"
        )
