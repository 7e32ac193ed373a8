"""`AttentionRNN` of several layers, and around cells whose output is not their first state."""

import warnings

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras.layers import GRUCell, StackedRNNCells
from support import reference
from support.reference import assert_all_close, assert_close, normal, randomize, weights_of
from support.small_layers import (
    ATTENTION_UNITS,
    BATCH,
    FEATURES,
    LENGTH,
    MASK,
    SOURCE_LENGTH,
    UNITS,
    VALUE_DIM,
    VALUES_MASK,
    normal_states,
    traced,
)

from kerasseq import RNN, AttentionRNN, BahdanauAttention, LSTMCell, RNNCell

MASKED = {"inputs_mask": MASK, "values_mask": VALUES_MASK}


def make_stack():
    return [LSTMCell(5), RNNCell(3), LSTMCell(UNITS)]


def build_decoder(cell, **options):
    layer = AttentionRNN(cell, BahdanauAttention(ATTENTION_UNITS), **options)
    layer.build((None, None, FEATURES), (None, None, VALUE_DIM))
    return randomize(layer)


@pytest.fixture(scope="module")
def decoder():
    return build_decoder(make_stack())


@pytest.fixture
def values():
    return normal(BATCH, SOURCE_LENGTH, VALUE_DIM, seed=1)


@pytest.mark.parametrize("masks", [{}, MASKED], ids=["no mask", "masks"])
def test_the_top_layer_asks_and_the_lowest_reads_the_context(masks, decoder, sequences, values):
    states = normal_states(decoder)
    bottom, middle, top = (weights_of(cell) for cell in decoder.cell.cells)
    cells = [reference.lstm_cell(*bottom), reference.rnn_cell(*middle), reference.lstm_cell(*top)]
    expected = reference.attention_rnn(
        reference.stacked(cells, [2, 1, 2]),
        weights_of(decoder.attention),
        sequences,
        values,
        states,
        *masks.values(),
        query=3,
    )
    assert_all_close(decoder(sequences, values, initial_state=states, **masks), expected)


def test_a_list_of_cells_is_a_stack(sequences, values):
    layers = [build_decoder(cell) for cell in (make_stack(), StackedRNNCells(make_stack()))]
    assert_all_close(*[layer(sequences, values) for layer in layers])


def test_a_stack_of_keras_cells_of_different_widths(sequences, values):
    layer = AttentionRNN(StackedRNNCells([GRUCell(4), GRUCell(6)]), BahdanauAttention(8))
    outputs, contexts, weights, *states = layer(sequences, values)
    assert_close(np.sum(weights, axis=-1), np.ones((BATCH, LENGTH)))
    assert_close(outputs[:, -1], states[1])
    assert [state.shape for state in states] == [(BATCH, 4), (BATCH, 6)]
    assert contexts.shape == (BATCH, LENGTH, VALUE_DIM)


def test_step_by_step_is_at_once(decoder, sequences, values):
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


def test_a_masked_target_step_keeps_the_states_of_all_layers(decoder, sequences, values):
    states = normal_states(decoder)
    mask = np.zeros((BATCH, LENGTH), dtype=bool)
    outputs, _, _, *final = decoder(sequences, values, initial_state=states, inputs_mask=mask)
    for found, expected in zip(final, states, strict=True):
        np.testing.assert_array_equal(found, expected)
    assert not np.any(outputs)


def test_it_keeps_its_promises_of_shapes_and_masks(decoder, sequences, values):
    inputs = tf.constant(sequences)
    inputs._keras_mask = tf.constant(MASK)
    results = decoder(inputs, values)
    shapes = decoder.compute_output_shape(inputs.shape, values.shape)
    assert tuple(tuple(result.shape) for result in results) == shapes
    symbols = decoder(keras.Input((None, FEATURES)), keras.Input((None, VALUE_DIM)))
    assert [symbol.shape[-1] for symbol in symbols] == [
        UNITS,
        VALUE_DIM,
        None,
        5,
        5,
        3,
        UNITS,
        UNITS,
    ]
    masks = decoder.compute_mask(inputs, inputs._keras_mask)
    for result, mask in zip(results, masks, strict=True):
        assert getattr(result, "_keras_mask", None) is mask


def test_one_graph_takes_any_batch_and_length(decoder):
    graph = traced(decoder, FEATURES, VALUE_DIM)
    for batch, target_length, source_length in [(2, 4, 3), (3, 1, 2)]:
        inputs = normal(batch, target_length, FEATURES)
        values = normal(batch, source_length, VALUE_DIM)
        assert_all_close(graph(inputs, values), decoder(inputs, values))
    assert graph.experimental_get_tracing_count() == 1


def test_the_gradient_reaches_every_weight_and_is_the_slope():
    double = {"dtype": "float64"}
    cells = StackedRNNCells([LSTMCell(4, **double), LSTMCell(3, **double)], **double)
    layer = AttentionRNN(cells, BahdanauAttention(3, **double), **double)
    layer.build((None, None, FEATURES), (None, None, VALUE_DIM))
    randomize(layer)
    inputs = tf.Variable(normal(BATCH, LENGTH, FEATURES).astype("float64"))
    values = tf.Variable(normal(BATCH, SOURCE_LENGTH, VALUE_DIM).astype("float64"))

    @tf.function
    def loss():
        results = layer(inputs + 0, values + 0, **MASKED)
        return sum(tf.reduce_sum(tf.sin(result)) for result in results)

    assert len(layer.weights) == 9
    reference.assert_gradients(loss, [inputs, values, *[w.value for w in layer.weights]])


def test_a_saved_model_computes_the_same(decoder, tmp_path):
    inputs, values = keras.Input((None, FEATURES)), keras.Input((None, VALUE_DIM))
    model = keras.Model([inputs, values], list(decoder(inputs, values)))
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    tensors = [normal(2, 4, FEATURES), normal(2, 3, VALUE_DIM)]
    assert_all_close(loaded(tensors), model(tensors), 1e-6)


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
def test_mixed_precision_only_rounds(policy, sequences, values):
    expected = build_decoder([RNNCell(5), LSTMCell(UNITS)])(sequences, values)
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy(policy)
    try:
        results = build_decoder([RNNCell(5), LSTMCell(UNITS)])(sequences, values)
    finally:
        keras.config.set_dtype_policy(before)
    assert_all_close([tf.cast(result, "float32") for result in results], expected, 6e-2)


# Dropout


@pytest.mark.parametrize("make_cell", [RNNCell, keras.layers.SimpleRNNCell])
def test_each_cell_of_a_stack_keeps_one_dropout_mask_a_sequence(make_cell):
    identity = {"kernel_initializer": "identity", "recurrent_initializer": "zeros"}
    plain = {"activation": "linear", "use_bias": False, **identity}
    cells = [make_cell(8, dropout=0.5, seed=seed, **plain) for seed in (1, 2)]
    layer = AttentionRNN(cells, BahdanauAttention(4))
    ones = np.ones((4, 6, 5), "float32"), np.ones((4, 2, 3), "float32")
    graph = tf.function(lambda *tensors: layer(*tensors, training=True)[0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        calls = [np.asarray(layer(*ones, training=True)[0]), *[graph(*ones) for _ in range(2)]]
    for outputs in map(np.asarray, calls):
        assert set(np.unique(np.round(outputs, 4))) == {0.0, 4.0}
        assert_close(outputs, np.repeat(outputs[:, :1], 6, axis=1))
    assert np.any(np.asarray(calls[1]) != np.asarray(calls[2]))
    assert_close(layer(*ones)[0], np.ones((4, 6, 8)))


# Cells whose output is not their first state


@keras.saving.register_keras_serializable(package="tests")
class ProjectingCell(keras.layers.Layer):
    """A cell with a state of 6 that puts out 3 numbers."""

    state_size = 6

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.inner, self.outer = RNNCell(6), keras.layers.Dense(3)

    def build(self, inputs_shape):
        self.inner.build(inputs_shape)
        self.outer.build((None, 6))

    def call(self, inputs, states):
        h, states = self.inner(inputs, states)
        return self.outer(h), states


class NamingCell(ProjectingCell):
    output_size = 3


def test_a_projecting_cell_asks_with_its_state_and_puts_out_its_own_width(sequences, values):
    layer = build_decoder(NamingCell())
    outputs, contexts, weights, state = layer(sequences, values, inputs_mask=MASK)
    assert (
        outputs.shape
        == (BATCH, LENGTH, 3)
        == layer.compute_output_shape(sequences.shape, values.shape)[0]
    )
    inner = reference.rnn_cell(*weights_of(layer.cell.inner))
    states = [np.zeros((BATCH, 6))]
    h, *expected = reference.attention_rnn(
        inner, weights_of(layer.attention), sequences, values, states, MASK
    )
    assert_all_close((contexts, weights, state), expected)
    seen = np.cumsum(MASK, axis=1)[..., None] > 0
    assert_close(outputs, np.where(seen, layer.cell.outer(h.astype("float32")), 0))


@pytest.mark.parametrize(
    "make_layer",
    [
        lambda: RNN(ProjectingCell()),
        lambda: RNN([RNNCell(2), ProjectingCell()], return_sequences=True),
        lambda: AttentionRNN(ProjectingCell(), BahdanauAttention(4)),
    ],
    ids=["rnn", "stack", "decoder"],
)
@pytest.mark.parametrize("length", [1, LENGTH])
def test_a_cell_that_hides_the_width_of_its_output_is_refused(make_layer, length, values):
    layer, inputs = make_layer(), normal(BATCH, length, FEATURES)
    tensors = [inputs, values] if isinstance(layer, AttentionRNN) else [inputs]
    with pytest.raises(ValueError, match=r"`cell` must have .*`output_size`.*Received: cell=.* 3 "):
        layer(*tensors)


def test_a_cell_begins_with_the_states_that_it_makes(sequences, values):
    class Begins(RNNCell):
        def get_initial_state(self, batch_size=None):
            return [keras.ops.ones((batch_size, self.units))]

    layer, ones = build_decoder(Begins(UNITS)), [np.ones((BATCH, UNITS), "float32")]
    assert_all_close(layer(sequences, values), layer(sequences, values, initial_state=ones))
