"""How machines learned to read sequences: layers, models and instruments for Keras 3."""

from kerasseq.attention import BahdanauAttention
from kerasseq.cells import LSTMCell, RNNCell
from kerasseq.recurrence import RNN, AttentionRNN

__version__ = "0.1.0"

__all__ = [
    "RNN",
    "AttentionRNN",
    "BahdanauAttention",
    "LSTMCell",
    "RNNCell",
]
