"""Translators of sequences of digits."""

import numpy as np

import kerasseq
from kerasseq import Translator, build_attention_seq2seq

RNG = np.random.default_rng(3)
SOURCES = [" ".join(RNG.choice(list("0123456789"), RNG.integers(3, 6))) for _ in range(50)]
TARGETS = [source[::-1] for source in SOURCES]


def untrained(builder=build_attention_seq2seq, seed=0):
    """A translator whose random weights are large enough to say different things."""
    text = kerasseq.TextProcessor().adapt(SOURCES)
    model = builder(len(text), len(text), embedding_dim=6, units=8)
    rng = np.random.default_rng(seed)
    model.set_weights([rng.normal(0, 1.0, weight.shape) for weight in model.get_weights()])
    return Translator(model, text, text)
