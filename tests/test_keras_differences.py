"""Where cells and RNN differ from Keras' own: both behaviors, side by side."""

import inspect

import keras
import numpy as np
import pytest
from keras import layers, ops
from support.reference import assert_close, normal

import kerasseq

BATCH, LENGTH, FEATURES, UNITS = 2, 5, 3, 4
MASK = np.array([[True, True, True, False, False], [True] * 5])


@pytest.fixture
def sequences():
    return normal(BATCH, LENGTH, FEATURES)


def with_mask(array, mask):
    tensor = ops.convert_to_tensor(array)
    tensor._keras_mask = ops.convert_to_tensor(mask)
    return tensor


def lstm(**options):
    return kerasseq.RNN(kerasseq.LSTMCell(UNITS), **options)


# Arguments


@pytest.mark.upstream
@pytest.mark.parametrize("cell", ["SimpleRNNCell", "LSTMCell"])
def test_the_defaults_of_the_cells_are_those_of_keras(cell):
    ours = kerasseq.LSTMCell if cell == "LSTMCell" else kerasseq.RNNCell
    config, expected = ours(UNITS).get_config(), getattr(layers, cell)(UNITS).get_config()
    ignored = {"name", "dtype"}
    assert {k: v for k, v in config.items() if k not in ignored} == {
        k: v for k, v in expected.items() if k not in ignored
    }


@pytest.mark.upstream
def test_the_arguments_of_rnn_are_those_of_keras():
    ours, theirs = (inspect.signature(layer.__init__) for layer in (kerasseq.RNN, layers.RNN))
    assert ours == theirs


@pytest.mark.upstream
@pytest.mark.parametrize("units", [True, 2.5])
def test_keras_takes_units_that_are_no_whole_numbers(units):
    assert layers.LSTMCell(units).units is units
    with pytest.raises(ValueError, match="positive integer"):
        kerasseq.LSTMCell(units)


@pytest.mark.upstream
@pytest.mark.parametrize(("rate", "clipped"), [(-0.5, 0.0), (1.5, 1.0)])
def test_keras_clips_dropout_rates(rate, clipped):
    assert layers.LSTMCell(UNITS, dropout=rate).dropout == clipped
    with pytest.raises(ValueError, match="rate"):
        kerasseq.LSTMCell(UNITS, dropout=rate)


def test_implementation_is_for_keras_cells_only():
    assert layers.LSTM(UNITS, implementation=1).cell.implementation == 1
    with pytest.raises(ValueError, match="implementation"):
        kerasseq.LSTMCell(UNITS, implementation=1)


def test_use_cudnn_is_for_keras_lstm_only():
    assert layers.LSTM(UNITS, use_cudnn=False).use_cudnn is False
    with pytest.raises(ValueError, match="use_cudnn"):
        lstm(use_cudnn=False)


@pytest.mark.upstream
@pytest.mark.parametrize("layer", [layers.RNN, kerasseq.RNN])
def test_time_major_and_constants_are_gone(layer, sequences):
    with pytest.raises(ValueError, match="time_major"):
        layer(layers.LSTMCell(UNITS), time_major=True)
    with pytest.raises(TypeError, match="constants"):
        layer(layers.LSTMCell(UNITS))(sequences, constants=[sequences])


@pytest.mark.parametrize("cell", [kerasseq.LSTMCell, layers.LSTMCell])
def test_the_activity_regularizer_is_an_argument_of_rnn(cell, sequences):
    regularizer = keras.regularizers.L2(0.5)
    layer = kerasseq.RNN(cell(UNITS), return_sequences=True, activity_regularizer=regularizer)
    outputs = layer(sequences)
    [loss] = layer.losses
    assert_close(loss, 0.5 * np.sum(np.square(outputs)) / BATCH)


# Masks


@pytest.mark.upstream
@pytest.mark.parametrize("wrap", [lambda layer: layer, layers.Bidirectional], ids=["", "both"])
def test_keras_drops_the_mask_with_an_initial_state(wrap, sequences):
    theirs, ours = wrap(layers.LSTM(UNITS, return_state=True)), wrap(lstm(return_state=True))
    count = 4 if wrap is layers.Bidirectional else 2
    states = [normal(BATCH, UNITS, seed=i) for i in range(count)]
    unmasked = theirs(sequences, initial_state=states)
    ours.build(sequences.shape)
    ours.set_weights(theirs.get_weights())
    expected = theirs(sequences, initial_state=states, mask=ops.convert_to_tensor(MASK))
    lost = theirs(with_mask(sequences, MASK), initial_state=states)
    kept = ours(with_mask(sequences, MASK), initial_state=states)
    for now, without, right, mended in zip(lost, unmasked, expected, kept, strict=True):
        assert_close(now, without)
        assert np.max(np.abs(now - right)) > 0.01
        assert_close(mended, right)


@pytest.mark.upstream
def test_keras_does_not_reverse_the_mask_with_go_backwards(sequences):
    options = {"return_sequences": True, "go_backwards": True}
    sequences = with_mask(sequences, MASK)
    theirs = layers.LSTM(UNITS, zero_output_for_mask=True, **options)(sequences)
    np.testing.assert_array_equal(theirs[0, :2], np.zeros((2, UNITS)))  # padding comes first
    np.testing.assert_array_equal(theirs._keras_mask, MASK)
    np.testing.assert_array_equal(lstm(**options)(sequences)._keras_mask, MASK[:, ::-1])


@pytest.mark.upstream
def test_keras_zeroes_the_wrong_outputs_when_unrolled_from_the_end(sequences):
    options = {"return_sequences": True, "go_backwards": True, "zero_output_for_mask": True}
    theirs = layers.LSTM(UNITS, unroll=True, **options)(sequences, mask=MASK)[0]
    ours = lstm(unroll=True, **options)(sequences, mask=MASK)[0]
    np.testing.assert_array_equal(np.any(theirs, axis=-1), [0, 0, 1, 0, 0])
    np.testing.assert_array_equal(np.any(ours, axis=-1), [0, 0, 1, 1, 1])  # padding comes first


@pytest.mark.upstream
def test_keras_takes_a_mask_with_a_third_axis(sequences):
    mask = ops.convert_to_tensor(MASK[:, :, None])
    assert layers.LSTM(UNITS, use_cudnn=False)(sequences, mask=mask).shape == (BATCH, UNITS)
    with pytest.raises(ValueError, match=r"Received: mask\.shape=\(2, 5, 1\)"):
        lstm()(sequences, mask=mask)


# States


@pytest.mark.upstream
def test_keras_takes_symbolic_states_that_do_not_fit():
    inputs, states = keras.Input((LENGTH, FEATURES)), [keras.Input((UNITS + 1,))] * 2
    assert layers.LSTM(UNITS)(inputs, initial_state=states).shape == (None, UNITS)
    with pytest.raises(ValueError, match=r"2 states of shape \(batch, 4\)"):
        lstm()(inputs, initial_state=states)


@pytest.mark.upstream
def test_keras_names_no_shape_when_a_state_is_missing(sequences):
    states = [normal(BATCH, UNITS)]
    with pytest.raises(IndexError):
        layers.LSTM(UNITS, use_cudnn=False)(sequences, initial_state=states)
    with pytest.raises(ValueError, match=r"Received: initial_state of shape \[\(2, 4\)\]"):
        lstm()(sequences, initial_state=states)


@pytest.mark.upstream
def test_keras_cannot_reset_a_stateful_stack(sequences):
    stack = layers.RNN([layers.LSTMCell(UNITS), layers.LSTMCell(UNITS)], stateful=True)
    stack(sequences)
    with pytest.raises(AttributeError, match="assign"):
        stack.reset_states()
    ours = kerasseq.RNN([kerasseq.LSTMCell(UNITS), kerasseq.RNNCell(2)], stateful=True)
    first, second = ours(sequences), ours(sequences)
    assert np.max(np.abs(first - second)) > 1e-3
    ours.reset_states()
    assert_close(ours(sequences), first)


# Saving


def test_a_weights_file_moves_between_keras_rnn_and_ours(sequences, tmp_path):
    inputs, file = keras.Input((LENGTH, FEATURES)), tmp_path / "one.weights.h5"
    cells = layers.LSTMCell(UNITS), kerasseq.LSTMCell(UNITS)
    theirs = keras.Sequential([inputs, layers.RNN(cells[0])])
    ours = keras.Sequential([inputs, kerasseq.RNN(cells[1])])
    theirs.save_weights(file)
    ours.load_weights(file)
    assert_close(ours(sequences), theirs(sequences))
    keras.Sequential([inputs, layers.LSTM(UNITS)]).save_weights(file)
    with pytest.raises(ValueError, match="could not be loaded"):
        ours.load_weights(file)


@pytest.mark.parametrize("options", [{}, {"unit_forget_bias": False, "dropout": 0.3, "seed": 7}])
def test_the_config_of_a_keras_cell_makes_one_of_ours(options):
    config = layers.LSTMCell(UNITS, **options).get_config()
    back = layers.LSTMCell.from_config(kerasseq.LSTMCell.from_config(config).get_config())
    assert back.get_config() == config


OPTIONS = ["return_sequences", "go_backwards", "stateful", "unroll", "zero_output_for_mask"]


@pytest.mark.parametrize("name", OPTIONS)
def test_attention_rnn_has_no_options_of_direction(name):
    with pytest.raises(ValueError, match=name):
        kerasseq.AttentionRNN(
            kerasseq.LSTMCell(UNITS), kerasseq.BahdanauAttention(8), **{name: True}
        )
