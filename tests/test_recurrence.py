import keras
import numpy as np
import pytest
import reference
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import assert_close, randomize, weights_of

from kerasseq import RNN, AttentionRNN, BahdanauAttention, LSTMCell, RNNCell

BATCH, LENGTH, FEATURES, UNITS = 3, 5, 2, 11
SOURCE_LENGTH, VALUE_DIM, ATTENTION_UNITS = 7, 13, 17
FEW = settings(max_examples=5, deadline=None, derandomize=True, database=None)
PAIRS = {
    "rnn": (RNNCell, keras.layers.SimpleRNN, reference.rnn_cell),
    "lstm": (LSTMCell, keras.layers.LSTM, reference.lstm_cell),
}
MASK = np.array([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [0, 1, 0, 1, 0]], dtype=bool)
VALUES_MASK = np.array([[1, 1, 1, 1, 1, 1, 1], [1, 1, 0, 0, 0, 0, 0], [0, 1, 0, 1, 1, 0, 0]]) == 1
MASKS = pytest.mark.parametrize("mask", [None, MASK], ids=["no mask", "mask"])
CELLS = pytest.mark.parametrize("name", PAIRS)
DECODER_CELLS = pytest.mark.parametrize("make_cell", [RNNCell, LSTMCell, keras.layers.GRUCell])


def normal(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def normal_states(layer, batch=BATCH):
    return [normal(batch, size, seed=20 + i) for i, size in enumerate(layer.state_size)]


@pytest.fixture
def sequences():
    return normal(BATCH, LENGTH, FEATURES)


def make_rnn(cell, **options):
    layer = RNN(cell, **options)
    layer.build((None, None, FEATURES))
    return randomize(layer)


def flat(results):
    return [np.asarray(result) for result in keras.tree.flatten(results)]


def assert_all_close(actual, expected, tolerance=1e-5):
    for one, other in zip(flat(actual), flat(expected), strict=True):
        assert_close(one, other, tolerance)


# RNN: against the loop and against Keras


@MASKS
@CELLS
def test_rnn_is_the_loop(name, mask, sequences):
    make_cell, _, equations = PAIRS[name]
    layer = make_rnn(make_cell(UNITS), return_sequences=True, return_state=True)
    states = normal_states(layer)
    results = layer(sequences, initial_state=states, mask=mask)
    outputs, final = reference.run(equations(*weights_of(layer)), sequences, states, mask)
    assert_all_close(results, (outputs, *final))


ALL = {"return_sequences": True, "return_state": True}
OPTIONS = [
    {},
    {"return_sequences": True},
    {"return_state": True},
    ALL,
    {**ALL, "go_backwards": True},
    {**ALL, "zero_output_for_mask": True},
    {**ALL, "unroll": True},
    {**ALL, "go_backwards": True, "zero_output_for_mask": True, "unroll": True},
    {"go_backwards": True, "zero_output_for_mask": True, "return_state": True},
]


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


def test_a_stateful_layer_goes_on_where_it_ended(sequences):
    layer = RNN(LSTMCell(UNITS), stateful=True)
    layer.build(sequences.shape)
    cell = randomize(layer.cell)
    layer(sequences[:, :2])
    halves = layer(sequences[:, 2:])
    assert_close(halves, RNN(cell)(sequences))
    layer.reset_state()
    assert_close(layer(sequences), halves)


def test_other_activations_reach_the_loop(sequences):
    layer = make_rnn(RNNCell(UNITS, activation="linear", use_bias=False))
    kernel, recurrent_kernel = weights_of(layer)
    h = np.zeros((BATCH, UNITS))
    for t in range(LENGTH):
        h = sequences[:, t] @ kernel + h @ recurrent_kernel
    assert_close(layer(sequences), h)


# RNN: states


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
@pytest.mark.parametrize("kind", ["rnn", "attention"])
def test_states_that_do_not_fit(kind, symbolic, count, shape, said, sequences):
    def make(*shape):
        return keras.Input(batch_shape=shape) if symbolic else normal(*shape)

    expected = (
        r"`initial_state` must hold 2 states of shape \(batch, 11\), \(batch, 11\)\. "
        rf"Received: initial_state of shape {said}"
    )
    states = [make(*shape) for _ in range(count)]
    if kind == "rnn":
        layer, inputs = RNN(LSTMCell(UNITS)), [make(BATCH, LENGTH, FEATURES)]
    else:
        layer = AttentionRNN(LSTMCell(UNITS), BahdanauAttention(4))
        inputs = [make(BATCH, LENGTH, FEATURES), make(BATCH, SOURCE_LENGTH, VALUE_DIM)]
    with pytest.raises(ValueError, match=expected):
        layer(*inputs, initial_state=states)


# RNN: masked steps


def test_masked_steps_do_not_move_the_state():
    # h = tanh(x + h_prev + 0.1): through the bias, padding would move the state.
    layer = RNN(RNNCell(1))
    layer.build((None, None, 1))
    layer.set_weights([np.ones((1, 1)), np.ones((1, 1)), np.full((1,), 0.1)])
    padded = layer(np.array([[[0.0], [0.0], [0.5]]], "float32"), mask=np.array([[0, 0, 1]]))
    assert float(padded[0, 0]) == pytest.approx(0.537050, abs=1e-5)
    assert float(layer(np.array([[[0.5]]], "float32"))[0, 0]) == pytest.approx(0.537050, abs=1e-5)


@CELLS
def test_a_sentence_of_padding_ends_in_its_initial_state(name, sequences):
    layer = make_rnn(PAIRS[name][0](UNITS), **ALL)
    states = normal_states(layer)
    outputs, *final = layer(sequences, initial_state=states, mask=np.zeros((BATCH, LENGTH)))
    np.testing.assert_array_equal(outputs, np.zeros((BATCH, LENGTH, UNITS)))
    for state, initial in zip(final, states, strict=True):
        np.testing.assert_array_equal(state, initial)


@FEW
@given(seed=st.integers(0, 999), padding=st.integers(1, 4))
@pytest.mark.parametrize("name", PAIRS)
def test_padding_anywhere_leaves_the_states_alone(name, seed, padding):
    layer = make_rnn(PAIRS[name][0](UNITS), return_state=True)
    sequences = normal(2, 3, FEATURES, seed=seed)
    where = np.sort(np.random.default_rng(seed).permutation(3 + padding)[:3])
    padded = normal(2, 3 + padding, FEATURES, seed=seed + 1)
    padded[:, where] = sequences
    mask = np.zeros((2, 3 + padding), dtype=bool)
    mask[:, where] = True
    assert_all_close(layer(padded, mask=mask), layer(sequences))


@FEW
@given(order=st.permutations(range(BATCH)))
@pytest.mark.parametrize("name", PAIRS)
def test_the_rest_of_the_batch_changes_nothing(name, order):
    layer = make_rnn(PAIRS[name][0](UNITS), **ALL)
    sequences = normal(BATCH, LENGTH, FEATURES)
    together = layer(sequences, mask=MASK)
    permuted = layer(sequences[order], mask=MASK[order])
    assert_all_close(permuted, [np.asarray(result)[order] for result in together])
    first = order[:1]
    alone = layer(sequences[first], mask=MASK[first])
    assert_all_close(alone, [np.asarray(result)[first] for result in together])


@FEW
@given(exponent=st.integers(0, 30))
@pytest.mark.parametrize("name", PAIRS)
def test_large_inputs_stay_finite(name, exponent):
    layer = make_rnn(PAIRS[name][0](UNITS))
    sequences = (10.0**exponent * normal(BATCH, LENGTH, FEATURES)).astype("float32")
    assert np.all(np.isfinite(layer(sequences, mask=MASK)))


# AttentionRNN: against the loop


def make_decoder(make_cell, **options):
    layer = AttentionRNN(make_cell(UNITS), BahdanauAttention(ATTENTION_UNITS), **options)
    layer.build((None, None, FEATURES), (None, None, VALUE_DIM))
    return randomize(layer)


@pytest.fixture(scope="module")
def decoder():
    return make_decoder(LSTMCell)


@pytest.fixture
def values():
    return normal(BATCH, SOURCE_LENGTH, VALUE_DIM, seed=1)


def numpy_cell(cell):
    """Return the cell as a NumPy function; a Keras cell is its own, called step by step."""
    if isinstance(cell, (RNNCell, LSTMCell)):
        make = reference.rnn_cell if isinstance(cell, RNNCell) else reference.lstm_cell
        return make(*weights_of(cell))

    def step(inputs, states):
        output, states = cell(inputs.astype("float32"), [s.astype("float32") for s in states])
        return np.asarray(output), [np.asarray(state) for state in keras.tree.flatten(states)]

    return step


@pytest.mark.parametrize("with_keys", [False, True], ids=["", "keys"])
@pytest.mark.parametrize("with_states", [False, True], ids=["", "states"])
@pytest.mark.parametrize("masks", [(None, None), (MASK, VALUES_MASK)], ids=["no mask", "masks"])
@DECODER_CELLS
def test_attention_rnn_is_the_loop(make_cell, masks, with_states, with_keys, sequences, values):
    layer = make_decoder(make_cell)
    given_states = normal_states(layer) if with_states else None
    results = layer(
        sequences,
        values,
        initial_state=given_states,
        keys=layer.attention.project(values) if with_keys else None,
        inputs_mask=masks[0],
        values_mask=masks[1],
    )
    states = given_states or [np.zeros((BATCH, size)) for size in layer.state_size]
    weights = weights_of(layer.attention)
    expected = reference.attention_rnn(
        numpy_cell(layer.cell), weights, sequences, values, states, *masks
    )
    assert_all_close(results, expected)


def test_given_keys_are_the_ones_that_are_compared(decoder, sequences, values):
    keys = np.zeros((BATCH, SOURCE_LENGTH, ATTENTION_UNITS), "float32")
    _, _, weights, *_ = decoder(sequences, values, keys=keys)
    assert_close(weights, np.full((BATCH, LENGTH, SOURCE_LENGTH), 1 / SOURCE_LENGTH))


def test_values_may_be_as_long_and_as_wide_as_the_inputs(decoder):
    layer = AttentionRNN(LSTMCell(UNITS), BahdanauAttention(ATTENTION_UNITS))
    same = normal(BATCH, LENGTH, FEATURES)
    layer(same, same)
    randomize(layer)
    states = [np.zeros((BATCH, UNITS))] * 2
    expected = reference.attention_rnn(
        numpy_cell(layer.cell), weights_of(layer.attention), same, same, states
    )
    assert_all_close(layer(same, same), expected)


@DECODER_CELLS
def test_source_padding_changes_nothing(make_cell, sequences, values):
    layer = make_decoder(make_cell)
    garbage = 1e3 * normal(BATCH, 4, VALUE_DIM)
    padded = np.concatenate([values, garbage], axis=1)
    mask = np.arange(SOURCE_LENGTH + 4)[None] < np.full((BATCH, 1), SOURCE_LENGTH)
    outputs, contexts, weights, *states = layer(sequences, padded, values_mask=mask)
    assert np.all(np.asarray(weights)[..., SOURCE_LENGTH:] == 0)
    assert_all_close(
        (outputs, contexts, weights[..., :SOURCE_LENGTH], *states), layer(sequences, values)
    )


def test_target_padding_changes_nothing(decoder, sequences, values):
    padded = np.concatenate([sequences, 1e3 * normal(BATCH, 4, FEATURES)], axis=1)
    mask = np.arange(LENGTH + 4)[None] < np.full((BATCH, 1), LENGTH)
    *sequential, h, c = decoder(padded, values, inputs_mask=mask)
    for found in sequential[1:]:
        assert np.all(np.asarray(found)[:, LENGTH:] == 0)
    assert_all_close(
        (*[found[:, :LENGTH] for found in sequential], h, c), decoder(sequences, values)
    )


def test_a_source_of_padding_is_no_source(decoder, sequences, values):
    mask = np.ones((BATCH, SOURCE_LENGTH), dtype=bool)
    mask[1] = False
    outputs, contexts, weights, *_ = decoder(sequences, values, values_mask=mask)
    assert np.all(np.asarray(contexts)[1] == 0) and np.all(np.asarray(weights)[1] == 0)
    alone = decoder(sequences[:1], values[:1])
    assert_close(outputs[:1], alone[0])
    assert np.all(np.isfinite(outputs))


def test_a_target_of_padding_ends_in_its_initial_state(decoder, sequences, values):
    states, mask = normal_states(decoder), MASK & np.array([[True], [False], [True]])
    outputs, contexts, weights, h, c = decoder(
        sequences, values, initial_state=states, inputs_mask=mask
    )
    for found in (outputs, contexts, weights):
        assert np.all(np.asarray(found)[1] == 0)
    np.testing.assert_array_equal(h[1], states[0][1])
    np.testing.assert_array_equal(c[1], states[1][1])


@FEW
@given(order=st.permutations(range(BATCH)))
def test_attention_rnn_reads_each_sentence_alone(decoder, order):
    inputs = normal(BATCH, LENGTH, FEATURES)
    values = normal(BATCH, SOURCE_LENGTH, VALUE_DIM)

    def run(rows):
        masks = {"inputs_mask": MASK[rows], "values_mask": VALUES_MASK[rows]}
        return flat(decoder(inputs[rows], values[rows], **masks))

    together = run(list(range(BATCH)))
    assert_all_close(run(order), [result[order] for result in together])
    assert_all_close(run(order[:1]), [result[order[:1]] for result in together])


@FEW
@given(lengths=st.lists(st.integers(0, 6), min_size=2, max_size=4), seed=st.integers(0, 999))
def test_rows_of_weights_sum_to_one_or_are_zero(decoder, lengths, seed):
    source_mask = np.arange(6) < np.array(lengths)[:, None]
    target_mask = np.arange(3) < np.array(lengths[::-1])[:, None]
    batch = len(lengths)
    _, contexts, weights, *_ = decoder(
        normal(batch, 3, FEATURES, seed=seed),
        normal(batch, 6, VALUE_DIM, seed=seed),
        inputs_mask=target_mask,
        values_mask=source_mask,
    )
    real = target_mask & source_mask.any(axis=1, keepdims=True)
    assert_close(np.sum(weights, axis=-1), real)
    assert np.all(np.asarray(contexts)[~real] == 0)


@FEW
@given(exponent=st.integers(0, 30))
def test_attention_rnn_stays_finite_for_large_inputs(decoder, exponent):
    scale = np.float32(10.0**exponent)
    results = decoder(
        scale * normal(BATCH, LENGTH, FEATURES),
        scale * normal(BATCH, SOURCE_LENGTH, VALUE_DIM),
        values_mask=VALUES_MASK,
    )
    assert all(np.all(np.isfinite(result)) for result in flat(results))


# Lengths and batches


def traced(layer, *dims):
    """Return the layer in a graph that knows neither batch nor length."""
    signature = [tf.TensorSpec((None, None, dim)) for dim in dims]
    return tf.function(layer, input_signature=signature)


def test_rnn_takes_any_batch_and_length_in_one_graph():
    layer = make_rnn(LSTMCell(UNITS), **ALL)
    graph = traced(layer, FEATURES)
    for batch, length in [(2, 4), (1, 9), (3, 1)]:
        sequences = normal(batch, length, FEATURES)
        assert_all_close(graph(sequences), layer(sequences))
    assert graph.experimental_get_tracing_count() == 1


def test_attention_rnn_takes_any_batch_and_length_in_one_graph(decoder):
    graph = traced(decoder, FEATURES, VALUE_DIM)
    for batch, target_length, source_length in [(2, 4, 3), (1, 9, 5), (3, 1, 2)]:
        inputs = normal(batch, target_length, FEATURES)
        values = normal(batch, source_length, VALUE_DIM)
        assert_all_close(graph(inputs, values), decoder(inputs, values))
    assert graph.experimental_get_tracing_count() == 1


def test_the_widths_are_known_in_a_graph_that_knows_no_length(decoder):
    shapes = traced(decoder, FEATURES, VALUE_DIM).get_concrete_function().output_shapes
    widths = [shape[-1] for shape in shapes]
    assert widths == [UNITS, VALUE_DIM, None, UNITS, UNITS]


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


@DECODER_CELLS
def test_a_single_decoder_step_is_a_loop_of_one(make_cell, values):
    layer = make_decoder(make_cell)
    inputs, mask = normal(BATCH, 1, FEATURES), np.array([[True], [False], [True]])
    states = normal_states(layer)
    results = layer(inputs, values, initial_state=states, inputs_mask=mask, values_mask=VALUES_MASK)
    expected = reference.attention_rnn(
        numpy_cell(layer.cell),
        weights_of(layer.attention),
        inputs,
        values,
        states,
        mask,
        VALUES_MASK,
    )
    assert_all_close(results, expected)


def test_decoding_step_by_step_is_decoding_at_once(decoder, sequences, values):
    outputs, contexts, weights, *final = decoder(sequences, values, values_mask=VALUES_MASK)
    keys, states = decoder.attention.project(values), None
    for t in range(LENGTH):
        output, context, row, *states = decoder(
            sequences[:, t : t + 1],
            values,
            initial_state=states,
            keys=keys,
            values_mask=VALUES_MASK,
        )
        at_once = (outputs[:, t], contexts[:, t], weights[:, t])
        assert_all_close((output[:, 0], context[:, 0], row[:, 0]), at_once)
    assert_all_close(states, final)


def test_a_batch_without_rows(decoder):
    nobody = normal(0, LENGTH, FEATURES)
    assert make_rnn(LSTMCell(UNITS))(nobody).shape == (0, UNITS)
    results = decoder(nobody, normal(0, SOURCE_LENGTH, VALUE_DIM))
    assert results[2].shape == (0, LENGTH, SOURCE_LENGTH)


# Shapes and masks that the layers promise


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


def test_attention_rnn_keeps_its_promises(decoder, sequences, values):
    inputs = tf.constant(sequences)
    inputs._keras_mask = tf.constant(MASK)
    results = decoder(inputs, values)
    shapes = decoder.compute_output_shape(inputs.shape, values.shape)
    masks = decoder.compute_mask(inputs, inputs._keras_mask)
    assert tuple(tuple(result.shape) for result in results) == shapes
    for result, mask in zip(results, masks, strict=True):
        assert getattr(result, "_keras_mask", None) is mask


def test_unknown_dimensions_stay_unknown(decoder):
    inputs, values = keras.Input((None, FEATURES)), keras.Input((None, VALUE_DIM))
    assert [result.shape for result in decoder(inputs, values)] == [
        (None, None, UNITS),
        (None, None, VALUE_DIM),
        (None, None, None),
        (None, UNITS),
        (None, UNITS),
    ]
    assert make_rnn(LSTMCell(UNITS), return_sequences=True)(inputs).shape == (None, None, UNITS)


def test_layers_take_no_names_away():
    def number():
        return int(keras.layers.RNN(RNNCell(UNITS)).name.removeprefix("rnn_"))

    layer, before = RNN(RNNCell(UNITS)), number()
    layer(normal(BATCH, LENGTH, FEATURES))
    assert number() == before + 1


# Dropout


def sum_of_inputs(**options):
    """Return an RNN whose output at each step is its input after dropout."""
    layer = RNN(
        RNNCell(
            8,
            activation="linear",
            use_bias=False,
            kernel_initializer="identity",
            recurrent_initializer="zeros",
            **options,
        ),
        return_sequences=True,
    )
    return layer


def test_one_dropout_mask_a_call_and_sequence():
    layer, ones = sum_of_inputs(dropout=0.5, seed=1), np.ones((4, 6, 8), "float32")
    calls = [np.asarray(layer(ones, training=True)) for _ in range(5)]
    for outputs in calls:
        assert set(np.unique(outputs)) == {0.0, 2.0}
        assert np.all(outputs == outputs[:, :1])  # the same at each of the 6 steps
        assert np.any(outputs[0] != outputs[1])  # another for each sequence
    assert all(np.any(outputs != calls[0]) for outputs in calls[1:])
    np.testing.assert_array_equal(layer(ones, training=False), ones)
    np.testing.assert_array_equal(layer(ones), ones)


def test_recurrent_dropout_keeps_one_mask_a_sequence():
    # h counts the steps, but where h_prev is dropped it is the input alone.
    cell = RNNCell(
        8,
        activation="linear",
        use_bias=False,
        kernel_initializer="identity",
        recurrent_initializer="identity",
        recurrent_dropout=0.5,
        seed=2,
    )
    layer, ones = RNN(cell, return_sequences=True), np.ones((4, 3, 8), "float32")
    calls = [np.asarray(layer(ones, training=True)) for _ in range(2)]
    for outputs in calls:
        dropped, kept = np.array([1, 1, 1]), np.array([1, 3, 7])  # 1, 1 + 2 · 1, 1 + 2 · 3
        matches = [np.all(outputs == row[:, None], axis=1) for row in (dropped, kept)]
        assert np.all(matches[0] ^ matches[1]) and matches[0].any() and matches[1].any()
    assert np.any(calls[0] != calls[1])
    np.testing.assert_array_equal(layer(ones)[0, :, 0], [1, 2, 3])


@DECODER_CELLS
def test_attention_rnn_draws_dropout_anew_at_each_call(make_cell, sequences, values):
    cell = make_cell(UNITS, dropout=0.5, recurrent_dropout=0.5)
    layer = AttentionRNN(cell, BahdanauAttention(ATTENTION_UNITS))
    calls = [np.asarray(layer(sequences, values, training=True)[0]) for _ in range(3)]
    assert np.any(calls[0] != calls[1]) and np.any(calls[1] != calls[2])
    fewer = layer(sequences[:2], values[:2], training=True)
    assert fewer[0].shape == (2, LENGTH, UNITS)
    quiet = AttentionRNN(make_cell(UNITS), layer.attention)
    quiet.build(sequences.shape, values.shape)
    quiet.cell.set_weights(cell.get_weights())
    assert_all_close(layer(sequences, values), quiet(sequences, values))


@pytest.mark.parametrize("make_cell", [RNNCell, keras.layers.SimpleRNNCell])
def test_attention_rnn_keeps_one_dropout_mask_a_sequence(make_cell):
    cell = make_cell(
        8,
        activation="linear",
        use_bias=False,
        kernel_initializer="identity",
        recurrent_initializer="zeros",
        dropout=0.5,
    )
    layer = AttentionRNN(cell, BahdanauAttention(4))
    # Five of the eight features come from the input, three from the context.
    outputs, *_ = layer(np.ones((4, 6, 5), "float32"), np.ones((4, 2, 3), "float32"), training=True)
    outputs = np.asarray(outputs)
    assert_close(np.unique(np.round(outputs, 5)), [0, 2])
    assert_close(outputs, np.repeat(outputs[:, :1], 6, axis=1))
    for part in (outputs[..., :5], outputs[..., 5:]):
        assert part.min() < 0.1 and part.max() > 1.9


@DECODER_CELLS
def test_attention_rnn_drops_in_a_graph(make_cell, sequences, values):
    cell = make_cell(UNITS, dropout=0.5, recurrent_dropout=0.5)
    layer = AttentionRNN(cell, BahdanauAttention(ATTENTION_UNITS))
    graph = tf.function(lambda inputs, values: layer(inputs, values, training=True)[0])
    assert np.any(graph(sequences, values) != graph(sequences, values))
    assert layer(sequences, values, training=True)[0].shape == (BATCH, LENGTH, UNITS)


# Gradients, XLA, precision


@DECODER_CELLS
def test_the_gradient_reaches_every_weight(make_cell, sequences, values):
    encoder, layer = make_rnn(make_cell(VALUE_DIM), return_sequences=True), make_decoder(make_cell)
    source = normal(BATCH, SOURCE_LENGTH, FEATURES, seed=3)
    with tf.GradientTape() as tape:
        outputs, *_ = layer(
            sequences,
            encoder(source, mask=VALUES_MASK),
            inputs_mask=MASK,
            values_mask=VALUES_MASK,
        )
        loss = tf.reduce_sum(outputs**2)
    weights = encoder.trainable_weights + layer.trainable_weights
    gradients = tape.gradient(loss, [weight.value for weight in weights])
    assert len(weights) == 9
    for weight, gradient in zip(weights, gradients, strict=True):
        assert np.max(np.abs(gradient)) > 1e-4, weight.path


def test_gradients_stay_finite_where_all_is_padding(decoder, sequences, values):
    inputs, values = tf.constant(sequences), tf.constant(values)
    with tf.GradientTape() as tape:
        tape.watch([inputs, values])
        results = decoder(
            inputs,
            values,
            inputs_mask=np.zeros((BATCH, LENGTH)),
            values_mask=np.zeros((BATCH, SOURCE_LENGTH)),
        )
        loss = sum(tf.reduce_sum(result**2) for result in results)
    variables = [weight.value for weight in decoder.trainable_weights]
    for gradient in tape.gradient(loss, [inputs, values, *variables]):
        assert np.all(np.isfinite(gradient))


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


def test_gradients_of_attention_rnn_are_finite_differences():
    double = {"dtype": "float64"}
    layer = AttentionRNN(LSTMCell(4, **double), BahdanauAttention(3, **double), **double)
    layer.build((None, None, FEATURES), (None, None, VALUE_DIM))
    randomize(layer)
    inputs = tf.Variable(normal(BATCH, LENGTH, FEATURES).astype("float64"))
    values = tf.Variable(normal(BATCH, SOURCE_LENGTH, VALUE_DIM).astype("float64"))

    @tf.function
    def loss():
        masks = {"inputs_mask": MASK, "values_mask": VALUES_MASK}
        results = layer(inputs + 0, values + 0, **masks)
        return sum(tf.reduce_sum(tf.sin(result)) for result in results)

    weights = [weight.value for weight in layer.weights]
    reference.assert_gradients(loss, [inputs, values, *weights])


def make_model():
    """Return (source ids, target ids) -> logits: both layers with masks and states."""
    source, target = (keras.Input((None,), dtype="int32") for _ in range(2))
    embedding = keras.layers.Embedding(7, 5, mask_zero=True)
    values, *states = RNN(LSTMCell(6), **ALL)(embedding(source))
    decoder = AttentionRNN(LSTMCell(6), BahdanauAttention(4))
    outputs, *_ = decoder(embedding(target), values, initial_state=states)
    logits = keras.layers.Dense(7, dtype="float32")(outputs)
    return keras.Model([source, target], logits)


SOURCE = np.array([[3, 1, 5, 2], [4, 2, 0, 0]])
TARGET = np.array([[2, 5, 1], [3, 0, 0]])
LOSS = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def fit_one_step(model, **options):
    randomize(model)
    model.compile(keras.optimizers.SGD(0.5), LOSS, **options)
    [loss] = model.fit([SOURCE, TARGET], TARGET, verbose=0).history["loss"]
    return loss, model.get_weights()


@pytest.fixture(scope="module")
def fitted():
    return fit_one_step(make_model(), jit_compile=False)


def test_a_step_of_fit_is_the_same_under_xla(fitted):
    before = randomize(make_model()).get_weights()
    loss, weights = fit_one_step(make_model(), jit_compile=True)
    assert loss == pytest.approx(fitted[0], rel=1e-5)
    for weight, expected, old in zip(weights, fitted[1], before, strict=True):
        assert_close(weight, expected)
        assert np.any(weight != old)


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16", "float64"])
def test_a_step_of_fit_under_a_dtype_policy(policy, fitted):
    default = keras.config.dtype_policy()
    keras.config.set_dtype_policy(policy)
    try:
        model = make_model()
        loss, weights = fit_one_step(model, run_eagerly=True)
    finally:
        keras.config.set_dtype_policy(default)
    variable_dtype = keras.dtype_policies.get(policy).variable_dtype
    rnn_weights = [w for layer in model.layers for w in layer.weights if "dense" not in w.path]
    assert {weight.dtype for weight in rnn_weights} == {variable_dtype}
    assert loss == pytest.approx(fitted[0], rel=1e-6 if policy == "float64" else 0.02)
    assert all(np.all(np.isfinite(weight)) for weight in weights)


@DECODER_CELLS
@pytest.mark.parametrize("dtype", ["float64", "mixed_float16"])
def test_the_layers_may_differ_from_their_cell_in_dtype(make_cell, dtype, sequences, values):
    expected = make_decoder(make_cell)(sequences, values, values_mask=VALUES_MASK)
    layer = make_decoder(make_cell, dtype=dtype)
    states = [np.zeros((BATCH, UNITS), "float32") for _ in layer.state_size]
    results = layer(sequences, values, initial_state=states, values_mask=VALUES_MASK)
    compute_dtype = keras.dtype_policies.get(dtype).compute_dtype
    assert {result.dtype.name for result in results} == {compute_dtype}
    assert_all_close(results, expected, 5e-3)
    rnn = make_rnn(make_cell(UNITS), dtype=dtype, return_sequences=True)
    assert rnn(sequences).dtype.name == compute_dtype


def test_fit_with_a_last_batch_of_one():
    model = randomize(make_model())
    model.compile(keras.optimizers.SGD(0.5), LOSS, run_eagerly=True)
    rows = [0, 1, 0, 1, 0]
    [loss] = model.fit([SOURCE[rows], TARGET[rows]], TARGET[rows], batch_size=4, verbose=0).history[
        "loss"
    ]
    assert np.isfinite(loss)


# Errors


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


@pytest.mark.parametrize("name", ["inputs", "values"])
@pytest.mark.parametrize("built", [False, True], ids=["new", "built"])
def test_inputs_or_values_of_rank_two(decoder, built, name, sequences, values):
    new = AttentionRNN(LSTMCell(UNITS), BahdanauAttention(ATTENTION_UNITS))
    arguments = {"inputs": sequences, "values": values}
    arguments[name] = normal(3, 2)
    expected = rf"`{name}` must have shape \(.*\)\. Received: {name}\.shape=\(3, 2\)"
    with pytest.raises(ValueError, match=expected):
        (decoder if built else new)(**arguments)


def test_an_attention_of_another_kind():
    with pytest.raises(ValueError, match=r"`attention` must be a BahdanauAttention\. Received: .*"):
        AttentionRNN(LSTMCell(UNITS), keras.layers.AdditiveAttention())


def test_a_cell_that_is_none():
    expected = r"`cell` must be a Keras cell: callable, with a `state_size`\. Received: cell=<Dense"
    with pytest.raises(ValueError, match=expected):
        AttentionRNN(keras.layers.Dense(UNITS), BahdanauAttention(4))


def test_a_different_number_of_inputs_and_values(decoder, sequences, values):
    with pytest.raises(ValueError, match=r"same number of sentences\. .* values\.shape=\(2, 7, 13"):
        decoder(sequences, values[:2])
