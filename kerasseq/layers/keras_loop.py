"""The loop over time."""

import keras
from keras import ops

from kerasseq.masks import zero_padding


class _Step:
    """What `keras.layers.RNN` asks of a cell, around a plain function."""

    def __init__(self, function, state_size):
        self.function = function
        self.state_size = state_size

    def call(self, inputs, states):
        return self.function(inputs, states)

    __call__ = call


def run(function, sequences, states, mask, zero_output_for_mask=False, **options):
    """Run `function(x_t, states) -> (output, states)` over time, as `keras.layers.RNN` runs a cell.

    The loop is Keras' own, borrowed from a layer that is thrown away: it runs and trains on every
    backend, with XLA and without. The states are a list of `(batch, units)`.
    """
    if sequences.shape[1] == 1:
        return run_once(function, sequences, states, mask)
    if mask is None:
        return _run(function, sequences, states, mask, options)
    last, outputs, states = _run_masked(function, sequences, states, mask, options)
    if zero_output_for_mask:
        # Not by Keras: unrolled, its loops forget it.
        mask = mask if options.get("return_sequences") else mask[:, -1:]
        outputs = zero_padding(outputs, mask)
        last = outputs[:, -1]
    return last, outputs, states


def _run(function, sequences, states, mask, options):
    step = _Step(function, [state.shape[-1] for state in states])
    loop = keras.layers.RNN(step, name="loop", **options)  # a name, or it would use up "rnn_1", …
    return loop.inner_loop(sequences, states, mask)


def _run_masked(function, sequences, states, mask, options):
    if keras.backend.backend() != "jax":
        return _run(function, sequences, states, mask, options)

    # At masked steps Keras repeats the previous output. On JAX it takes the first state for it,
    # which that need not be, neither at first nor in a stack of cells. So here it becomes one.
    def step(inputs, states):
        output, states = function(inputs, states[1:])
        return output, [output, *states]

    output, _ = function(sequences[:, 0], states)  # for its shape
    states = [ops.zeros_like(output), *states]
    last, outputs, states = _run(step, sequences, states, mask, options)
    return last, outputs, states[1:]


def run_once(function, sequences, states, mask):
    """Take the only step of a sequence of length 1, as in decoding, without a loop."""
    output, new_states = function(sequences[:, 0], states)
    if mask is not None:  # (batch, 1)
        output = ops.where(mask, output, ops.zeros_like(output))
        new_states = [ops.where(mask, *pair) for pair in zip(new_states, states, strict=True)]
    return output, ops.expand_dims(output, 1), new_states
