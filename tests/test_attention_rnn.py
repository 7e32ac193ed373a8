import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st
from support import reference
from support.reference import assert_all_close, assert_close, flat, normal, randomize, weights_of
from support.small_layers import (
    ALL,
    ATTENTION_UNITS,
    BATCH,
    DECODER_CELLS,
    FEATURES,
    FEW,
    LENGTH,
    MASK,
    SOURCE_LENGTH,
    UNITS,
    VALUE_DIM,
    VALUES_MASK,
    make_decoder,
    make_rnn,
    normal_states,
    traced,
)

from kerasseq import RNN, AttentionRNN, BahdanauAttention, LSTMCell, RNNCell


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


# Against the loop


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
    results = decoder(normal(0, LENGTH, FEATURES), normal(0, SOURCE_LENGTH, VALUE_DIM))
    assert results[2].shape == (0, LENGTH, SOURCE_LENGTH)


# Shapes and masks that the layer promises


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


# Dropout


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


@pytest.mark.parametrize("make_cell", [RNNCell, keras.layers.SimpleRNNCell])
def test_attention_rnn_keeps_one_recurrent_dropout_mask_a_sequence(make_cell):
    # h counts the steps, but where h_prev is dropped it is the input alone.
    identity = {"kernel_initializer": "identity", "recurrent_initializer": "identity"}
    cell = make_cell(8, activation="linear", use_bias=False, recurrent_dropout=0.5, **identity)
    layer = AttentionRNN(cell, BahdanauAttention(4))
    outputs, *_ = layer(np.ones((4, 3, 5), "float32"), np.ones((4, 2, 3), "float32"), training=True)
    rows = {tuple(row) for row in np.round(np.moveaxis(outputs, 1, 2).reshape(-1, 3), 4).tolist()}
    assert rows == {(1, 1, 1), (1, 3, 7)}


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


@pytest.mark.slow
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
