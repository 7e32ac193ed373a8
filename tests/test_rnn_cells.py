"""`RNN` around cells and inside wrappers that other people wrote."""

import keras
import numpy as np
import pytest
from support.reference import assert_all_close, assert_close, normal, randomize
from support.small_layers import ALL, BATCH, FEATURES, LENGTH, MASK, UNITS, make_rnn

from kerasseq import RNN, LSTMCell, RNNCell


class Leaky(keras.layers.Layer):
    """A user's cell: one state or two, and an output that may be wider than the state."""

    def __init__(self, state_size, output_size=None):
        super().__init__()
        self.sizes = state_size
        self.width = state_size if isinstance(state_size, int) else state_size[0]
        if output_size:
            self.output_size = output_size
        self.readout_size = output_size or self.width

    @property
    def state_size(self):
        return self.sizes

    def build(self, shape):
        self.kernel = self.add_weight(shape=(shape[-1], self.width))
        self.readout = self.add_weight(shape=(self.width, self.readout_size))

    def call(self, inputs, states):
        h = 0.5 * states[0] + keras.ops.matmul(inputs, self.kernel)
        return keras.ops.matmul(h, self.readout), [h, *[state + 1 for state in states[1:]]]


@pytest.mark.parametrize("output_size", [None, 4])
@pytest.mark.parametrize("state_size", [UNITS, [UNITS, 3]], ids=["int", "list"])
def test_a_cell_of_one_s_own_runs_as_under_keras(state_size, output_size, sequences):
    layer = make_rnn(Leaky(state_size, output_size), **ALL)
    theirs = keras.layers.RNN(layer.cell, **ALL)
    results = layer(sequences, mask=MASK)
    assert_all_close(results, theirs(sequences, mask=MASK))
    assert results[0].shape == (BATCH, LENGTH, output_size or UNITS)
    states = [normal(BATCH, size, seed=size) for size in layer.state_size]
    ours = layer(sequences, initial_state=states, mask=MASK)
    assert_all_close(ours, theirs(sequences, initial_state=states, mask=MASK))
    shapes = [tuple(result.shape) for result in ours]
    assert shapes == list(layer.compute_output_shape(sequences.shape))
    assert [x.shape for x in layer(keras.Input(batch_shape=sequences.shape))] == shapes


def test_time_distributed_reads_each_sentence_of_a_text():
    layer = make_rnn(LSTMCell(UNITS))
    texts, mask = normal(BATCH, 2, LENGTH, FEATURES), np.stack([MASK, MASK[::-1]], axis=1)
    outputs = keras.layers.TimeDistributed(layer)(texts, mask=mask)
    for t in range(2):
        assert_close(outputs[:, t], layer(texts[:, t], mask=mask[:, t]))


def test_an_activity_regularizer_is_that_of_keras(sequences):
    layer = RNN(LSTMCell(UNITS), activity_regularizer="l2")
    theirs = keras.layers.LSTM(UNITS, activity_regularizer="l2")
    layer.build(sequences.shape)
    theirs.build(sequences.shape)
    theirs.set_weights(randomize(layer).get_weights())
    layer(sequences), theirs(sequences)
    assert_close(layer.losses, theirs.losses)
    assert float(layer.losses[0]) > 1e-3


def test_weight_penalties_and_constraints_hold_in_fit(sequences):
    options = {"recurrent_regularizer": "l1", "bias_regularizer": "l2"}
    options |= {"kernel_constraint": "non_neg", "bias_constraint": "max_norm"}
    found = []
    for layer in (RNN(LSTMCell(UNITS, **options)), keras.layers.LSTM(UNITS, **options)):
        model = keras.Sequential([keras.Input((None, FEATURES)), layer])
        model.compile(keras.optimizers.SGD(0.5), "mse", run_eagerly=True)
        randomize(model)
        loss = model.fit(sequences, np.ones((BATCH, UNITS)), verbose=0).history["loss"]
        found.append([np.array(loss), *model.get_weights()])
    assert_all_close(*found)
    assert np.min(found[0][1]) >= 0


def test_a_frozen_layer_does_not_train(sequences):
    layer = make_rnn(LSTMCell(UNITS), trainable=False)
    assert layer.trainable_weights == [] and len(layer.non_trainable_weights) == 3
    layer.trainable = True
    assert len(layer.trainable_weights) == 3
    assert make_rnn(RNNCell(UNITS, trainable=False)).trainable_weights == []
