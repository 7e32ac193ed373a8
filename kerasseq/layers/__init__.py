"""Recurrent layers and attention: a cell is one time step, a layer runs a cell over a sequence.

A step splits into a part that needs no earlier step, `project`, and a serial part, `step`. The
first is one matrix product for a whole sequence; only the second has to wait for its predecessor.
"""

from kerasseq.layers.attention import BahdanauAttention
from kerasseq.layers.attention_rnn import AttentionRNN
from kerasseq.layers.cell import RecurrentCell
from kerasseq.layers.chrono_bias import ChronoBias
from kerasseq.layers.lstm_cell import LSTMCell
from kerasseq.layers.rnn import RNN
from kerasseq.layers.rnn_cell import RNNCell

__all__ = [
    "RNN",
    "AttentionRNN",
    "BahdanauAttention",
    "ChronoBias",
    "LSTMCell",
    "RNNCell",
    "RecurrentCell",
]
