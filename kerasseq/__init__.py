"""How machines learned to read sequences: layers, models and instruments for Keras 3."""

import importlib

from kerasseq.layers import RNN, AttentionRNN, BahdanauAttention, ChronoBias, LSTMCell, RNNCell
from kerasseq.losses import SmoothedCrossentropy
from kerasseq.metrics import Perplexity, alignment_error_rate, bleu, chrf
from kerasseq.models import (
    attention_view,
    build_attention_seq2seq,
    build_seq2seq,
    encoder_view,
    gate_view,
    step_view,
)

__version__ = "0.1.0"

# What needs TensorFlow, whatever Keras' backend, is imported when it is first asked for.
_LAZY = {
    "TextProcessor": "kerasseq.text.processor",
    "Translator": "kerasseq.translation.translator",
    "Translation": "kerasseq.translation.result",
    "load_pairs": "kerasseq.data",
    "make_batches": "kerasseq.data",
    "callbacks": None,
    "data": None,
    "phrasebook": None,
    "plotting": None,
    "probes": None,
}
_NEEDED = {"tensorflow": "TensorFlow", "tensorflow_datasets": "TensorFlow Datasets"}

__all__ = [
    "RNN",
    "AttentionRNN",
    "BahdanauAttention",
    "ChronoBias",
    "LSTMCell",
    "Perplexity",
    "RNNCell",
    "SmoothedCrossentropy",
    "TextProcessor",
    "Translation",
    "Translator",
    "alignment_error_rate",
    "attention_view",
    "bleu",
    "build_attention_seq2seq",
    "build_seq2seq",
    "callbacks",
    "chrf",
    "data",
    "encoder_view",
    "gate_view",
    "load_pairs",
    "make_batches",
    "phrasebook",
    "plotting",
    "probes",
    "step_view",
]


def __getattr__(name):
    if name not in _LAZY:
        raise AttributeError(f"module 'kerasseq' has no attribute {name!r}")
    try:
        if name != "plotting":
            # TFDS hides the error when TensorFlow is missing: ask for it first.
            importlib.import_module("tensorflow")
        module = importlib.import_module(_LAZY[name] or f"kerasseq.{name}")
    except ModuleNotFoundError as error:
        if error.name not in _NEEDED:
            raise
        raise ImportError(
            f"kerasseq.{name} needs {_NEEDED[error.name]}: text, data and TensorBoard summaries "
            "run on TensorFlow, whatever Keras' backend is. The layers, the model builders, the "
            "loss, the metrics and the searches of kerasseq.decoding do without. "
            f"Install it with: pip install {error.name.replace('_', '-')}"
        ) from error
    return getattr(module, name) if _LAZY[name] else module


def __dir__():
    return sorted({*globals(), *_LAZY})
