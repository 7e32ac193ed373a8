"""Properties of `RNN` that hold for any weights, lengths, masks and batches."""

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from support import reference
from support.reference import assert_all_close, normal, randomize, weights_of
from support.small_layers import (
    ALL,
    BATCH,
    FEATURES,
    FEW,
    LENGTH,
    MASK,
    PAIRS,
    UNITS,
    make_rnn,
    normal_states,
)

from kerasseq import RNN


@settings(FEW, max_examples=15)
@given(
    mask=st.integers(1, 6).flatmap(
        lambda length: st.lists(
            st.lists(st.booleans(), min_size=length, max_size=length), min_size=1, max_size=4
        )
    ),
    features=st.integers(1, 4),
    units=st.integers(1, 5),
    go_backwards=st.booleans(),
    seed=st.integers(0, 999),
)
@pytest.mark.parametrize("name", PAIRS)
def test_any_mask_is_that_of_the_loop_and_of_keras(name, mask, features, units, go_backwards, seed):
    make_cell, make_keras_layer, equations = PAIRS[name]
    mask = np.array(mask)
    sequences = normal(*mask.shape, features, seed=seed)
    layer = RNN(make_cell(units), go_backwards=go_backwards, **ALL)
    theirs = make_keras_layer(units, go_backwards=go_backwards, **ALL)
    layer.build(sequences.shape)
    theirs.build(sequences.shape)
    theirs.set_weights(randomize(layer, seed).get_weights())
    states = normal_states(layer, len(mask))
    results = layer(sequences, initial_state=states, mask=mask)
    order = slice(None, None, -1 if go_backwards else 1)
    outputs, final = reference.run(
        equations(*weights_of(layer)), sequences[:, order], states, mask[:, order]
    )
    assert_all_close(results, (outputs, *final))
    assert_all_close(results, theirs(sequences, initial_state=states, mask=mask))


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
@given(exponent=st.integers(0, 30), negative=st.booleans())
@pytest.mark.parametrize("name", PAIRS)
def test_large_inputs_stay_finite(name, exponent, negative):
    layer = make_rnn(PAIRS[name][0](UNITS))
    scale = -(10.0**exponent) if negative else 10.0**exponent
    sequences = tf.constant((scale * normal(BATCH, LENGTH, FEATURES)).astype("float32"))
    with tf.GradientTape() as tape:
        outputs = layer(sequences, mask=MASK)
        loss = tf.reduce_sum(outputs**2)
    assert np.all(np.isfinite(outputs))
    if exponent <= 4:
        for gradient in tape.gradient(loss, [weight.value for weight in layer.weights]):
            assert np.all(np.isfinite(gradient))


@pytest.mark.parametrize("scale", [1e2, -1e2])
@pytest.mark.parametrize("name", PAIRS)
def test_inputs_of_a_hundred_stay_finite_in_float16(name, scale):
    layer = make_rnn(PAIRS[name][0](UNITS, dtype="float16"), dtype="float16")
    sequences = (scale * normal(BATCH, LENGTH, FEATURES)).astype("float16")
    assert np.all(np.isfinite(layer(sequences, mask=MASK)))
