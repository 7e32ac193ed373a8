import keras
import numpy as np
import pytest
from support.reference import assert_all_close, assert_close, flat, normal, randomize
from support.small_layers import (
    BATCH,
    MASK,
    UNITS,
)

from kerasseq import RNN, LSTMCell, RNNCell


@pytest.mark.parametrize("return_sequences", [False, True])
@pytest.mark.parametrize("merge_mode", ["concat", "sum", "ave", "mul", None])
def test_bidirectional_merges_as_with_a_keras_layer(merge_mode, return_sequences, sequences):
    options = {"return_sequences": return_sequences, "return_state": True}
    layer = keras.layers.Bidirectional(RNN(LSTMCell(UNITS), **options), merge_mode=merge_mode)
    theirs = keras.layers.Bidirectional(keras.layers.LSTM(UNITS, **options), merge_mode=merge_mode)
    layer.build(sequences.shape)
    theirs.build(sequences.shape)
    theirs.set_weights(randomize(layer).get_weights())
    states = [normal(BATCH, UNITS, seed=i) for i in range(4)]
    for given_states in (None, states):
        results = layer(sequences, initial_state=given_states, mask=MASK)
        assert_all_close(results, theirs(sequences, initial_state=given_states, mask=MASK))
    symbolic = keras.tree.flatten(layer(keras.Input(batch_shape=sequences.shape)))
    assert [x.shape for x in symbolic] == [x.shape for x in flat(results)]


def test_a_backward_layer_of_its_own(sequences):
    forward, backward = RNN(LSTMCell(UNITS)), RNN(RNNCell(4), go_backwards=True)
    layer = keras.layers.Bidirectional(forward, backward_layer=backward)
    outputs = layer(sequences, mask=MASK)
    expected = layer.forward_layer(sequences, mask=MASK), backward(sequences, mask=MASK)
    assert_close(outputs, np.concatenate(expected, axis=-1))


def test_a_stateful_bidirectional_stack_is_reset(sequences):
    layer = keras.layers.Bidirectional(RNN([LSTMCell(UNITS), RNNCell(4)], stateful=True))
    layer.build(sequences.shape)
    first, second = layer(sequences), layer(sequences)
    layer.reset_state()
    assert np.any(first != second)
    np.testing.assert_array_equal(layer(sequences), first)
