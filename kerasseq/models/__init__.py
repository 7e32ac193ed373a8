"""Sequence-to-sequence models of plain Keras layers, and views that share their weights."""

from kerasseq.models.seq2seq import build_attention_seq2seq, build_seq2seq
from kerasseq.models.views import attention_view, encoder_view, gate_view, step_view

__all__ = [
    "attention_view",
    "build_attention_seq2seq",
    "build_seq2seq",
    "encoder_view",
    "gate_view",
    "step_view",
]
