"""The dropout masks of Keras' own cells, one a sequence."""

import contextlib

from keras import ops


@contextlib.contextmanager
def keras_dropout_masks(cell, inputs, h_prev, training):
    """Make a Keras cell draw its dropout masks before the loop and forget them after it.

    `keras.layers.RNN` does the same. Left alone, the cell draws them inside the loop and keeps them
    for later calls, which fails in a graph.
    """
    draws = training and hasattr(cell, "get_dropout_mask")
    if draws:
        cell.get_dropout_mask(ops.cast(ops.concatenate(inputs, axis=-1), cell.compute_dtype))
        cell.get_recurrent_dropout_mask(h_prev)
    yield
    if draws:
        cell.reset_dropout_mask()
        cell.reset_recurrent_dropout_mask()
