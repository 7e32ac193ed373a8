import keras
import numpy as np
import pytest
import tensorflow as tf
from support import reference
from support.reference import assert_all_close, assert_close, normal, randomize, weights_of
from support.small_layers import (
    ALL,
    BATCH,
    CELLS,
    FEATURES,
    LENGTH,
    MASK,
    MASKS,
    PAIRS,
    UNITS,
    make_rnn,
    normal_states,
    traced,
)

from kerasseq import RNN, LSTMCell, RNNCell

OPTIONS = [
    {},
    {"return_sequences": True},
    {"return_state": True},
    ALL,
    {**ALL, "go_backwards": True},
    {**ALL, "zero_output_for_mask": True},
    {**ALL, "unroll": True},
    {**ALL, "go_backwards": True, "zero_output_for_mask": True},
    {**ALL, "go_backwards": True, "unroll": True},
    {"go_backwards": True, "zero_output_for_mask": True, "return_state": True},
]


# Against the loop and against Keras


@MASKS
@CELLS
def test_rnn_is_the_loop(name, mask, sequences):
    make_cell, _, equations = PAIRS[name]
    layer = make_rnn(make_cell(UNITS), return_sequences=True, return_state=True)
    states = normal_states(layer)
    results = layer(sequences, initial_state=states, mask=mask)
    outputs, final = reference.run(equations(*weights_of(layer)), sequences, states, mask)
    assert_all_close(results, (outputs, *final))


@MASKS
@CELLS
@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "-".join(options) or "none")
@pytest.mark.parametrize("make_layer", [RNN, keras.layers.RNN], ids=["kerasseq", "keras"])
def test_it_is_the_keras_layer(name, mask, options, make_layer, sequences):
    make_cell, make_keras_layer, _ = PAIRS[name]
    layer = make_layer(make_cell(UNITS), **options)
    keras_layer = make_keras_layer(UNITS, **options)
    layer.build(sequences.shape)
    keras_layer.build(sequences.shape)
    keras_layer.set_weights(randomize(layer).get_weights())
    assert_all_close(layer(sequences, mask=mask), keras_layer(sequences, mask=mask))
    states = normal_states(layer)
    assert_all_close(
        layer(sequences, initial_state=states, mask=mask),
        keras_layer(sequences, initial_state=states, mask=mask),
    )


@CELLS
@pytest.mark.parametrize("return_sequences", [False, True], ids=["last", "all"])
@pytest.mark.parametrize("unroll", [False, True], ids=["loop", "unrolled"])
@pytest.mark.parametrize("go_backwards", [False, True], ids=["forwards", "backwards"])
def test_outputs_are_zero_where_the_step_was_masked(
    name, return_sequences, unroll, go_backwards, sequences
):
    make_cell, *_, equations = PAIRS[name]
    mask = np.array([[1, 1, 0, 1, 0], [0, 0, 1, 1, 1], [1, 0, 0, 0, 0]], dtype=bool)
    options = {"unroll": unroll, "go_backwards": go_backwards}
    layer = make_rnn(
        make_cell(UNITS), return_sequences=return_sequences, zero_output_for_mask=True, **options
    )
    read, real = (x[:, ::-1] if go_backwards else x for x in (sequences, mask))
    states = [np.zeros((BATCH, UNITS)) for _ in layer.state_size]
    outputs, _ = reference.run(equations(*weights_of(layer)), read, states, real)
    outputs = np.where(real[..., None], outputs, 0)
    assert_close(layer(sequences, mask=mask), outputs if return_sequences else outputs[:, -1])


def test_a_keras_cell_runs_as_under_keras(sequences):
    layer = make_rnn(keras.layers.GRUCell(UNITS), return_sequences=True)
    keras_layer = keras.layers.GRU(UNITS, return_sequences=True)
    keras_layer.build(sequences.shape)
    keras_layer.set_weights(layer.get_weights())
    assert_all_close(layer(sequences, mask=MASK), keras_layer(sequences, mask=MASK))


def test_stacked_cells_are_layers_on_top_of_each_other(sequences):
    stack = make_rnn([LSTMCell(UNITS), RNNCell(4)], return_sequences=True)
    lower = RNN(stack.cell.cells[0], return_sequences=True)
    upper = RNN(stack.cell.cells[1], return_sequences=True)
    assert_all_close(stack(sequences), upper(lower(sequences)))


@CELLS
def test_bidirectional_is_that_of_keras(name, sequences):
    make_cell, make_keras_layer, _ = PAIRS[name]
    layer = keras.layers.Bidirectional(RNN(make_cell(UNITS), **ALL))
    keras_layer = keras.layers.Bidirectional(make_keras_layer(UNITS, **ALL))
    layer.build(sequences.shape)
    keras_layer.build(sequences.shape)
    keras_layer.set_weights(randomize(layer).get_weights())
    assert_all_close(layer(sequences, mask=MASK), keras_layer(sequences, mask=MASK))


def test_other_activations_reach_the_loop(sequences):
    layer = make_rnn(RNNCell(UNITS, activation="linear", use_bias=False))
    kernel, recurrent_kernel = weights_of(layer)
    h = np.zeros((BATCH, UNITS))
    for t in range(LENGTH):
        h = sequences[:, t] @ kernel + h @ recurrent_kernel
    assert_close(layer(sequences), h)


# Masked steps


def test_masked_steps_do_not_move_the_state():
    # h = tanh(x + h_prev + 0.1): through the bias, padding would move the state.
    layer = RNN(RNNCell(1))
    layer.build((None, None, 1))
    layer.set_weights([np.ones((1, 1)), np.ones((1, 1)), np.full((1,), 0.1)])
    padded = layer(np.array([[[0.0], [0.0], [0.5]]], "float32"), mask=np.array([[0, 0, 1]]))
    assert float(padded[0, 0]) == pytest.approx(0.537050, abs=1e-5)
    assert float(layer(np.array([[[0.5]]], "float32"))[0, 0]) == pytest.approx(0.537050, abs=1e-5)


# Lengths and batches


def test_rnn_takes_any_batch_and_length_in_one_graph():
    layer = make_rnn(LSTMCell(UNITS), **ALL)
    graph = traced(layer, FEATURES)
    for batch, length in [(2, 4), (1, 9), (3, 1)]:
        sequences = normal(batch, length, FEATURES)
        assert_all_close(graph(sequences), layer(sequences))
    assert graph.experimental_get_tracing_count() == 1


@pytest.mark.parametrize("options", [{}, {"go_backwards": True}, {"zero_output_for_mask": True}])
@CELLS
def test_a_single_step_is_a_loop_of_one(name, options):
    layer = make_rnn(PAIRS[name][0](UNITS), **ALL, **options)
    sequences, mask = normal(BATCH, 1, FEATURES), np.array([[True], [False], [True]])
    states = normal_states(layer)
    # A graph that does not know the length has to loop.
    loop = tf.function(
        lambda sequences, mask: layer(sequences, initial_state=states, mask=mask),
        input_signature=[
            tf.TensorSpec((BATCH, None, FEATURES)),
            tf.TensorSpec((BATCH, None), bool),
        ],
    )
    assert_all_close(layer(sequences, initial_state=states, mask=mask), loop(sequences, mask))


def test_a_batch_without_rows():
    assert make_rnn(LSTMCell(UNITS))(normal(0, LENGTH, FEATURES)).shape == (0, UNITS)


# Shapes and masks that the layer promises


@pytest.mark.parametrize("options", OPTIONS[:4], ids=lambda options: "-".join(options) or "none")
@CELLS
def test_rnn_keeps_its_promises(name, options, sequences):
    layer = make_rnn(PAIRS[name][0](UNITS), **options)
    sequences = tf.constant(sequences)
    sequences._keras_mask = tf.constant(MASK)
    results = keras.tree.flatten(layer(sequences))
    shapes = layer.compute_output_shape(sequences.shape)
    shapes = list(shapes) if options.get("return_state") else [shapes]
    masks = keras.tree.flatten(layer.compute_mask(sequences, sequences._keras_mask))
    assert [tuple(result.shape) for result in results] == shapes
    for result, mask in zip(results, masks, strict=True):
        assert getattr(result, "_keras_mask", None) is mask


def test_unknown_dimensions_stay_unknown():
    layer = make_rnn(LSTMCell(UNITS), return_sequences=True)
    assert layer(keras.Input((None, FEATURES))).shape == (None, None, UNITS)


def test_layers_take_no_names_away():
    def number():
        return int(keras.layers.RNN(RNNCell(UNITS)).name.removeprefix("rnn_"))

    layer, before = RNN(RNNCell(UNITS)), number()
    layer(normal(BATCH, LENGTH, FEATURES))
    assert number() == before + 1


@CELLS
def test_gradients_of_rnn_are_finite_differences(name):
    layer = RNN(PAIRS[name][0](4, dtype="float64"), dtype="float64", **ALL)
    layer.build((None, None, FEATURES))
    randomize(layer)
    inputs = tf.Variable(normal(BATCH, LENGTH, FEATURES).astype("float64"))
    initial = [tf.Variable(state.astype("float64")) for state in normal_states(layer)]

    @tf.function
    def loss():
        results = layer(inputs + 0, initial_state=[state + 0 for state in initial], mask=MASK)
        return sum(tf.reduce_sum(tf.sin(result)) for result in results)

    weights = [weight.value for weight in layer.weights]
    reference.assert_gradients(loss, [inputs, *initial, *weights])


@pytest.mark.parametrize("symbolic", [False, True], ids=["eager", "symbolic"])
@pytest.mark.parametrize("built", [False, True], ids=["new", "built"])
def test_sequences_of_rank_two(built, symbolic):
    layer = make_rnn(RNNCell(UNITS)) if built else RNN(RNNCell(UNITS))
    inputs = keras.Input(batch_shape=(3, 2)) if symbolic else normal(3, 2)
    expected = (
        r"`sequences` must have shape \(batch, length, features\)\. "
        r"Received: sequences\.shape=\(3, 2\)"
    )
    with pytest.raises(ValueError, match=expected):
        layer(inputs)


@pytest.mark.parametrize("kind", ["symbolic", "graph"])
def test_unrolling_needs_a_known_length(kind):
    layer = RNN(LSTMCell(UNITS), unroll=True)
    with pytest.raises(ValueError, match=r"`unroll=True` .* Received: sequences.shape="):
        if kind == "graph":
            traced(layer, FEATURES).get_concrete_function()
        layer(keras.Input((None, FEATURES)))


@pytest.mark.parametrize("symbolic", [False, True], ids=["eager", "symbolic"])
def test_the_mask_is_reversed_with_the_outputs(symbolic, sequences):
    first = make_rnn(LSTMCell(UNITS), return_sequences=True, go_backwards=True)
    second = RNN(RNNCell(4))
    inputs = keras.Input((None, FEATURES))
    model = keras.Model(inputs, second(first(keras.layers.Masking()(inputs))))
    padded = sequences * MASK[..., None]
    masking = keras.layers.Masking()
    outputs = model(padded) if symbolic else second(first(masking(padded)))
    for row in range(BATCH):
        alone = sequences[row : row + 1, MASK[row]]
        assert_close(outputs[row : row + 1], second(tf.identity(first(alone))))
