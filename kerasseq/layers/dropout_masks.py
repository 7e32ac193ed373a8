"""Dropout masks of cells that are called step by step, one a sequence."""

import contextlib

from keras import ops

from kerasseq.layers.cell import RecurrentCell
from kerasseq.layers.cell_stack import cells_of, output_size, state_sizes


@contextlib.contextmanager
def kept_masks(cell, batch_size, features, training):
    """Draw the dropout masks of a cell, of all of a stack, before the loop; forget them after it.

    `keras.layers.RNN` does the same for Keras' own cells. Left alone, a cell draws its masks inside
    the loop: ours anew at each step; Keras' cells keep them for later calls, which fails in a
    graph.

    Args:
        cell: Any cell, built.
        batch_size: Number of sequences.
        features: Width of what the cell reads.
        training: Whether dropout is active.
    """
    with contextlib.ExitStack() as stack:
        for one in cells_of(cell):
            if isinstance(one, RecurrentCell):
                stack.enter_context(one.keep_masks(batch_size, training))
            elif training and hasattr(one, "get_dropout_mask"):
                widths = features, state_sizes(one)[0]
                inputs, h_prev = (ops.ones((batch_size, n), one.compute_dtype) for n in widths)
                one.get_dropout_mask(inputs)
                one.get_recurrent_dropout_mask(h_prev)
                stack.callback(one.reset_dropout_mask)
                stack.callback(one.reset_recurrent_dropout_mask)
            features = output_size(one)
        yield
