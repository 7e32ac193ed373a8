"""`RNN`: run a cell over a sequence."""

import keras

from kerasseq.cells import RecurrentCell
from kerasseq.masking import attach_mask, read_mask
from kerasseq.recurrence.loop import check_rank, check_states, run


@keras.saving.register_keras_serializable(package="kerasseq")
class RNN(keras.layers.RNN):
    """Run a cell over a sequence, section 3.2.1 of the chapter.

    The layer is a `keras.layers.RNN` in arguments, results and behaviour, and works wherever one
    does, `keras.layers.Bidirectional` included. It differs in three things:

    - The part of a step that needs no earlier step, `cell.project`, is done for all steps at once.
    - Dropout masks are drawn once per call and sequence and stay the same at every step.
    - A mask is not lost when the states are passed: Keras 3 fills in `mask` only for a layer that
      is called with one tensor, so its own layers drop the mask of `sequences` as soon as an
      `initial_state` comes along.

    Args:
        cell: An `RNNCell`, `LSTMCell`, any Keras cell, or a list of cells to be stacked.
        return_sequences: Return the output of every step, not only the last.
        return_state: Return the final states, too.
        go_backwards: Read from the end. The outputs come in the order in which they were made.
        stateful: Begin each batch with the states in which the one before ended.
        unroll: Build one graph node per step instead of a loop.
        zero_output_for_mask: Zero outputs at masked steps; else they repeat the previous output.
        **kwargs: `name`, `dtype` and so on of `keras.layers.Layer`.

    Call arguments:
        sequences: Shape `(batch, length, features)`.
        initial_state: List of `(batch, units)` in the order of the cell's states: `[h]`, `[h, c]`.
        mask: Shape `(batch, length)`, True = a real step. Keras fills it in.
        training: Whether dropout is active.
        sequences_mask: The same as `mask`, under the name that Keras fills in when the layer is
            called with several tensors. A `mask` given by hand goes before it.

    Returns:
        The output, `(batch, units)` or `(batch, length, units)`, then, with `return_state`, the
        final states: `output, h` or `output, h, c`, each `(batch, units)`.

    Masking: at a masked step the state stays as it is and the previous output is repeated. A
    sequence that is all padding ends in its initial state, with zero outputs.

    Raises:
        ValueError: If a rank, a state or a mask does not fit.

    Example:
        >>> sequence, h, c = RNN(LSTMCell(4), return_sequences=True, return_state=True)(
        ...     keras.ops.ones((2, 5, 3)))
        >>> sequence.shape
        TensorShape([2, 5, 4])
    """

    def build(self, sequences_shape, initial_state_shape=None):
        check_rank("sequences", sequences_shape)
        super().build(sequences_shape, initial_state_shape)

    def compute_output_spec(
        self, sequences, initial_state=None, mask=None, training=False, sequences_mask=None
    ):
        # A symbolic call goes by shapes alone and does not reach `call` and its checks.
        self._read(sequences, initial_state, sequences_mask if mask is None else mask)
        return super().compute_output_spec(sequences, initial_state)

    def call(self, sequences, initial_state=None, mask=None, training=False, sequences_mask=None):
        mask = self._read(sequences, initial_state, sequences_mask if mask is None else mask)
        results = super().call(sequences, initial_state=initial_state, mask=mask, training=training)
        if self.return_sequences:
            attach_mask(results[0] if self.return_state else results, mask)
        return results

    def inner_loop(self, sequences, initial_state, mask, training=False):
        cell = self.cell
        if not isinstance(cell, RecurrentCell):
            return super().inner_loop(sequences, initial_state, mask, training=training)
        input_mask = cell.input_mask(sequences[:, :1], training)  # (batch, 1, features)
        recurrent_mask = cell.recurrent_mask(initial_state[0], training)
        return run(
            lambda projected, states: cell.step(projected, states, recurrent_mask),
            cell.project(cell.drop(sequences, input_mask)),  # (batch, length, gates * units)
            initial_state,
            mask,
            return_sequences=self.return_sequences,
            go_backwards=self.go_backwards,
            unroll=self.unroll,
            zero_output_for_mask=self.zero_output_for_mask,
        )

    def _read(self, sequences, initial_state, mask):
        """Check the arguments and return the mask as booleans."""
        check_rank("sequences", sequences.shape)
        if initial_state is not None and all(isinstance(size, int) for size in self.state_size):
            check_states(initial_state, self.state_size)
        return read_mask(mask, sequences, "mask")
