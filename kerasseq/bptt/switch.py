"""When the fast path is taken."""

import contextlib

import keras

from kerasseq.cells import LSTMCell, RNNCell
from kerasseq.exact import is_exactly

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

    It stands for what the package's own classes compute, and for nothing that a user has put in
    place of it: a subclass, or a method of one instance, takes the portable path.

    Args:
        cell: The cell.
        sequences: What it reads. A single step, as in decoding, needs no loop at all.
        training: Whether dropout is active.
        *layers: Pairs of a layer that takes part, and the class it must be of. It must also cast
            its inputs, and have the cell's dtype.
    """
    if not _ENABLED or keras.backend.backend() != "tensorflow" or sequences.shape[1] == 1:
        return False
    if not (is_exactly(cell, RNNCell) or is_exactly(cell, LSTMCell)):
        return False
    if cell.activation is not keras.activations.tanh:
        return False
    for layer, kind in layers:
        if not (is_exactly(layer, kind) and layer.autocast):
            return False
        if layer.compute_dtype != cell.compute_dtype:
            return False
    gate = getattr(cell, "recurrent_activation", keras.activations.sigmoid)
    return gate is keras.activations.sigmoid and not (training and cell.recurrent_dropout)
