"""What is masked is not read: NaN and infinities there reach neither results nor gradients."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from support.reference import assert_all_close, normal
from support.small_layers import (
    ATTENTION_UNITS,
    BATCH,
    FEATURES,
    LENGTH,
    MASK,
    SOURCE_LENGTH,
    UNITS,
    VALUE_DIM,
    VALUES_MASK,
    make_decoder,
    make_rnn,
)

from kerasseq import RNN, BahdanauAttention, LSTMCell, RNNCell, bptt

SPOILED = pytest.mark.parametrize("spoiled", [np.nan, np.inf, -np.inf])
PATHS = pytest.mark.parametrize("written_out", [True, False])


def spoil(tensor, mask, number):
    return np.where(mask[..., None], tensor, np.float32(number))


def results_and_gradients(layer, tensors, **masks):
    tensors = [tf.constant(tensor) for tensor in tensors]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        results = keras.tree.flatten(layer(*tensors, **masks))
        loss = sum(tf.reduce_sum(tf.sin(result + i)) for i, result in enumerate(results))
    variables = [weight.value for weight in layer.trainable_weights]
    return results, tape.gradient(loss, [*tensors, *variables])


def check(layer, tensors, padding, number, **masks):
    """Compare what the layer says of clean tensors and of those that are spoiled at padding."""
    dirty = [
        tensor if mask is None else spoil(tensor, mask, number)
        for tensor, mask in zip(tensors, padding, strict=True)
    ]
    found = results_and_gradients(layer, dirty, **masks)
    assert_all_close(found, results_and_gradients(layer, tensors, **masks))


@SPOILED
@PATHS
@pytest.mark.parametrize(
    "make_layer",
    [
        lambda: make_rnn(RNNCell(UNITS), return_sequences=True),
        lambda: make_rnn(LSTMCell(UNITS), go_backwards=True),
        lambda: make_rnn(LSTMCell(UNITS), unroll=True),
        lambda: make_rnn(keras.layers.GRUCell(UNITS), return_sequences=True),
        lambda: make_rnn([LSTMCell(4), RNNCell(UNITS)], return_sequences=True),
        lambda: make_rnn([LSTMCell(4), keras.layers.GRUCell(UNITS)]),
    ],
    ids=["rnn", "backwards", "unrolled", "gru", "stack", "mixed stack"],
)
def test_rnn(make_layer, written_out, spoiled):
    with bptt.enabled(written_out):
        check(make_layer(), [normal(BATCH, LENGTH, FEATURES)], [MASK], spoiled, mask=MASK)


@SPOILED
def test_bidirectional(spoiled):
    layer = keras.layers.Bidirectional(RNN(LSTMCell(UNITS), return_sequences=True))
    layer.build((BATCH, LENGTH, FEATURES))
    check(layer, [normal(BATCH, LENGTH, FEATURES)], [MASK], spoiled, mask=MASK)


@SPOILED
@PATHS
@pytest.mark.parametrize("length", [1, LENGTH])
@pytest.mark.parametrize("make_cell", [LSTMCell, keras.layers.GRUCell])
def test_attention_rnn(make_cell, length, written_out, spoiled):
    mask = MASK[:, -length:]
    tensors = [normal(BATCH, length, FEATURES), normal(BATCH, SOURCE_LENGTH, VALUE_DIM)]
    masks = {"inputs_mask": mask, "values_mask": VALUES_MASK}
    with bptt.enabled(written_out):
        check(make_decoder(make_cell), tensors, [mask, VALUES_MASK], spoiled, **masks)


@SPOILED
@PATHS
def test_given_keys_of_attention_rnn(written_out, spoiled):
    layer = make_decoder(LSTMCell)
    values = normal(BATCH, SOURCE_LENGTH, VALUE_DIM)
    keys = normal(BATCH, SOURCE_LENGTH, ATTENTION_UNITS, seed=2)

    class WithKeys:
        trainable_weights = layer.trainable_weights

        def __call__(self, inputs, values, keys):
            return layer(inputs, values, keys=keys, values_mask=VALUES_MASK)

    tensors = [normal(BATCH, LENGTH, FEATURES), values, keys]
    with bptt.enabled(written_out):
        check(WithKeys(), tensors, [None, VALUES_MASK, VALUES_MASK], spoiled)


@SPOILED
@pytest.mark.parametrize("shape", [(BATCH, 3), (BATCH, 4, 3)])
@pytest.mark.parametrize("with_keys", [False, True])
def test_attention(with_keys, shape, spoiled):
    layer = BahdanauAttention(ATTENTION_UNITS)
    tensors = [normal(*shape), normal(BATCH, SOURCE_LENGTH, VALUE_DIM)]
    if with_keys:
        tensors.append(normal(BATCH, SOURCE_LENGTH, ATTENTION_UNITS, seed=2))
    layer(*tensors)
    padding = [None] + [VALUES_MASK] * (len(tensors) - 1)
    check(layer, tensors, padding, spoiled, values_mask=VALUES_MASK)
