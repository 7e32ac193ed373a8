"""`run`: Keras' own loop over time, around a plain function instead of a cell."""

import keras
from keras import ops

from kerasseq.masks import zero_padding


class _Step:
    """A function in the form of a Keras cell: `call` and `state_size`."""

    def __init__(self, function, state_size):
        self.function = function
        self.state_size = state_size

    def call(self, inputs, states):
        return self.function(inputs, states)

    __call__ = call


def run(function, sequences, states, mask, zero_output_for_mask=False, **options):
    """Run `function(x_t, states) -> (output, states)` over time, as `keras.layers.RNN` runs a cell.

    The loop of Keras runs and trains on every backend, with XLA and without. A temporary
    `keras.layers.RNN` lends it.

    Args:
        function: One step. Output and states are `(batch, width)` each.
        sequences: `(batch, length, features)`.
        states: Flat list of `(batch, units)`.
        mask: Boolean `(batch, length)`, True = a real step, or None.
        zero_output_for_mask: Zero the outputs at masked steps.
        **options: `return_sequences` and `unroll` of `keras.layers.RNN`.

    Returns:
        `(last output, outputs, states)`. Without `return_sequences` the outputs have length 1.
    """
    if sequences.shape[1] == 1:
        return run_once(function, sequences, states, mask)
    if mask is None:
        return _run(function, sequences, states, mask, options)
    last, outputs, states = _run_masked(function, sequences, states, mask, options)
    if zero_output_for_mask:
        # Keras would do so, too, but its unrolled loops ignore the option.
        mask = mask if options.get("return_sequences") else mask[:, -1:]
        outputs = zero_padding(outputs, mask)
        last = outputs[:, -1]
    return last, outputs, states


def _run(function, sequences, states, mask, options):
    step = _Step(function, [state.shape[-1] for state in states])
    # Without a name, the temporary layer would use up one of Keras' automatic names "rnn_1", …
    loop = keras.layers.RNN(step, name="loop", **options)
    return loop.inner_loop(sequences, states, mask)


def _run_masked(function, sequences, states, mask, options):
    if keras.backend.backend() != "jax":
        return _run(function, sequences, states, mask, options)

    # At masked steps Keras' JAX loop repeats states[0] in place of the previous output. It is the
    # output neither before the first step nor in a stack of cells. So we prepend the output to the
    # states, and states[0] is the previous output.
    def step(inputs, states):
        output, states = function(inputs, states[1:])
        return output, [output, *states]

    output, _ = function(sequences[:, 0], states)  # only the shape is used
    states = [ops.zeros_like(output), *states]
    last, outputs, states = _run(step, sequences, states, mask, options)
    return last, outputs, states[1:]


def run_once(function, sequences, states, mask):
    """Run a sequence of length 1, as in decoding, without a loop."""
    output, new_states = function(sequences[:, 0], states)
    if mask is not None:  # (batch, 1)
        # At a masked step the state stays. There is no earlier output to repeat, so it is zero.
        output = ops.where(mask, output, ops.zeros_like(output))
        new_states = [ops.where(mask, *pair) for pair in zip(new_states, states, strict=True)]
    return output, ops.expand_dims(output, 1), new_states
