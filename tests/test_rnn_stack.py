import warnings

import keras
import numpy as np
import pytest
import tensorflow as tf
from support.reference import assert_all_close, assert_close, normal, randomize
from support.small_layers import (
    ALL,
    BATCH,
    FEATURES,
    MASK,
    UNITS,
    make_rnn,
)

from kerasseq import RNN, LSTMCell, RNNCell


def stack(**options):
    return make_rnn([LSTMCell(UNITS), RNNCell(4)], **options)


def shapes(results):
    return keras.tree.map_structure(lambda result: tuple(result.shape), results)


def test_the_states_of_a_stack_are_nested_as_its_cells(sequences):
    layer = stack(return_state=True)
    expected = ((BATCH, 4), [(BATCH, UNITS), (BATCH, UNITS)], (BATCH, 4))
    assert shapes(layer(sequences)) == expected
    assert shapes(layer(keras.Input(batch_shape=sequences.shape))) == expected
    assert layer.compute_output_shape(sequences.shape) == expected


@pytest.mark.parametrize("masked", [False, True])
def test_a_stack_goes_on_from_given_states(masked, sequences):
    layer, mask = stack(**ALL), MASK if masked else None
    states = [normal(BATCH, size, seed=size) for size in (UNITS, UNITS, 4)]
    lower = RNN(layer.cell.cells[0], **ALL)
    upper = RNN(layer.cell.cells[1], **ALL)
    between, h, c = lower(sequences, initial_state=states[:2], mask=mask)
    outputs, upper_h = upper(tf.identity(between), initial_state=states[2:], mask=mask)
    for given_states in ([states[:2], states[2]], [states[:2], states[2:]], states):
        results = layer(sequences, initial_state=given_states, mask=mask)
        assert_all_close(results, (outputs, h, c, upper_h))


def test_the_states_of_a_stack_go_from_encoder_to_decoder_in_a_model(sequences):
    encoder, decoder = stack(return_state=True), stack()
    inputs = keras.Input((None, FEATURES))
    model = keras.Model(inputs, decoder(inputs, initial_state=encoder(inputs)[1:]))
    expected = decoder(sequences, initial_state=encoder(sequences)[1:])
    assert_close(model(sequences), expected)


@pytest.mark.parametrize("sizes", [(UNITS, 4), (UNITS, 3, 4), (4, UNITS, UNITS)])
def test_states_that_do_not_fit_a_stack(sizes, sequences):
    expected = r"`initial_state` must hold 3 states of shape .*11\), .*11\), .*4\)"
    with pytest.raises(ValueError, match=expected):
        stack()(sequences, initial_state=[normal(BATCH, size) for size in sizes])


# Dropout


def make_stack(**options):
    """Return two cells whose outputs are their inputs after dropout."""
    cells = [
        RNNCell(
            8,
            activation="linear",
            use_bias=False,
            kernel_initializer="identity",
            recurrent_initializer="zeros",
            seed=seed,
            **options,
        )
        for seed in (1, 2)
    ]
    return RNN(cells, return_sequences=True)


def test_a_stack_keeps_one_dropout_mask_a_sequence():
    layer, ones = make_stack(dropout=0.5), np.ones((4, 6, 8), "float32")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        eager = [np.asarray(layer(ones, training=True)) for _ in range(2)]
        graph = tf.function(lambda inputs: layer(inputs, training=True))
        traced = [np.asarray(graph(ones)) for _ in range(2)]
    for calls in (eager, traced):
        for outputs in calls:
            assert set(np.unique(outputs)) == {0.0, 4.0}
            assert np.all(outputs == outputs[:, :1])
        assert np.any(calls[0] != calls[1])
    np.testing.assert_array_equal(layer(ones), ones)


def test_the_dropout_of_a_stack_is_that_of_layers_on_top_of_each_other():
    cells = [LSTMCell(7, dropout=0.5, recurrent_dropout=0.5, seed=seed) for seed in (3, 4)]
    again = [LSTMCell(7, dropout=0.5, recurrent_dropout=0.5, seed=seed) for seed in (3, 4)]
    layer, inputs = RNN(cells), normal(3, 5, 2)
    layer.build(inputs.shape)
    randomize(layer)
    lower, upper = RNN(again[0], return_sequences=True), RNN(again[1])
    lower.build((None, None, 2))
    upper.build((None, None, 7))
    for cell, source in zip(again, cells, strict=True):
        cell.set_weights(source.get_weights())
    expected = upper(lower(inputs, training=True), training=True)
    assert_close(layer(inputs, training=True), expected)


def test_a_stack_with_keras_cells_trains_with_dropout():
    cells = [LSTMCell(4, dropout=0.5), keras.layers.GRUCell(5, dropout=0.5), RNNCell(3)]
    model = keras.Sequential([RNN(cells)])
    model.compile("sgd", "mse", run_eagerly=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        [loss] = model.fit(normal(3, 5, 2), np.ones((3, 3)), verbose=0).history["loss"]
    assert np.isfinite(loss)
