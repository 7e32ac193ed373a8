"""Run a cell over time: `RNN`, and `AttentionRNN`, which looks at the source at every step."""

from kerasseq.recurrence.attention_rnn import AttentionRNN
from kerasseq.recurrence.rnn import RNN

__all__ = ["RNN", "AttentionRNN"]
