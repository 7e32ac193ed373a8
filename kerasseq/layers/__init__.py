"""Recurrent layers and attention: a cell is one time step, a layer runs a cell over a sequence.

A step splits into two parts. `project` needs no earlier step: one matrix product serves a whole
sequence. `step` is the serial part: it has to wait for the state after the step before.
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
