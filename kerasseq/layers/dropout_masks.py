"""`kept_masks`: one dropout mask per sequence for cells that are called step by step."""

import contextlib

from keras import ops

from kerasseq.layers.cell import RecurrentCell
from kerasseq.layers.cell_stack import cells_of, output_size, state_sizes


@contextlib.contextmanager
def kept_masks(cell, batch_size, features, training):
    """Draw the dropout masks of all cells before the loop, and drop the masks after the loop.

    `keras.layers.RNN` does so for Keras' own cells. Without this block, a cell would draw its masks
    inside the loop: our cells new masks at every step, while Keras' cells keep a mask for later
    calls, which fails in a graph.

    Args:
        cell: Any cell or stack of cells, built.
        batch_size: Number of sequences.
        features: Width of the cell's input.
        training: Whether dropout is active.
    """
    with contextlib.ExitStack() as stack:
        for single in cells_of(cell):
            if isinstance(single, RecurrentCell):
                stack.enter_context(single.keep_masks(batch_size, training))
            elif training and hasattr(single, "get_dropout_mask"):  # a cell of Keras
                # Keras' cells keep the masks that they draw until `reset_…` is called.
                inputs = ops.ones((batch_size, features), single.compute_dtype)
                h_prev = ops.ones((batch_size, state_sizes(single)[0]), single.compute_dtype)
                single.get_dropout_mask(inputs)
                single.get_recurrent_dropout_mask(h_prev)
                stack.callback(single.reset_dropout_mask)
                stack.callback(single.reset_recurrent_dropout_mask)
            features = output_size(single)  # the next cell reads the output of this cell
        yield
