import keras
import numpy as np
import pytest
from support.reference import assert_all_close, assert_close, normal, randomize
from support.small_layers import (
    ALL,
    BATCH,
    CELLS,
    FEATURES,
    LENGTH,
    PAIRS,
    UNITS,
    make_rnn,
    normal_states,
)

from kerasseq import RNN, LSTMCell, RNNCell


@CELLS
@pytest.mark.parametrize("batch", [1, 2, 5])
def test_the_number_of_results_does_not_depend_on_the_batch(name, batch):
    layer = make_rnn(PAIRS[name][0](UNITS), **ALL)
    results = layer(normal(batch, LENGTH, FEATURES))
    states = len(layer.state_size)
    assert [tuple(result.shape) for result in results] == [
        (batch, LENGTH, UNITS),
        *[(batch, UNITS)] * states,
    ]
    assert len(layer(keras.Input((None, FEATURES)))) == 1 + states


def test_the_states_are_h_and_c_in_this_order(sequences):
    layer = make_rnn(LSTMCell(UNITS), **ALL)
    sequence, h, c = layer(sequences)
    np.testing.assert_array_equal(h, sequence[:, -1])
    keras_layer = keras.layers.LSTM(UNITS, **ALL)
    keras_layer.build(sequences.shape)
    keras_layer.set_weights(layer.get_weights())
    theirs = keras_layer(sequences)
    more = normal(BATCH, LENGTH, FEATURES, seed=1)
    expected = keras_layer(more, initial_state=theirs[1:])
    assert_all_close(keras_layer(more, initial_state=[h, c]), expected)
    assert_all_close(layer(more, initial_state=theirs[1:]), expected)
    assert np.max(np.abs(layer(more, initial_state=[c, h])[0] - expected[0])) > 0.01


@pytest.mark.parametrize(
    ("count", "shape", "said"),
    [
        (1, (BATCH, LENGTH, UNITS), r"\[\(3, 5, 11\)\]"),
        (2, (BATCH, LENGTH, UNITS), r"\[\(3, 5, 11\), \(3, 5, 11\)\]"),
        (1, (BATCH, UNITS), r"\[\(3, 11\)\]"),
        (3, (BATCH, UNITS), r"\[\(3, 11\), \(3, 11\), \(3, 11\)\]"),
        (2, (BATCH, 4), r"\[\(3, 4\), \(3, 4\)\]"),
    ],
)
@pytest.mark.parametrize("symbolic", [False, True], ids=["eager", "symbolic"])
def test_states_that_do_not_fit(symbolic, count, shape, said, sequences):
    def make(*shape):
        return keras.Input(batch_shape=shape) if symbolic else normal(*shape)

    expected = (
        r"`initial_state` must hold 2 states of shape \(batch, 11\), \(batch, 11\)\. "
        rf"Received: initial_state of shape {said}"
    )
    states = [make(*shape) for _ in range(count)]
    with pytest.raises(ValueError, match=expected):
        RNN(LSTMCell(UNITS))(make(BATCH, LENGTH, FEATURES), initial_state=states)


@CELLS
def test_a_sentence_of_padding_ends_in_its_initial_state(name, sequences):
    layer = make_rnn(PAIRS[name][0](UNITS), **ALL)
    states = normal_states(layer)
    outputs, *final = layer(sequences, initial_state=states, mask=np.zeros((BATCH, LENGTH)))
    np.testing.assert_array_equal(outputs, np.zeros((BATCH, LENGTH, UNITS)))
    for state, initial in zip(final, states, strict=True):
        np.testing.assert_array_equal(state, initial)


def test_a_stateful_layer_goes_on_where_it_ended(sequences):
    layer = RNN(LSTMCell(UNITS), stateful=True)
    layer.build(sequences.shape)
    cell = randomize(layer.cell)
    layer(sequences[:, :2])
    halves = layer(sequences[:, 2:])
    assert_close(halves, RNN(cell)(sequences))
    layer.reset_state()
    assert_close(layer(sequences), halves)


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
def test_given_states_of_float32_are_rounded_to_the_policy(policy, sequences):
    layer = make_rnn(LSTMCell(UNITS, dtype=policy), dtype=policy, return_state=True)
    plain = make_rnn(LSTMCell(UNITS), return_state=True)
    states = normal_states(layer)
    results = layer(sequences, initial_state=states)
    assert {result.dtype.name for result in results} == {layer.compute_dtype}
    results = [keras.ops.cast(result, "float32") for result in results]
    assert_all_close(results, plain(sequences, initial_state=states), 5e-2)


def test_one_state_may_come_alone(sequences):
    layer, h = make_rnn(RNNCell(UNITS)), normal(BATCH, UNITS)
    expected = layer(sequences, initial_state=[h])
    assert_close(layer(sequences, initial_state=h), expected)
    symbols = keras.Input((None, FEATURES)), keras.Input((UNITS,))
    model = keras.Model(symbols, layer(symbols[0], initial_state=symbols[1]))
    assert_close(model([sequences, h]), expected)
