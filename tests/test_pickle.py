"""What can be copied and pickled says the same afterwards."""

import copy
import pickle

import keras
import numpy as np
import pytest
from support.translators import SOURCES, untrained

import kerasseq
from kerasseq import data

COPIES = pytest.mark.parametrize(
    "again",
    [lambda one: pickle.loads(pickle.dumps(one)), copy.deepcopy],
    ids=["pickle", "deepcopy"],
)


@COPIES
def test_a_translator(again):
    translator = untrained()
    expected = [one.text for one in translator.translate(SOURCES[:2], max_length=5)]
    other = again(translator)
    assert [one.text for one in other.translate(SOURCES[:2], max_length=5)] == expected
    assert other.model is not translator.model


LAYERS = {
    "RNN": (lambda: kerasseq.RNN(kerasseq.LSTMCell(3)), [(2, 4, 5)]),
    "RNNCell": (lambda: kerasseq.RNN(kerasseq.RNNCell(3, activation="relu")), [(2, 4, 5)]),
    "BahdanauAttention": (lambda: kerasseq.BahdanauAttention(3), [(2, 5), (2, 4, 5)]),
    "AttentionRNN": (
        lambda: kerasseq.AttentionRNN(kerasseq.LSTMCell(3), kerasseq.BahdanauAttention(2)),
        [(2, 4, 5), (2, 3, 5)],
    ),
}


@COPIES
@pytest.mark.parametrize("name", LAYERS)
def test_a_layer(name, again):
    make, shapes = LAYERS[name]
    layer, inputs = make(), [np.ones(shape, "float32") for shape in shapes]
    expected = keras.tree.flatten(layer(*inputs))
    found = keras.tree.flatten(again(layer)(*inputs))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)


@COPIES
def test_an_initializer(again):
    chrono = kerasseq.ChronoBias(10, seed=1)
    np.testing.assert_array_equal(again(chrono)((8,)), chrono((8,)))


@COPIES
def test_a_loss(again):
    loss = kerasseq.SmoothedCrossentropy(0.1)
    labels, logits = [[1, 2]], np.ones((1, 2, 5), "float32")
    np.testing.assert_allclose(again(loss)(labels, logits), loss(labels, logits))


@COPIES
def test_a_metric_begins_anew_as_those_of_keras_do(again):
    metrics = kerasseq.Perplexity(name="p"), keras.metrics.Mean(name="m")
    metrics[0].update_state([[1, 2]], np.arange(10, dtype="float32").reshape(1, 2, 5))
    metrics[1].update_state([2.0])
    assert [float(again(one).result()) for one in metrics] == [1.0, 0.0]
    assert again(metrics[0]).get_config() == metrics[0].get_config()


@COPIES
def test_the_plan_of_batches(again):
    text = kerasseq.TextProcessor().adapt(["a b"])
    batches = data.make_batches([("a b", "b a")] * 5, text, text)
    assert vars(again(batches.plan)).keys() == vars(batches.plan).keys()
    assert again(batches.plan).epoch == batches.plan.epoch
