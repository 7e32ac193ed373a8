"""Whatever a user puts in place of a method is called, in training as in decoding."""

import functools

import keras
import numpy as np
import pytest
import tensorflow as tf
from support.reference import assert_all_close, normal
from support.small_layers import ATTENTION_UNITS, LENGTH, UNITS, make_decoder

from kerasseq import RNN, AttentionRNN, BahdanauAttention, LSTMCell, RNNCell, bptt


@pytest.fixture(autouse=True)
def fast_path():
    with bptt.enabled(True):
        yield


class Spy:
    """Counts the calls of a method that a subclass overrides or an instance replaces."""

    def __init__(self):
        self.calls = 0

    def in_subclass(self, kind, name, *arguments):
        @functools.wraps(getattr(kind, name))  # Keras reads the names of the arguments
        def method(layer, *inputs, **options):
            self.calls += 1
            return getattr(super(own, layer), name)(*inputs, **options)

        own = type("Own", (kind,), {name: method})
        return own(*arguments)

    def on_instance(self, kind, name, *arguments):
        layer = kind(*arguments)
        original = getattr(layer, name)

        def method(*inputs, **options):
            self.calls += 1
            return original(*inputs, **options)

        setattr(layer, name, method)
        return layer


def read_with(cell):
    RNN(cell)(normal(3, LENGTH, 2))


def decode_with(cell=None, attention=None):
    cell = cell or LSTMCell(UNITS)
    layer = AttentionRNN(cell, attention or BahdanauAttention(ATTENTION_UNITS))
    layer(normal(3, LENGTH, 2), normal(3, 7, 13))


HOOKED = pytest.mark.parametrize("how", [Spy.in_subclass, Spy.on_instance])


@HOOKED
@pytest.mark.parametrize("read", [read_with, decode_with])
@pytest.mark.parametrize("name", ["call", "project", "step", "recur", "gate_values"])
def test_a_method_of_the_cell_that_was_replaced_is_called(name, read, how):
    spy = Spy()
    read(how(spy, LSTMCell, name, UNITS))
    assert spy.calls > 0


@HOOKED
@pytest.mark.parametrize("name", ["call", "project", "attend"])
def test_a_method_of_the_attention_that_was_replaced_is_called(name, how):
    spy = Spy()
    decode_with(attention=how(spy, BahdanauAttention, name, ATTENTION_UNITS))
    assert spy.calls > 0


@HOOKED
@pytest.mark.parametrize("name", ["call", "inner_loop", "get_initial_state"])
def test_a_method_of_rnn_that_was_replaced_is_called(name, how):
    spy = Spy()
    how(spy, RNN, name, LSTMCell(UNITS))(normal(3, LENGTH, 2))
    assert spy.calls > 0


@HOOKED
@pytest.mark.parametrize("name", ["call", "get_initial_state"])
def test_a_method_of_attention_rnn_that_was_replaced_is_called(name, how):
    spy = Spy()
    layer = how(spy, AttentionRNN, name, LSTMCell(UNITS), BahdanauAttention(ATTENTION_UNITS))
    layer(normal(3, LENGTH, 2), normal(3, 7, 13))
    assert spy.calls > 0


def test_a_cell_that_computes_something_else_is_asked_by_every_layer():
    class Counting(RNNCell):
        def call(self, inputs, states, training=False):
            return states[0] + 1, [states[0] + 1]

    tensors = normal(2, 3, 2), normal(2, 5, 2)
    decoded, *_ = AttentionRNN(Counting(4), BahdanauAttention(3))(*tensors)
    read = RNN(Counting(4), return_sequences=True)(tensors[0])
    stacked = RNN([RNNCell(4), Counting(4)], return_sequences=True)(tensors[0])
    for found in (decoded, read, stacked):
        np.testing.assert_array_equal(found[:, :, 0], [[1, 2, 3]] * 2)


def test_an_attention_that_computes_something_else_is_asked_in_training_and_in_decoding():
    class First(BahdanauAttention):
        """Looks at the first position, whatever the query."""

        def call(self, query, values, keys=None, values_mask=None, training=False):
            return values[:, 0], keras.ops.one_hot([0, 0], values.shape[1])

    layer, values = AttentionRNN(LSTMCell(4), First(3)), normal(2, 5, 6)
    for length in (3, 1):
        _, contexts, weights, *_ = layer(normal(2, length, 2), values)
        np.testing.assert_array_equal(weights[..., 0], np.ones((2, length)))
        np.testing.assert_array_equal(contexts[:, -1], values[:, 0])


def test_a_cell_with_a_projection_of_its_own_reads_input_and_context_together():
    class Squared(RNNCell):
        def project(self, inputs, first_row=0):
            assert first_row == 0
            return super().project(inputs) ** 2

    layer = make_decoder(Squared)
    inputs, values = normal(3, LENGTH, 2), normal(3, 7, 13)
    outputs, contexts, *_ = layer(inputs, values)
    both = np.concatenate([inputs[:, 0], contexts[:, 0]], axis=-1)
    [expected, _] = layer.cell(both, [np.zeros((3, UNITS), "float32")])
    assert_all_close(outputs[:, 0], expected)


def test_a_tensor_in_the_place_of_a_weight_is_read():
    layer, tensors = make_decoder(LSTMCell), [normal(3, LENGTH, 2), normal(3, 7, 13)]
    before, attention = layer(*tensors)[2], layer.attention
    merged = attention.query_kernel * 0 + 3.0
    object.__setattr__(attention, "query_kernel", merged)
    written_out = layer(*tensors)
    with bptt.enabled(False):
        assert_all_close(written_out, layer(*tensors))
    assert np.abs(written_out[2] - before).max() > 1e-3


def test_a_layer_that_does_not_cast_its_inputs_takes_the_portable_path():
    inputs, values = normal(3, LENGTH, 2), normal(3, 7, 13)
    expected = make_decoder(LSTMCell)(inputs, values)
    layer = make_decoder(LSTMCell, autocast=False)
    assert_all_close(layer(inputs, tf.constant(values, "float64")), expected)
