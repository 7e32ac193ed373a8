import inspect
import json
import warnings

import keras
import numpy as np
import pytest
from support import reference
from support.reference import assert_close, randomize, weights_of

import kerasseq

BATCH, LENGTH, FEATURES, UNITS = 3, 5, 2, 7
PAIRS = {
    "rnn": (kerasseq.RNNCell, keras.layers.SimpleRNNCell, reference.rnn_cell),
    "lstm": (kerasseq.LSTMCell, keras.layers.LSTMCell, reference.lstm_cell),
}
CELLS = [kerasseq.RNNCell, kerasseq.LSTMCell]
NOT_DEFAULT = {
    "activation": "relu",
    "use_bias": False,
    "kernel_initializer": "ones",
    "recurrent_initializer": "zeros",
    "bias_initializer": "ones",
    "kernel_regularizer": "l1",
    "recurrent_regularizer": "l2",
    "bias_regularizer": "l1",
    "kernel_constraint": "non_neg",
    "recurrent_constraint": "unit_norm",
    "bias_constraint": "max_norm",
    "dropout": 0.25,
    "recurrent_dropout": 0.5,
    "seed": 11,
    "name": "cell",
    "dtype": "float64",
}


def normal(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def make_states(cell, batch=BATCH):
    count = len(cell.get_initial_state(1))
    return [normal(batch, cell.units, seed=10 + i) for i in range(count)]


# One step


@pytest.mark.parametrize("name", PAIRS)
def test_a_step_is_the_equations(name):
    make_cell, _, equations = PAIRS[name]
    cell = make_cell(UNITS)
    cell.build((None, FEATURES))
    randomize(cell)
    inputs, states = normal(BATCH, FEATURES), make_states(cell)
    h, new_states = cell(inputs, states)
    expected_h, expected_states = equations(*weights_of(cell))(inputs, states)
    assert_close(h, expected_h)
    assert len(new_states) == len(expected_states)
    for state, expected in zip(new_states, expected_states, strict=True):
        assert_close(state, expected)


@pytest.mark.parametrize("options", [{}, {"activation": "elu"}, {"use_bias": False}], ids=str)
@pytest.mark.parametrize("name", PAIRS)
def test_a_step_is_that_of_the_keras_cell(name, options):
    make_cell, make_keras_cell, _ = PAIRS[name]
    cell, keras_cell = make_cell(UNITS, **options), make_keras_cell(UNITS, **options)
    cell.build((None, FEATURES))
    keras_cell.build((None, FEATURES))
    keras_cell.set_weights(randomize(cell).get_weights())
    inputs, states = normal(BATCH, FEATURES), make_states(cell)
    for ours, theirs in zip(
        keras.tree.flatten(cell(inputs, states)),
        keras.tree.flatten(keras_cell(inputs, states)),
        strict=True,
    ):
        assert_close(ours, theirs)


def test_the_recurrent_activation_is_that_of_the_gates():
    cell = kerasseq.LSTMCell(UNITS, recurrent_activation="hard_sigmoid")
    keras_cell = keras.layers.LSTMCell(UNITS, recurrent_activation="hard_sigmoid")
    cell.build((None, FEATURES))
    keras_cell.build((None, FEATURES))
    keras_cell.set_weights(randomize(cell).get_weights())
    inputs, states = normal(BATCH, FEATURES), make_states(cell)
    assert_close(cell(inputs, states)[0], keras_cell(inputs, states)[0])


@pytest.mark.parametrize("make_cell", CELLS)
def test_features_may_be_projected_in_parts(make_cell):
    cell = make_cell(UNITS)
    cell.build((None, 5))
    randomize(cell)
    inputs = normal(BATCH, LENGTH, 5)
    parts = cell.project(inputs[..., :2]) + cell.project(inputs[..., 2:], first_row=2)
    assert_close(parts, cell.project(inputs))


def test_gate_values_for_all_steps_at_once_are_those_of_each_step():
    cell = kerasseq.LSTMCell(UNITS)
    cell.build((None, FEATURES))
    randomize(cell)
    inputs, states = normal(BATCH, LENGTH, FEATURES), cell.get_initial_state(BATCH)
    h_prev, by_step = [], []
    for t in range(LENGTH):
        h_prev.append(states[0])
        by_step.append(cell.gate_values(cell.project(inputs[:, t]), states[0]))
        _, states = cell(inputs[:, t], states)
    at_once = cell.gate_values(cell.project(inputs), keras.ops.stack(h_prev, axis=1))
    assert list(at_once) == ["input_gate", "forget_gate", "candidate", "output_gate"]
    for name, gate in at_once.items():
        assert_close(gate, np.stack([gates[name] for gates in by_step], axis=1))


def test_the_gates_are_in_the_order_i_f_c_o():
    cell = kerasseq.LSTMCell(1, kernel_initializer="zeros", recurrent_initializer="zeros")
    cell.build((None, 1))
    cell.bias.assign([1.0, 2.0, 3.0, 4.0])
    gates = cell.gate_values(cell.project(np.zeros((1, 1))), np.zeros((1, 1), "float32"))
    assert_close(gates["input_gate"], [[reference.sigmoid(1)]])
    assert_close(gates["forget_gate"], [[reference.sigmoid(2)]])
    assert_close(gates["candidate"], [[np.tanh(3)]])
    assert_close(gates["output_gate"], [[reference.sigmoid(4)]])


# Weights


@pytest.mark.parametrize("make_cell", CELLS)
def test_initializers_reach_their_weights(make_cell):
    cell = make_cell(
        UNITS,
        kernel_initializer=keras.initializers.Constant(2),
        recurrent_initializer=keras.initializers.Constant(3),
        bias_initializer=keras.initializers.Constant(4),
        **({} if make_cell is kerasseq.RNNCell else {"unit_forget_bias": False}),
    )
    cell.build((None, FEATURES))
    width = UNITS * cell.gates
    np.testing.assert_array_equal(cell.kernel, np.full((FEATURES, width), 2.0))
    np.testing.assert_array_equal(cell.recurrent_kernel, np.full((UNITS, width), 3.0))
    np.testing.assert_array_equal(cell.bias, np.full((width,), 4.0))


def test_a_fresh_lstm_remembers():
    cell = kerasseq.LSTMCell(2, bias_initializer=keras.initializers.Constant(4))
    cell.build((None, FEATURES))
    np.testing.assert_array_equal(cell.bias, [4, 4, 1, 1, 4, 4, 4, 4])


@pytest.mark.parametrize("make_cell", CELLS)
@pytest.mark.parametrize("name", ["kernel", "recurrent_kernel", "bias"])
def test_regularizer_and_constraint_reach_their_weight(make_cell, name):
    argument = name.removesuffix("_kernel")
    options = {f"{argument}_regularizer": "l2", f"{argument}_constraint": "non_neg"}
    cell = make_cell(UNITS, **options)
    cell.build((None, FEATURES))
    randomize(cell)
    weight = getattr(cell, name)
    assert_close(cell.losses, [0.01 * np.sum(np.square(weight))])
    others = {"kernel", "recurrent_kernel", "bias"} - {name}
    assert weight.constraint is not None
    assert all(getattr(cell, other).constraint is None for other in others)


@pytest.mark.parametrize("make_cell", CELLS)
def test_from_config_keeps_every_argument(make_cell):
    options = dict(NOT_DEFAULT)
    if make_cell is kerasseq.LSTMCell:
        options |= {"recurrent_activation": "relu", "unit_forget_bias": False}
    cell = make_cell(UNITS, **options)
    config = json.loads(json.dumps(cell.get_config()))
    assert {"units", *options} <= set(config)
    default = make_cell(UNITS + 1).get_config()
    kept = {"trainable"}
    assert {name for name in config if config[name] == default[name]} == kept
    assert make_cell.from_config(config).get_config() == config


@pytest.mark.parametrize("name", PAIRS)
def test_arguments_stand_in_the_order_of_keras(name):
    ours, theirs, _ = PAIRS[name]
    activations = ["relu"] if name == "rnn" else ["relu", "hard_sigmoid"]
    values = [*activations, False, "ones", "zeros", "he_normal"]
    configs = [make(3, *values).get_config() for make in (ours, theirs)]
    arguments = list(inspect.signature(theirs).parameters)[1 : len(values) + 1]
    for argument in arguments:
        ours, theirs = (config[argument] for config in configs)
        assert ours == theirs


def test_random_weights_move_to_keras_and_back():
    layer = keras.layers.RNN(kerasseq.LSTMCell(UNITS))
    keras_layer = keras.layers.LSTM(UNITS)
    layer.build((None, None, FEATURES))
    keras_layer.build((None, None, FEATURES))
    keras_layer.set_weights(randomize(layer).get_weights())
    assert [w.shape for w in layer.weights] == [w.shape for w in keras_layer.weights]
    assert [w.name for w in layer.weights] == [w.name for w in keras_layer.weights]


# Errors


@pytest.mark.parametrize("make_cell", CELLS)
@pytest.mark.parametrize("units", [0, -1, 1.5, True, "7", None])
def test_units_must_be_a_positive_integer(make_cell, units):
    expected = rf"`units` must be a positive integer\. Received: units={units!r}$"
    with pytest.raises(ValueError, match=expected):
        make_cell(units)


@pytest.mark.parametrize("make_cell", CELLS)
@pytest.mark.parametrize("name", ["dropout", "recurrent_dropout"])
@pytest.mark.parametrize("rate", [1.0, -0.1, 2])
def test_dropout_must_be_a_rate(make_cell, name, rate):
    expected = rf"`{name}` must be a rate in \[0, 1\)\. Received: {name}={rate!r}$"
    with pytest.raises(ValueError, match=expected):
        make_cell(UNITS, **{name: rate})


# Dropout


@pytest.mark.parametrize("name", ["dropout", "recurrent_dropout"])
def test_dropout_under_a_plain_keras_rnn_warns(name):
    cell = kerasseq.RNNCell(UNITS, name="elman", **{name: 0.5})
    layer, inputs = keras.layers.RNN(cell), normal(BATCH, LENGTH, FEATURES)
    with pytest.warns(UserWarning, match=r"elman: .* new dropout masks at every step"):
        layer(inputs, training=True)


def test_no_warning_without_need():
    inputs = normal(BATCH, LENGTH, FEATURES)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        keras.layers.RNN(kerasseq.RNNCell(UNITS))(inputs, training=True)
        keras.layers.RNN(kerasseq.RNNCell(UNITS, dropout=0.5))(inputs, training=False)
        kerasseq.RNN(kerasseq.RNNCell(UNITS, dropout=0.5))(inputs, training=True)


@pytest.mark.parametrize("make_cell", CELLS)
def test_the_seed_makes_dropout_reproducible(make_cell):
    inputs = normal(BATCH, LENGTH, FEATURES)

    def draw(seed):
        layer = kerasseq.RNN(make_cell(UNITS, dropout=0.5, recurrent_dropout=0.5, seed=seed))
        layer.build(inputs.shape)
        return np.asarray(randomize(layer)(inputs, training=True))

    np.testing.assert_array_equal(draw(3), draw(3))
    assert np.any(draw(3) != draw(4))


# Numbers


@pytest.mark.parametrize("make_cell", CELLS)
@pytest.mark.parametrize("dtype", ["float16", "float64", "mixed_float16", "mixed_bfloat16"])
def test_the_dtype_policy_holds(make_cell, dtype):
    cell = make_cell(UNITS, dtype=dtype)
    cell.build((None, FEATURES))
    randomize(cell)
    inputs, states = normal(BATCH, FEATURES), make_states(cell)
    h, new_states = cell(inputs, states)
    policy = keras.dtype_policies.get(dtype)
    assert {w.dtype for w in cell.weights} == {policy.variable_dtype}
    for tensor in (h, *new_states, *cell.get_initial_state(2)):
        assert keras.backend.standardize_dtype(tensor.dtype) == policy.compute_dtype
    equations = reference.lstm_cell if len(states) == 2 else reference.rnn_cell
    tolerance = {"float64": 1e-6, "mixed_bfloat16": 3e-2}.get(dtype, 3e-3)
    expected, _ = equations(*weights_of(cell))(inputs, states)
    assert_close(keras.ops.cast(h, "float64"), expected, tolerance)


@pytest.mark.parametrize("make_cell", CELLS)
def test_large_inputs_stay_finite(make_cell):
    cell = make_cell(UNITS)
    inputs = 1e30 * normal(BATCH, FEATURES)
    assert np.all(np.isfinite(cell(inputs, make_states(cell))[0]))
