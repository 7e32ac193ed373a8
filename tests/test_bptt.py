"""The backward pass written out against automatic gradients of the portable path."""

import pathlib
import subprocess
import sys

import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from support.reference import assert_all_close, normal, randomize
from support.small_layers import (
    ATTENTION_UNITS,
    FEW,
    LENGTH,
    MASK,
    UNITS,
    VALUES_MASK,
    make_decoder,
    make_rnn,
    normal_states,
)

from kerasseq import RNN, AttentionRNN, BahdanauAttention, LSTMCell, RNNCell, bptt
from kerasseq.bptt import rnn_gradient

CELLS = pytest.mark.parametrize("make_cell", [RNNCell, LSTMCell])
DTYPES = pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 1e-5), ("float64", 1e-10)])
LENGTHS = st.integers(2, 6)
BATCHES = st.integers(1, 4)


def random_mask(seed, *shape):
    """Return masks of every kind: with gaps, from the first step or not, and all padding."""
    rng = np.random.default_rng(seed)
    return rng.random(shape) < rng.choice([0.0, 0.5, 0.8, 1.0], size=(shape[0], 1))


def results_and_gradients(layer, tensors, **masks):
    """Return all outputs, and the gradients of a function of them to all that is given."""
    tensors = keras.tree.map_structure(lambda array: tf.cast(array, layer.dtype), tensors)
    variables = [weight.value for weight in layer.trainable_weights]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        results = keras.tree.flatten(layer(*tensors, **masks))
        loss = sum(tf.reduce_sum(tf.sin(3 * result + i)) for i, result in enumerate(results))
    return results, tape.gradient(loss, [*keras.tree.flatten(tensors), *variables])


def compare_the_paths(make_layer, tensors, tolerance, **masks):
    """Each path on a layer of its own, as both draw the same dropout from their first number on."""
    with bptt.enabled(True):
        written_out = results_and_gradients(make_layer(), tensors, **masks)
    with bptt.enabled(False):
        automatic = results_and_gradients(make_layer(), tensors, **masks)
    assert_all_close(written_out, automatic, tolerance)


# The gradients are those of the portable path


@settings(FEW, max_examples=8)
@given(
    batch=BATCHES,
    length=LENGTHS,
    features=st.integers(1, 3),
    units=st.integers(1, 5),
    go_backwards=st.booleans(),
    zero_output_for_mask=st.booleans(),
    dropout=st.sampled_from([0.0, 0.4]),
    seed=st.integers(0, 999),
)
@CELLS
@DTYPES
def test_rnn_has_the_gradients_of_the_portable_path(
    make_cell, dtype, tolerance, batch, length, features, units, dropout, seed, **options
):
    def make_layer():
        cell = make_cell(units, dropout=dropout, seed=seed, dtype=dtype)
        layer = RNN(cell, return_sequences=True, return_state=True, dtype=dtype, **options)
        layer.build((None, None, features))
        return randomize(layer, seed)

    states = [normal(batch, size, seed=seed + i) for i, size in enumerate(make_layer().state_size)]
    tensors = [normal(batch, length, features, seed=seed), states]
    mask = random_mask(seed, batch, length)
    compare_the_paths(make_layer, tensors, tolerance, mask=mask, training=True)


@settings(FEW, max_examples=8)
@given(
    batch=BATCHES,
    length=LENGTHS,
    source_length=st.integers(1, 5),
    features=st.integers(1, 3),
    value_dim=st.integers(1, 4),
    units=st.integers(1, 5),
    dropout=st.sampled_from([0.0, 0.4]),
    seed=st.integers(0, 999),
)
@CELLS
@DTYPES
def test_attention_rnn_has_the_gradients_of_the_portable_path(
    make_cell,
    dtype,
    tolerance,
    batch,
    length,
    source_length,
    features,
    value_dim,
    units,
    dropout,
    seed,
):
    def make_layer():
        cell = make_cell(units, dropout=dropout, seed=seed, dtype=dtype)
        layer = AttentionRNN(cell, BahdanauAttention(ATTENTION_UNITS, dtype=dtype), dtype=dtype)
        layer.build((None, None, features), (None, None, value_dim))
        return randomize(layer, seed)

    tensors = [
        normal(batch, length, features, seed=seed),
        normal(batch, source_length, value_dim, seed=seed + 1),
        [normal(batch, size, seed=seed + i) for i, size in enumerate(make_layer().state_size)],
        normal(batch, source_length, ATTENTION_UNITS, seed=seed + 2),
    ]
    masks = {
        "inputs_mask": random_mask(seed, batch, length),
        "values_mask": random_mask(seed + 1, batch, source_length),
    }
    compare_the_paths(make_layer, tensors, tolerance, **masks, training=True)


def test_without_masks_the_gradients_are_those_of_the_portable_path():
    tensors = [normal(3, LENGTH, 2), normal(3, 7, 13)]
    compare_the_paths(lambda: make_decoder(LSTMCell), tensors, 1e-5)
    compare_the_paths(lambda: make_rnn(LSTMCell(UNITS)), tensors[:1], 1e-5)


# Under XLA and in several replicas


@pytest.mark.parametrize("jit_compile", [False, True])
def test_a_graph_of_unknown_shapes_has_the_same_gradients(jit_compile):
    decoder = make_decoder(LSTMCell)
    tensors = [normal(3, LENGTH, 2), normal(3, 7, 13), normal_states(decoder)]
    masks = {"inputs_mask": tf.constant(MASK), "values_mask": tf.constant(VALUES_MASK)}
    signature = keras.tree.map_structure(
        lambda array: tf.TensorSpec([None] * (array.ndim - 1) + [array.shape[-1]]), tensors
    )

    @tf.function(input_signature=[*signature], jit_compile=jit_compile)
    def traced(*tensors):
        return results_and_gradients(decoder, list(tensors), **masks)

    with bptt.enabled(True):
        written_out = traced(*tensors)
    with bptt.enabled(False):
        automatic = results_and_gradients(decoder, tensors, **masks)
    assert_all_close(written_out, automatic)


# What is covered


@pytest.fixture
def taken(monkeypatch):
    """Return a list that grows by one at every recurrence that is written out."""
    calls = []

    def count(cell, *arguments):
        calls.append(cell)
        return run(cell, *arguments)

    run = rnn_gradient.run_rnn
    monkeypatch.setattr(rnn_gradient, "run_rnn", count)
    with bptt.enabled(True):
        yield calls


def test_the_layers_take_it_by_themselves(taken):
    for cell in (RNNCell(UNITS), LSTMCell(UNITS, dropout=0.5)):
        make_rnn(cell)(normal(3, LENGTH, 2), training=True)
    assert len(taken) == 2


@pytest.mark.parametrize(
    "make_layer",
    [
        lambda: RNN(LSTMCell(UNITS, activation="relu")),
        lambda: RNN(LSTMCell(UNITS, recurrent_activation="hard_sigmoid")),
        lambda: RNN(LSTMCell(UNITS, recurrent_dropout=0.5)),
        lambda: RNN([keras.layers.LSTMCell(UNITS), keras.layers.LSTMCell(UNITS)]),
        lambda: RNN(type("Own", (keras.layers.StackedRNNCells,), {})([LSTMCell(UNITS)])),
        lambda: type("Own", (RNN,), {})(LSTMCell(UNITS)),
        lambda: RNN(keras.layers.LSTMCell(UNITS)),
        lambda: RNN(type("Own", (LSTMCell,), {})(UNITS)),
        lambda: RNN(LSTMCell(UNITS), unroll=True),
    ],
)
def test_what_is_not_covered_takes_the_portable_path(make_layer, taken):
    make_layer()(normal(3, LENGTH, 2), training=True)
    assert taken == []


def test_a_stack_takes_it_layer_after_layer(taken):
    make_rnn([RNNCell(4), LSTMCell(UNITS, dropout=0.5)])(normal(3, LENGTH, 2), training=True)
    assert len(taken) == 2


@pytest.mark.parametrize("go_backwards", [False, True])
@pytest.mark.parametrize("dropout", [0.0, 0.4])
def test_a_stack_has_the_gradients_of_its_cells_called_step_by_step(go_backwards, dropout):
    class Stack(keras.layers.StackedRNNCells):
        """Another class: the layer knows only that it is a cell."""

    def make_layer(stack):
        cells = [make(5, dropout=dropout, seed=i) for i, make in enumerate([LSTMCell, RNNCell])]
        options = {"return_sequences": True, "return_state": True, "go_backwards": go_backwards}
        return make_rnn(stack(cells), **options)

    states = [normal(3, 5, seed=i) for i in range(3)]
    tensors = normal(3, LENGTH, 2), states
    results = [
        results_and_gradients(make_layer(stack), tensors, mask=MASK, training=True)
        for stack in (Stack, keras.layers.StackedRNNCells)
    ]
    assert_all_close(*results)


def test_it_can_be_switched_off(taken):
    layer = make_rnn(LSTMCell(UNITS))
    with bptt.enabled(False):
        layer(normal(3, LENGTH, 2))
    assert taken == []
    layer(normal(3, LENGTH, 2))
    assert len(taken) == 1


def test_a_model_with_it_can_be_exported(tmp_path):
    decoder = make_decoder(LSTMCell)
    inputs, values = keras.Input((None, 2)), keras.Input((None, 13))
    model = keras.Model([inputs, values], list(decoder(inputs, values)))
    model.export(tmp_path / "exported", verbose=False)
    tensors = [normal(3, LENGTH, 2), normal(3, 7, 13)]
    loaded = tf.saved_model.load(tmp_path / "exported")
    assert_all_close(loaded.serve(tensors), model(tensors))


@pytest.mark.parametrize("make_layer", [lambda: make_rnn(LSTMCell(UNITS)), lambda: make_looker()])
def test_gradients_of_gradients_are_refused(make_layer):
    layer = make_layer()
    sequences = tf.constant(normal(3, LENGTH, 2))
    with bptt.enabled(True), tf.GradientTape() as outer:
        outer.watch(sequences)
        with tf.GradientTape() as inner:
            inner.watch(sequences)
            loss = tf.reduce_sum(keras.tree.flatten(layer(sequences))[0])
        slope = tf.reduce_sum(inner.gradient(loss, sequences) ** 2)
    with pytest.raises(NotImplementedError, match=r"under `kerasseq.bptt.enabled\(False\)`"):
        outer.gradient(slope, sequences)


def make_looker():
    decoder = make_decoder(LSTMCell)
    return lambda inputs: decoder(inputs, tf.constant(normal(3, 7, 13)))


@pytest.mark.slow
def test_two_replicas_learn_as_one_device():
    script = pathlib.Path(__file__).parent / "support" / "replicas.py"
    result = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert result.stdout.split("\n")[-2] == "the same"
