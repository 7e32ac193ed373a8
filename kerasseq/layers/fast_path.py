"""The condition of the fast path: does `kerasseq.bptt` compute what this layer computes?"""

import keras

from kerasseq import bptt
from kerasseq.layers.exact import is_exactly
from kerasseq.layers.lstm_cell import LSTMCell
from kerasseq.layers.rnn_cell import RNNCell


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
    if not bptt.is_enabled() or keras.backend.backend() != "tensorflow" or sequences.shape[1] == 1:
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


def equations_of(cell):
    """Return the module of `kerasseq.bptt` with the equations of a cell that `covers` accepts."""
    from kerasseq.bptt import lstm_step, rnn_step  # needs TensorFlow

    return lstm_step if isinstance(cell, LSTMCell) else rnn_step
