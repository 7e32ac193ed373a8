"""When the fast path is taken."""

import contextlib

import keras

from kerasseq.cells import LSTMCell, RNNCell

_ENABLED = True


@contextlib.contextmanager
def enabled(value):
    """Turn the fast path on or off within a `with` block, for tests and comparisons.

    What counts is when a layer is traced: a model that has been trained or compiled keeps its path.

    Example:
        >>> with enabled(False):
        ...     sequence = RNN(LSTMCell(4), return_sequences=True)(keras.ops.ones((2, 5, 3)))
    """
    global _ENABLED
    before, _ENABLED = _ENABLED, value
    try:
        yield
    finally:
        _ENABLED = before


def covers(cell, sequences, training, *layers):
    """Return whether the backward pass of `cell` over `(batch, length, features)` is written out.

    A single step, as in decoding, needs no loop at all. Further layers must have the cell's dtype.
    """
    if not _ENABLED or keras.backend.backend() != "tensorflow" or sequences.shape[1] == 1:
        return False
    if type(cell) not in (RNNCell, LSTMCell) or cell.activation is not keras.activations.tanh:
        return False
    if any(layer.compute_dtype != cell.compute_dtype for layer in layers):
        return False
    gate = getattr(cell, "recurrent_activation", keras.activations.sigmoid)
    return gate is keras.activations.sigmoid and not (training and cell.recurrent_dropout)
