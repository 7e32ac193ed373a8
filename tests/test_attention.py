import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from support import reference
from support.reference import assert_close, randomize, weights_of

from kerasseq import BahdanauAttention

BATCH, QUERY_DIM, SOURCE_LENGTH, VALUE_DIM, UNITS, TARGET_LENGTH = 3, 2, 7, 13, 11, 5
FEW = settings(max_examples=6, deadline=None, derandomize=True, database=None)
MASK = np.array([[1, 1, 1, 1, 1, 1, 1], [1, 1, 1, 0, 0, 0, 0], [0, 1, 0, 1, 1, 0, 0]], dtype=bool)


def normal(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


@pytest.fixture(scope="module")
def attention():
    layer = BahdanauAttention(UNITS)
    layer.build((None, QUERY_DIM), (None, None, VALUE_DIM))
    return randomize(layer)


@pytest.fixture
def query():
    return normal(BATCH, QUERY_DIM, seed=1)


@pytest.fixture
def values():
    return normal(BATCH, SOURCE_LENGTH, VALUE_DIM, seed=2)


# Against the equations and against Keras


@pytest.mark.parametrize("mask", [None, MASK], ids=["no mask", "mask"])
def test_it_is_the_equations(attention, query, values, mask):
    context, weights = attention(query, values, values_mask=mask)
    expected_context, expected_weights = reference.attention(
        query, values, weights_of(attention), mask
    )
    assert_close(weights, expected_weights)
    assert_close(context, expected_context)


@pytest.mark.parametrize("mask", [None, MASK], ids=["no mask", "mask"])
def test_several_queries_are_each_query_by_itself(attention, values, mask):
    queries = normal(BATCH, TARGET_LENGTH, QUERY_DIM)
    context, weights = attention(queries, values, values_mask=mask)
    for t in range(TARGET_LENGTH):
        context_t, weights_t = attention(queries[:, t], values, values_mask=mask)
        assert_close(context[:, t], context_t)
        assert_close(weights[:, t], weights_t)


@pytest.mark.parametrize("mask", [None, MASK], ids=["no mask", "mask"])
def test_it_is_additive_attention_on_projected_inputs(attention, values, mask):
    queries = normal(BATCH, TARGET_LENGTH, QUERY_DIM)
    query_kernel, _, score_kernel = weights_of(attention)
    peer = keras.layers.AdditiveAttention()
    peer.build([(None, None, UNITS), (None, None, VALUE_DIM), (None, None, UNITS)])
    peer.set_weights([score_kernel[:, 0]])
    expected_context, expected_weights = peer(
        [queries @ query_kernel, values, attention.project(values)],
        mask=None if mask is None else [None, mask],
        return_attention_scores=True,
    )
    context, weights = attention(queries, values, values_mask=mask)
    assert_close(weights, expected_weights)
    assert_close(context, expected_context)


def test_keys_may_be_computed_once(attention, query, values):
    with_keys = attention(query, values, keys=attention.project(values), values_mask=MASK)
    for given_keys, made_keys in zip(
        with_keys, attention(query, values, values_mask=MASK), strict=True
    ):
        assert_close(given_keys, made_keys)


def test_given_keys_are_the_ones_that_are_compared(attention, query, values):
    _, weights = attention(query, values, keys=np.zeros((BATCH, SOURCE_LENGTH, UNITS), "float32"))
    assert_close(weights, np.full((BATCH, SOURCE_LENGTH), 1 / SOURCE_LENGTH))


# Masks


def indifferent(value_dim):
    """Return an attention whose weights are zero, so that all positions score the same."""
    layer = BahdanauAttention(4)
    layer.build((None, 2), (None, None, value_dim))
    layer.set_weights([np.zeros(weight.shape) for weight in layer.weights])
    return layer


@pytest.mark.parametrize("dtype", ["bool", "int32", "float32"])
def test_true_means_keep_whatever_the_dtype(dtype):
    values = np.array([[[2.0], [4.0], [100.0]]], "float32")
    mask = np.array([[1, 1, 0]], dtype)
    context, weights = indifferent(1)(normal(1, 2), values, values_mask=mask)
    assert_close(weights, [[0.5, 0.5, 0]])
    assert_close(context, [[3.0]])


def test_padding_receives_no_attention():
    layer, query, values = indifferent(3), normal(1, 2), normal(1, 4, 3)
    _, short = layer(query, values, values_mask=np.array([[1, 1, 0, 0]]))
    np.testing.assert_array_equal(short, [[0.5, 0.5, 0, 0]])
    padded = np.concatenate([values, normal(1, 8, 3)], axis=1)
    _, long = layer(query, padded, values_mask=np.arange(12)[None] < 2)
    np.testing.assert_array_equal(long[:, :4], short)
    np.testing.assert_array_equal(long[:, 4:], np.zeros((1, 8)))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_a_row_of_padding_has_no_weights_and_finite_gradients(dtype):
    layer = BahdanauAttention(UNITS, dtype=dtype)
    query = tf.constant(normal(2, QUERY_DIM), dtype)
    values = tf.constant(normal(2, 3, 4), dtype)
    mask = np.array([[1, 1, 0], [0, 0, 0]], dtype=bool)
    with tf.GradientTape() as tape:
        tape.watch([query, values])
        context, weights = layer(query, values, values_mask=mask)
        loss = tf.reduce_sum(context**2) + tf.reduce_sum(weights**2)
    alone, _ = layer(query[:1], values[:1], values_mask=mask[:1])
    assert_close(context[:1], alone)
    np.testing.assert_array_equal(context[1], np.zeros(4))
    np.testing.assert_array_equal(weights[1], np.zeros(3))
    for gradient in tape.gradient(loss, [query, values, *layer.trainable_variables]):
        assert np.all(np.isfinite(gradient))


LARGEST = 65504.0  # of float16


def scored(score, dtype, units=1):
    """Return an attention that scores a value of 1, 0 and −1 with units · (score, 0, −score)."""
    layer = BahdanauAttention(units, dtype=dtype)
    layer.build((None, 1), (None, None, 1))
    layer.set_weights([np.zeros((1, units)), np.full((1, units), 20), np.full((units, 1), score)])
    return layer


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "mixed_float16", "float32"])
@pytest.mark.parametrize("units", [1, 2], ids=["", "overflow"])  # in float16
@pytest.mark.parametrize("score", [6e4, LARGEST])
def test_the_lowest_score_is_above_padding(score, units, dtype):
    rows = [[-1, -1, 1], [1, -1, 1], [0, 0, 0]]
    values = np.array(rows, "float32")[..., None]
    layer, values = scored(score, dtype, units), tf.Variable(values)
    mask = np.array([[1, 1, 0], [1, 1, 1], [0, 0, 0]], dtype=bool)
    with tf.GradientTape() as tape:
        context, weights = layer(np.zeros((3, 1), "float32"), values + 0, values_mask=mask)
        loss = tf.reduce_sum(tf.cast(context, "float32") ** 2)
    expected = [[0.5, 0.5, 0], [0.5, 0, 0.5], [0, 0, 0]]
    np.testing.assert_array_equal(keras.ops.cast(weights, "float32"), expected)
    np.testing.assert_array_equal(keras.ops.cast(context, "float32"), [[-1], [1], [0]])
    for gradient in tape.gradient(loss, [values, *[weight.value for weight in layer.weights]]):
        assert np.all(np.isfinite(keras.ops.cast(gradient, "float32")))


def test_a_row_of_padding_under_xla(attention, query, values):
    mask = MASK & np.array([[True], [False], [True]])

    @tf.function(jit_compile=True)
    def look(query, values):
        with tf.GradientTape() as tape:
            tape.watch([query, values])
            context, weights = attention(query, values, values_mask=mask)
            loss = tf.reduce_sum(context**2)
        return context, weights, *tape.gradient(loss, [query, values])

    context, weights, *gradients = look(query, values)
    expected = attention(query, values, values_mask=mask)
    assert_close(context, expected[0])
    assert_close(weights, expected[1])
    assert np.all(np.asarray(weights)[1] == 0)
    assert all(np.all(np.isfinite(gradient)) for gradient in gradients)


def test_the_mask_of_several_queries_travels_with_the_context(attention):
    embedding = keras.layers.Embedding(5, QUERY_DIM, mask_zero=True)
    context, weights = attention(embedding(np.array([[1, 2, 0]])), normal(1, 4, VALUE_DIM))
    np.testing.assert_array_equal(context._keras_mask, [[True, True, False]])
    assert getattr(weights, "_keras_mask", None) is None


# Functional models, lengths, shapes


@pytest.fixture(scope="module")
def attention_model():
    queries, values = keras.Input((None, 7)), keras.Input((None, 7))
    context, weights = BahdanauAttention(UNITS)(queries, values)
    return keras.Model([queries, values], [context, weights])


def test_a_functional_model_returns_the_weights(attention_model):
    context, weights = attention_model.predict([normal(2, 4, 7), normal(2, 6, 7)], verbose=0)
    assert context.shape == (2, 4, 7)
    assert weights.shape == (2, 4, 6)
    assert_close(np.sum(weights, axis=-1), np.ones((2, 4)))


def test_the_weights_of_a_trained_model_can_be_read(attention_model):
    inputs = [normal(2, 4, 7, seed=1), normal(2, 6, 7, seed=2)]
    before = attention_model.predict_on_batch(inputs)[1]
    context_model = keras.Model(attention_model.inputs, attention_model.outputs[0])
    context_model.compile(keras.optimizers.SGD(1.0), "mse", run_eagerly=True)
    context_model.fit(inputs, normal(2, 4, 7, seed=3), verbose=0)
    after = attention_model.predict_on_batch(inputs)[1]
    assert np.max(np.abs(after - before)) > 1e-4
    assert_close(np.sum(after, axis=-1), np.ones((2, 4)))


@pytest.mark.parametrize("length", [4, 9, 1])
def test_no_weight_depends_on_the_length(attention, length):
    query, values = normal(1, QUERY_DIM), normal(1, length, VALUE_DIM)
    context, weights = attention(query, values)
    expected_context, expected_weights = reference.attention(query, values, weights_of(attention))
    assert_close(weights, expected_weights)
    assert_close(context, expected_context)


def test_a_source_of_one_position_is_looked_at_without_a_warning(attention, recwarn):
    for query in (normal(2, QUERY_DIM), keras.Input((QUERY_DIM,)), normal(2, 3, QUERY_DIM)):
        _, weights = attention(query, normal(2, 1, VALUE_DIM))
    np.testing.assert_array_equal(weights, np.ones((2, 3, 1)))
    assert not [warning for warning in recwarn if "softmax" in str(warning.message)]


def test_a_loaded_attention_takes_another_length(attention, tmp_path):
    inputs = keras.Input((QUERY_DIM,)), keras.Input((None, VALUE_DIM))
    keras.Model(inputs, attention(*inputs)).save(tmp_path / "attention.keras")
    loaded = keras.saving.load_model(tmp_path / "attention.keras")
    query, values = normal(2, QUERY_DIM), normal(2, 13, VALUE_DIM)
    for result, expected in zip(loaded([query, values]), attention(query, values), strict=True):
        np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("query_shape", [(BATCH, QUERY_DIM), (BATCH, TARGET_LENGTH, QUERY_DIM)])
def test_compute_output_shape_agrees_with_what_comes_out(attention, query_shape):
    values = normal(BATCH, SOURCE_LENGTH, VALUE_DIM)
    results = attention(normal(*query_shape), values)
    assert attention.compute_output_shape(query_shape, values.shape) == tuple(
        tuple(result.shape) for result in results
    )


def test_unknown_dimensions_stay_unknown(attention):
    shapes = attention.compute_output_shape((None, None, QUERY_DIM), (None, None, VALUE_DIM))
    assert shapes == ((None, None, VALUE_DIM), (None, None, None))
    context, weights = attention(keras.Input((QUERY_DIM,)), keras.Input((None, VALUE_DIM)))
    assert context.shape == (None, VALUE_DIM)
    assert weights.shape == (None, None)


def test_a_batch_without_rows(attention):
    context, weights = attention(normal(0, QUERY_DIM), normal(0, SOURCE_LENGTH, VALUE_DIM))
    assert context.shape == (0, VALUE_DIM)
    assert weights.shape == (0, SOURCE_LENGTH)


# Properties


@FEW
@given(lengths=st.lists(st.integers(0, 6), min_size=1, max_size=4), seed=st.integers(0, 999))
def test_rows_of_weights_sum_to_one_or_are_zero(attention, lengths, seed):
    mask = np.arange(6) < np.array(lengths)[:, None]
    query = normal(len(lengths), QUERY_DIM, seed=seed)
    _, weights = attention(query, normal(len(lengths), 6, VALUE_DIM, seed=seed), values_mask=mask)
    assert_close(np.sum(weights, axis=-1), mask.any(axis=-1))
    assert np.all(np.asarray(weights)[~mask] == 0)


@FEW
@given(seed=st.integers(0, 999), padding=st.integers(1, 5))
def test_padding_changes_nothing(attention, seed, padding):
    query, values = normal(2, QUERY_DIM, seed=seed), normal(2, 3, VALUE_DIM, seed=seed)
    where = np.sort(np.random.default_rng(seed).permutation(3 + padding)[:3])
    padded = normal(2, 3 + padding, VALUE_DIM, seed=seed + 1)
    padded[:, where] = values
    mask = np.zeros((2, 3 + padding), dtype=bool)
    mask[:, where] = True
    context, weights = attention(query, values)
    padded_context, padded_weights = attention(query, padded, values_mask=mask)
    assert_close(padded_context, context)
    assert_close(np.asarray(padded_weights)[:, where], weights)


@FEW
@given(order=st.permutations(range(3)))
def test_the_rest_of_the_batch_changes_nothing(attention, order):
    query, values = normal(3, QUERY_DIM), normal(3, SOURCE_LENGTH, VALUE_DIM)
    context, _ = attention(query, values, values_mask=MASK)
    permuted, _ = attention(query[order], values[order], values_mask=MASK[order])
    alone, _ = attention(query[order[:1]], values[order[:1]], values_mask=MASK[order[:1]])
    assert_close(permuted, np.asarray(context)[order])
    assert_close(alone, np.asarray(context)[order[:1]])


@FEW
@given(order=st.permutations(range(SOURCE_LENGTH)))
def test_the_order_of_the_source_is_that_of_the_weights(attention, order):
    query, values = normal(BATCH, QUERY_DIM), normal(BATCH, SOURCE_LENGTH, VALUE_DIM)
    context, weights = attention(query, values, values_mask=MASK)
    permuted = attention(query, values[:, order], values_mask=MASK[:, order])
    assert_close(permuted[0], context)
    assert_close(permuted[1], np.asarray(weights)[:, order])


@settings(FEW, max_examples=10)
@given(scale=st.floats(0, 1), dtype=st.sampled_from(["float32", "float16", "mixed_float16"]))
def test_rows_sum_to_one_however_large_the_inputs(scale, dtype):
    layer = BahdanauAttention(UNITS, dtype=dtype)
    layer.build((None, QUERY_DIM), (None, None, VALUE_DIM))
    scale *= 1e4 if dtype == "float32" else 1e2
    rng = np.random.default_rng(int(scale))
    query = scale * rng.uniform(-1, 1, (BATCH, QUERY_DIM))
    values = scale * rng.uniform(-1, 1, (BATCH, SOURCE_LENGTH, VALUE_DIM))
    context, weights = randomize(layer)(query, values, values_mask=MASK)
    assert_close(np.sum(np.asarray(weights, "float64"), axis=-1), np.ones(BATCH), 2e-3)
    assert np.all(np.abs(np.asarray(context, "float64")) <= scale * 1.01)


@FEW
@given(exponent=st.integers(0, 30), seed=st.integers(0, 999))
def test_large_inputs_stay_finite(attention, exponent, seed):
    query = 10.0**exponent * normal(BATCH, QUERY_DIM, seed=seed)
    values = 10.0**exponent * normal(BATCH, SOURCE_LENGTH, VALUE_DIM, seed=seed)
    context, weights = attention(query.astype("float32"), values.astype("float32"))
    assert np.all(np.isfinite(context)) and np.all(np.isfinite(weights))


# Gradients and dtypes


def test_the_gradient_reaches_every_weight(attention, query, values):
    with tf.GradientTape() as tape:
        context, _ = attention(query, values, values_mask=MASK)
        loss = tf.reduce_sum(context**2)
    gradients = tape.gradient(loss, attention.trainable_variables)
    assert len(gradients) == 3
    assert all(np.max(np.abs(gradient)) > 1e-3 for gradient in gradients)


def test_gradients_are_finite_differences(query, values):
    layer = BahdanauAttention(UNITS, dtype="float64")
    layer.build(query.shape, values.shape)
    randomize(layer)
    query, values = tf.Variable(query, dtype="float64"), tf.Variable(values, dtype="float64")

    def loss():
        context, weights = layer(query + 0, values + 0, values_mask=MASK)
        return tf.reduce_sum(tf.sin(context)) + tf.reduce_sum(weights**2)

    reference.assert_gradients(loss, [query, values, *[w.value for w in layer.weights]])


@pytest.mark.parametrize("dtype", ["float64", "mixed_float16", "mixed_bfloat16"])
def test_the_dtype_policy_holds(query, values, dtype):
    layer = BahdanauAttention(UNITS, dtype=dtype)
    layer.build(query.shape, values.shape)
    randomize(layer)
    policy = keras.dtype_policies.get(dtype)
    results = layer(query, values, values_mask=MASK)
    expected = reference.attention(query, values, weights_of(layer), MASK)
    assert {weight.dtype for weight in layer.weights} == {policy.variable_dtype}
    for result, right in zip(results, expected, strict=True):
        assert keras.backend.standardize_dtype(result.dtype) == policy.compute_dtype
        tolerance = {"float64": 1e-6, "mixed_bfloat16": 5e-2}.get(dtype, 5e-3)
        assert_close(keras.ops.cast(result, "float64"), right, tolerance)


# Config


def test_from_config_keeps_the_arguments():
    layer = BahdanauAttention(UNITS, name="look", dtype="float64", trainable=False)
    config = layer.get_config()
    default = BahdanauAttention(UNITS + 1).get_config()
    assert all(config[name] != default[name] for name in config)
    assert BahdanauAttention.from_config(config).get_config() == config
