"""Small models that read the same batch with the same weights on every backend of Keras.

Every model takes ids with padding and gives a float tensor or several. The masks have gaps, and one
of them begins with padding.
"""

import itertools

import keras
import numpy as np

from kerasseq import (
    RNN,
    AttentionRNN,
    BahdanauAttention,
    LSTMCell,
    RNNCell,
    build_attention_seq2seq,
    build_seq2seq,
)

SOURCE = np.array([[2, 5, 6, 7, 3], [0, 8, 0, 3, 0], [2, 9, 10, 3, 0]], "int32")
TARGET_IN = np.array([[2, 4, 5, 6], [2, 7, 0, 0], [0, 8, 0, 9]], "int32")
TARGET_OUT = np.array([[4, 5, 6, 3], [7, 3, 0, 0], [8, 3, 0, 9]], "int32")
INPUTS = {"source": SOURCE, "target_in": TARGET_IN}
ALL = {"return_sequences": True, "return_state": True}
UNITS = 7


def embed(ids, width=3):
    return keras.layers.Embedding(11, width, mask_zero=True)(ids)


def reader(cell, **options):
    """A layer over embedded ids, with initial states that are computed, too."""
    source = keras.Input((None,), dtype="int32", name="source")
    layer = RNN(cell, **options)
    sizes = keras.tree.flatten(layer.state_size)
    first = keras.layers.Embedding(11, sum(sizes))(source[:, 0])
    ends = np.cumsum([0, *sizes])
    states = [first[:, a:b] for a, b in itertools.pairwise(ends)]
    return keras.Model(source, layer(embed(source), initial_state=states))


def unrolled(cell, **options):
    source = keras.Input((SOURCE.shape[1],), dtype="int32", name="source")
    return keras.Model(source, RNN(cell, unroll=True, **options)(embed(source)))


def by_hand(cell):
    """A mask that only the first layer is given, and the second needs."""
    source = keras.Input((None,), dtype="int32", name="source")
    embedded, real = keras.layers.Embedding(11, 3)(source), keras.ops.not_equal(source, 0)
    layer = AttentionRNN(cell, BahdanauAttention(5))
    outputs, contexts, *_ = layer(embedded, embedded, inputs_mask=real)
    return keras.Model(source, [RNN(RNNCell(5))(outputs), RNN(RNNCell(5))(contexts)])


def both_ways(cell, **options):
    source = keras.Input((None,), dtype="int32", name="source")
    layer = keras.layers.Bidirectional(RNN(cell, **options))
    return keras.Model(source, layer(embed(source)))


def looker(target_length=None):
    """Attention alone, under one query a sentence or several."""
    source = keras.Input((None,), dtype="int32", name="source")
    target_in = keras.Input((None,), dtype="int32", name="target_in")
    query = embed(target_in, 5) if target_length else embed(target_in, 5)[:, 0]
    found = BahdanauAttention(UNITS)(query, embed(source))
    return keras.Model({"source": source, "target_in": target_in}, found)


def decoder(cell):
    source = keras.Input((None,), dtype="int32", name="source")
    target_in = keras.Input((None,), dtype="int32", name="target_in")
    layer = AttentionRNN(cell, BahdanauAttention(5))
    return keras.Model(
        {"source": source, "target_in": target_in}, layer(embed(target_in), embed(source, 2))
    )


def translator(builder, **options):
    return builder(11, 13, embedding_dim=3, units=6, **options)


MODELS = {
    "lstm": lambda: reader(LSTMCell(UNITS), **ALL),
    "gru": lambda: reader(keras.layers.GRUCell(UNITS), **ALL),
    "last": lambda: reader(RNNCell(UNITS)),
    "zero_backwards": lambda: reader(
        LSTMCell(UNITS), go_backwards=True, zero_output_for_mask=True, **ALL
    ),
    "stack": lambda: reader([RNNCell(5), RNNCell(UNITS)], **ALL),
    "stack_backwards": lambda: reader([LSTMCell(5), RNNCell(UNITS)], go_backwards=True, **ALL),
    "unrolled": lambda: unrolled(LSTMCell(UNITS), **ALL),
    "unrolled_zero": lambda: unrolled(RNNCell(UNITS), zero_output_for_mask=True, **ALL),
    "by_hand": lambda: by_hand(LSTMCell(UNITS)),
    "both_ways": lambda: both_ways(LSTMCell(UNITS), **ALL),
    "look": lambda: looker(),
    "look_often": lambda: looker(target_length=4),
    "rnn_decoder": lambda: decoder(RNNCell(UNITS)),
    "lstm_decoder": lambda: decoder(LSTMCell(UNITS)),
    "gru_decoder": lambda: decoder(keras.layers.GRUCell(UNITS)),
    "stack_decoder": lambda: decoder([keras.layers.GRUCell(5), LSTMCell(UNITS)]),
}
TRANSLATORS = {
    "attention": lambda: translator(build_attention_seq2seq),
    "attention_forward": lambda: translator(build_attention_seq2seq, encoder="forward", cell="rnn"),
    "attention_backward": lambda: translator(
        build_attention_seq2seq, encoder="backward", cell=keras.layers.GRUCell
    ),
    "attention_tied": lambda: translator(build_attention_seq2seq, tie_embeddings=True),
    "attention_layers": lambda: translator(build_attention_seq2seq, layers=2),
    "plain": lambda: translator(build_seq2seq, tie_embeddings=True),
    "plain_backward": lambda: translator(build_seq2seq, encoder="backward", cell="rnn"),
}
SEARCHED = {"attention", "attention_layers", "plain"}  # for views and searches
SHORTENED = {"lstm", "stack", "lstm_decoder"}  # to a source and a target of one step
FITTED = {"lstm", "both_ways", *TRANSLATORS}
SAVED = {"stack", "unrolled_zero", "gru_decoder", "stack_decoder", *FITTED}


def make(name):
    """Return a model with random weights, the same on every backend."""
    model = {**MODELS, **TRANSLATORS}[name]()
    rng = np.random.default_rng(7)
    model.set_weights([rng.normal(0, 0.5, weight.shape) for weight in model.get_weights()])
    return model


def inputs_of(model):
    """Return the batch as the model takes it."""
    return INPUTS if isinstance(model.input, dict) else SOURCE
