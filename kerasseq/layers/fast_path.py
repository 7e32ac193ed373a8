"""`covers`: may a layer take the fast path, the backward pass of `kerasseq.bptt`?"""

import keras

from kerasseq import bptt
from kerasseq.layers.exact import is_exactly
from kerasseq.layers.lstm_cell import LSTMCell
from kerasseq.layers.rnn_cell import RNNCell


def covers(cell, sequences, training, *layers):
    """Return whether `kerasseq.bptt` computes exactly what `cell` and `layers` compute.

    `kerasseq.bptt` knows the classes of this package with their usual activations. A subclass, or
    an instance with a replaced method, takes the portable path.

    Args:
        cell: The cell.
        sequences: Input of the cell, `(batch, length, features)`. A single step, as in decoding,
            needs no loop.
        training: Whether dropout is active.
        *layers: Pairs of a layer that takes part and its expected class. The layer must also cast
            its inputs and have the dtype of the cell.
    """
    if not bptt.is_enabled() or keras.backend.backend() != "tensorflow" or sequences.shape[1] == 1:
        return False
    if not (is_exactly(cell, RNNCell) or is_exactly(cell, LSTMCell)):
        return False
    if cell.activation is not keras.activations.tanh:  # its derivative 1 − tanh² is written out
        return False
    for layer, kind in layers:
        if not (is_exactly(layer, kind) and layer.autocast):
            return False
        if layer.compute_dtype != cell.compute_dtype:
            return False
    gate = getattr(cell, "recurrent_activation", keras.activations.sigmoid)  # RNNCell has none
    return gate is keras.activations.sigmoid and not (training and cell.recurrent_dropout)


def equations_of(cell):
    """Return the module of `kerasseq.bptt` with the equations of a cell that `covers` accepts."""
    from kerasseq.bptt import lstm_step, rnn_step  # needs TensorFlow

    return lstm_step if isinstance(cell, LSTMCell) else rnn_step
