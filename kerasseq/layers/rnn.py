"""`RNN`: run a cell over a sequence."""

import contextlib

import keras
from keras import ops

from kerasseq import bptt
from kerasseq.checks import (
    check_built_cell,
    check_cell,
    check_shape,
    check_states,
    check_tensor,
)
from kerasseq.layers.cell import RecurrentCell
from kerasseq.layers.cell_stack import cells_of, check_output, nest, state_sizes
from kerasseq.layers.exact import is_exactly, keeps
from kerasseq.layers.fast_path import covers, equations_of
from kerasseq.layers.keras_loop import run
from kerasseq.masks import assert_in_graph, attach_mask, read_mask, zero_padding

_SEQUENCES = "batch length features"


@keras.saving.register_keras_serializable(package="kerasseq")
class RNN(keras.layers.RNN):
    """Run a cell over a sequence, section 3.2.1 of the chapter.

    The layer is a `keras.layers.RNN` in arguments, results and behaviour, and works wherever that
    layer works, also inside `keras.layers.Bidirectional`. It differs in four points:

    - `cell.project`, the part of a step that needs no earlier step, runs once for all steps.
    - Dropout masks are drawn once per call and sequence and stay the same at every step.
    - The mask arrives together with an `initial_state`. Keras 3 fills in `mask` only for a layer
      that is called with one tensor; its own layers lose the mask of `sequences` when states come
      along.
    - With `go_backwards` the output mask is reversed as the outputs are. Keras' own layers pass the
      mask on unreversed, and the next layer takes padding for real steps.

    Args:
        cell: An `RNNCell`, `LSTMCell`, any Keras cell, or a list of cells to be stacked.
        return_sequences: Return the output of every step, not only of the last step.
        return_state: Return the final states, too.
        go_backwards: Read from the end. The outputs come in the order of reading.
        stateful: Begin each batch with the final states of the previous batch. Under JAX, as with
            Keras' own layers, this holds for direct calls only; `fit` and `predict` begin anew.
        unroll: Build one graph node per step instead of a loop.
        zero_output_for_mask: Zero the outputs at masked steps instead of repeating the previous
            output.
        **kwargs: `name`, `dtype` and so on of `keras.layers.Layer`.

    Call arguments:
        sequences: Shape `(batch, length, features)`.
        initial_state: List of `(batch, units)` in the order of the cell's states: `[h]`, `[h, c]`.
        mask: Shape `(batch, length)`, True = a real step. Keras fills it in.
        training: Whether dropout is active.
        sequences_mask: The mask under the name that Keras fills in when the layer is called with
            several tensors. An explicit `mask` takes precedence.

    Returns:
        The output, `(batch, units)` or `(batch, length, units)`, then, with `return_state`, the
        final states: `output, h` or `output, h, c`, each `(batch, units)`.

    Masking: a masked step keeps the state and repeats the previous output. A sequence of padding
    alone ends in its initial state, with zero outputs.

    Raises:
        ValueError: If a rank, a state or a mask does not fit.

    Example:
        >>> sequence, h, c = RNN(LSTMCell(4), return_sequences=True, return_state=True)(
        ...     keras.ops.ones((2, 5, 3)))
        >>> sequence.shape
        TensorShape([2, 5, 4])
    """

    def __init__(
        self,
        cell,
        return_sequences=False,
        return_state=False,
        go_backwards=False,
        stateful=False,
        unroll=False,
        zero_output_for_mask=False,
        **kwargs,
    ):
        for single in cell if isinstance(cell, (list, tuple)) else [cell]:
            check_cell(single)
        super().__init__(
            cell,
            return_sequences=return_sequences,
            return_state=return_state,
            go_backwards=go_backwards,
            stateful=stateful,
            unroll=unroll,
            zero_output_for_mask=zero_output_for_mask,
            **kwargs,
        )
        self._features = None

    def build(self, sequences_shape=None, initial_state_shape=None):
        check_shape("sequences", sequences_shape, _SEQUENCES, sizes={})
        self._features = sequences_shape[-1]
        super().build(sequences_shape, initial_state_shape)
        check_built_cell(cells_of(self.cell)[0], self._features)

    def compute_output_spec(
        self, sequences, initial_state=None, mask=None, training=False, sequences_mask=None
    ):
        # Keras infers the shapes of a symbolic call without `call`, so the checks stand here, too.
        self._read(sequences, initial_state, sequences_mask if mask is None else mask)
        return super().compute_output_spec(sequences, initial_state)

    def call(self, sequences, initial_state=None, mask=None, training=False, sequences_mask=None):
        mask = sequences_mask if mask is None else mask
        sequences, initial_state, mask = self._read(sequences, initial_state, mask)
        # A masked step changes no state, but NaN at padding would spoil the gradients: 0 · NaN.
        sequences = zero_padding(sequences, mask)
        # One dropout mask per sequence: the cells keep theirs until the loop has ended.
        with contextlib.ExitStack() as stack:
            for cell in cells_of(self.cell):
                if isinstance(cell, RecurrentCell):
                    stack.enter_context(cell.keep_masks(ops.shape(sequences)[0], training))
            results = super().call(sequences, initial_state, mask=mask, training=training)
        # (batch, length, units) or (batch, units); then (batch, units) for each state
        output, *states = results if self.return_state else [results]
        if self.return_sequences:
            output = attach_mask(output, self._output_mask(mask))
        return (output, *nest(self.cell, states)) if self.return_state else output

    def compute_mask(self, sequences, mask):
        # With an initial state, Keras passes a list of masks: of the sequences, then of each state.
        return super().compute_mask(sequences, self._output_mask(keras.tree.flatten(mask)[0]))

    def _output_mask(self, mask):
        # Reversed outputs need a reversed mask.
        return ops.flip(mask, axis=1) if self.go_backwards and mask is not None else mask

    def inner_loop(self, sequences, initial_state, mask, training=False):
        """Run the loop over time; `keras.layers.RNN.call` calls this method.

        Returns:
            `(last output, outputs, final states)`, as Keras expects them.
        """
        states = keras.tree.flatten(initial_state)
        if self.stateful:
            # The stored states change in place after the call, which PyTorch's gradients forbid.
            states = [ops.copy(state) for state in states]
        if self.go_backwards:
            sequences, mask = ops.flip(sequences, axis=1), self._output_mask(mask)
        is_stack = is_exactly(self.cell, keras.layers.StackedRNNCells)
        cells = self.cell.cells if is_stack else [self.cell]
        if not all(keeps(cell, RecurrentCell, "call") for cell in cells):
            # The step of an unknown cell, such as a GRU, is its whole `call`.
            return self._run(self._step, sequences, states, mask, self.return_sequences)
        # Layer by layer, each over the whole sequence: the numbers are the same as step by step,
        # and `project` of each layer runs once.
        finals = []
        for cell in cells:
            count, is_top = len(state_sizes(cell)), cell is cells[-1]
            first, states = states[:count], states[count:]  # of this cell, of the cells above
            run_layer = self._run_projected
            if not self.unroll and covers(cell, sequences, training, (self, RNN)):
                run_layer = self._run_written_out
            # The cell above reads every output: (batch, length, units).
            every_step = self.return_sequences or not is_top
            last, sequences, final = run_layer(cell, sequences, first, mask, every_step)
            finals += final
        return last, sequences, finals

    def _step(self, inputs, states):
        # Keras passes `training` on from the outer call.
        output, states = self.cell(inputs, nest(self.cell, states))
        check_output(self.cell, output)
        return output, keras.tree.flatten(states)

    def _run(self, step, sequences, states, mask, return_sequences):
        return run(
            step,
            sequences,
            states,
            mask,
            return_sequences=return_sequences,
            unroll=self.unroll,
            zero_output_for_mask=self.zero_output_for_mask,
        )

    def _run_projected(self, cell, sequences, states, mask, return_sequences):
        """Run one of our cells over the sequence, with the inputs projected for all steps."""
        input_mask, recurrent_mask = cell.kept_masks
        sequences = cell.project(_drop(cell, sequences, input_mask))  # (…, gates * units)

        def step(projected, states):
            return cell.step(projected, states, recurrent_mask)

        return self._run(step, sequences, states, mask, return_sequences)

    def _run_written_out(self, cell, sequences, states, mask, return_sequences):
        """Run one of our cells over the sequence, with the backward pass of `kerasseq.bptt`."""
        sequences = _drop(cell, sequences, cell.kept_masks[0])
        outputs, states = bptt.run_cell(equations_of(cell), cell, sequences, states, mask)
        if self.zero_output_for_mask:
            outputs = zero_padding(outputs, mask)  # (batch, length, units)
        last = outputs[:, -1]  # (batch, units)
        return last, outputs if return_sequences else last[:, None], states

    def reset_state(self):
        """Set the stored states of a `stateful` layer back to the initial state."""
        if self.states is not None:
            states = keras.tree.flatten(self.states)  # nested in a stack of cells
            initial = keras.tree.flatten(self.get_initial_state(states[0].shape[0]))
            for state, value in zip(states, initial, strict=True):
                state.assign(value)

    def _read(self, sequences, initial_state, mask):
        """Check the arguments; return them with nested states and a boolean mask."""
        sizes = {"features": self._features}
        check_tensor("sequences", sequences, _SEQUENCES, sizes=sizes)
        if self.unroll and sequences.shape[1] is None:
            raise ValueError(
                "`unroll=True` needs a known length: state it in `keras.Input((length, …))`, or "
                f"leave `unroll` off. Received: sequences.shape={tuple(sequences.shape)}"
            )
        if self.stateful and self.states is not None:
            # Every stored state is (batch, units).
            sequences = _check_batch(sequences, keras.tree.flatten(self.states)[0].shape[0])
        if initial_state is not None:
            states = keras.tree.flatten(initial_state)
            expected = state_sizes(self.cell)
            states = check_states("initial_state", states, expected, sizes["batch"])
            initial_state = nest(self.cell, states)
        return sequences, initial_state, read_mask(mask, sequences, "mask")


def _drop(cell, sequences, input_mask):
    """Apply one dropout mask, `(batch, features)`, to every step of the sequences."""
    return sequences if input_mask is None else cell.drop(sequences, input_mask[:, None])


def _check_batch(sequences, expected):
    """Return the sequences; raise ValueError if the stored states have another batch size."""
    text = f"A stateful layer continues its last batch, which had {expected} sequences."
    received = sequences.shape[0]
    if received not in (None, expected):
        raise ValueError(f"{text} Received: sequences.shape={tuple(sequences.shape)}")
    if received is None:  # known only when the graph runs
        return assert_in_graph(sequences, lambda: (ops.shape(sequences)[0], expected), text)
    return sequences
