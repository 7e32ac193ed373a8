"""Small recurrent layers with random weights, and what they read; another prime for every axis."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import settings

from kerasseq import RNN, AttentionRNN, BahdanauAttention, LSTMCell, RNNCell
from support import reference
from support.reference import normal, randomize

BATCH, LENGTH, FEATURES, UNITS = 3, 5, 2, 11
SOURCE_LENGTH, VALUE_DIM, ATTENTION_UNITS = 7, 13, 17
FEW = settings(max_examples=5, deadline=None, derandomize=True, database=None)
PAIRS = {
    "rnn": (RNNCell, keras.layers.SimpleRNN, reference.rnn_cell),
    "lstm": (LSTMCell, keras.layers.LSTM, reference.lstm_cell),
}
ALL = {"return_sequences": True, "return_state": True}
MASK = np.array([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [0, 1, 0, 1, 1]], dtype=bool)
VALUES_MASK = np.array([[1, 1, 1, 1, 1, 1, 1], [1, 1, 0, 0, 0, 0, 0], [0, 1, 0, 1, 1, 0, 0]]) == 1
MASKS = pytest.mark.parametrize("mask", [None, MASK], ids=["no mask", "mask"])
CELLS = pytest.mark.parametrize("name", PAIRS)
DECODER_CELLS = pytest.mark.parametrize("make_cell", [RNNCell, LSTMCell, keras.layers.GRUCell])


def normal_states(layer, batch=BATCH):
    return [normal(batch, size, seed=20 + i) for i, size in enumerate(layer.state_size)]


def make_rnn(cell, **options):
    layer = RNN(cell, **options)
    layer.build((None, None, FEATURES))
    return randomize(layer)


def make_decoder(make_cell, **options):
    layer = AttentionRNN(make_cell(UNITS), BahdanauAttention(ATTENTION_UNITS), **options)
    layer.build((None, None, FEATURES), (None, None, VALUE_DIM))
    return randomize(layer)


def traced(layer, *dims):
    """Return the layer in a graph that knows neither batch nor length."""
    signature = [tf.TensorSpec((None, None, dim)) for dim in dims]
    return tf.function(layer, input_signature=signature)
