"""Where BahdanauAttention differs from Keras' AdditiveAttention: both behaviors, side by side."""

import numpy as np
import pytest
from keras import layers, ops
from support.reference import assert_close, normal

import kerasseq

BATCH, LENGTH, UNITS, SOURCE = 2, 5, 4, 7
MASK = np.array([[True, True, True, False, False], [True] * 5])
SOURCE_MASK = np.array([[True, True] + [False] * 5, [False] * 7])  # the second is all padding


@pytest.fixture
def query():
    return normal(BATCH, LENGTH, UNITS, seed=1)


@pytest.fixture
def values():
    return normal(BATCH, SOURCE, UNITS, seed=2)


def with_mask(array, mask):
    tensor = ops.convert_to_tensor(array)
    tensor._keras_mask = ops.convert_to_tensor(mask)
    return tensor


def scores_of(layer, query, values, mask):
    mask = None if mask is None else ops.convert_to_tensor(mask)
    return layer([query, values], mask=[None, mask], return_attention_scores=True)[1]


@pytest.mark.upstream
def test_keras_has_no_projections(query, values):
    theirs, ours = layers.AdditiveAttention(), kerasseq.BahdanauAttention(8)
    theirs([query, values])
    assert [tuple(weight.shape) for weight in theirs.weights] == [(UNITS,)]
    with pytest.raises(Exception, match="Incompatible shapes"):
        layers.AdditiveAttention()([query, normal(BATCH, SOURCE, UNITS - 1)])
    context, _ = ours(query, normal(BATCH, SOURCE, UNITS - 1))
    assert context.shape == (BATCH, LENGTH, UNITS - 1)
    assert [tuple(w.shape) for w in ours.weights] == [(UNITS, 8), (UNITS - 1, 8), (8, 1)]


@pytest.mark.upstream
def test_keras_attends_to_padding_where_all_is_padding(query, values):
    scores = scores_of(layers.AdditiveAttention(), query, values, SOURCE_MASK)
    assert_close(scores[1], np.full((LENGTH, SOURCE), 1 / SOURCE))
    context, weights = kerasseq.BahdanauAttention(8)(query, values, values_mask=SOURCE_MASK)
    np.testing.assert_array_equal(weights[1], np.zeros((LENGTH, SOURCE)))
    np.testing.assert_array_equal(context[1], np.zeros((LENGTH, UNITS)))


@pytest.mark.upstream
def test_keras_gives_nan_in_half_precision_where_all_is_padding(query, values):
    theirs = layers.AdditiveAttention(dtype="float16")
    ours = kerasseq.BahdanauAttention(UNITS, dtype="float16")
    theirs([query, values])
    ours(query, values)
    large = np.full_like(values, 9)  # tanh is 1, so that each score is the sum of the weights
    theirs.set_weights([np.full(UNITS, -20.0)])
    ours.set_weights([np.zeros((UNITS, UNITS)), np.eye(UNITS), np.full((UNITS, 1), -20.0)])
    scores = scores_of(theirs, query, large, SOURCE_MASK)
    assert np.all(np.isnan(scores[1]))
    assert np.all(np.isfinite(scores[0]))
    _, weights = ours(query, large, values_mask=SOURCE_MASK)
    np.testing.assert_array_equal(weights[1], np.zeros((LENGTH, SOURCE)))
    np.testing.assert_allclose(weights[0, :, :2], np.full((LENGTH, 2), 0.5), atol=1e-3)


@pytest.mark.upstream
def test_keras_zeroes_the_context_of_a_masked_query(query, values):
    masked = with_mask(query, MASK)
    theirs = layers.AdditiveAttention()([masked, ops.convert_to_tensor(values)])
    ours, _ = kerasseq.BahdanauAttention(8)(masked, values)
    np.testing.assert_array_equal(theirs[0, 3:], np.zeros((2, UNITS)))
    assert np.all(np.abs(ours[0, 3:]) > 0)
    for context in (theirs, ours):
        np.testing.assert_array_equal(context._keras_mask, MASK)


@pytest.mark.upstream
def test_the_scores_of_keras_come_on_demand(query, values):
    theirs = layers.AdditiveAttention()([query, values])
    assert theirs.shape == (BATCH, LENGTH, UNITS)
    context, weights = kerasseq.BahdanauAttention(8)(query, values)
    assert context.shape == theirs.shape
    assert weights.shape == (BATCH, LENGTH, SOURCE)


@pytest.mark.upstream
def test_keras_answers_one_query_a_sentence_with_a_wrong_shape(query, values):
    theirs = layers.AdditiveAttention()([query[:, 0], values])
    ours, _ = kerasseq.BahdanauAttention(8)(query[:, 0], values)
    assert theirs.shape == (BATCH, BATCH, UNITS)  # each query met the values of every sentence
    assert ours.shape == (BATCH, UNITS)


@pytest.mark.upstream
def test_keras_drops_attention_weights(query, values):
    layer = layers.AdditiveAttention(dropout=0.5, seed=3)
    scores = layer([query, values], return_attention_scores=True, training=True)[1]
    assert np.any(np.asarray(scores) == 0)
    assert np.max(np.abs(np.sum(scores, axis=-1) - 1)) > 0.01
    with pytest.raises(ValueError, match="dropout"):
        kerasseq.BahdanauAttention(8, dropout=0.5)


def test_the_causal_mask_is_for_self_attention(query):
    layer = layers.AdditiveAttention()
    scores = layer([query, query], return_attention_scores=True, use_causal_mask=True)[1]
    assert_close(np.triu(scores[0], 1), np.zeros((LENGTH, LENGTH)))
    with pytest.raises(TypeError, match="use_causal_mask"):
        kerasseq.BahdanauAttention(8)(query, query, use_causal_mask=True)


@pytest.mark.parametrize("name", ["use_scale", "score_mode"])
def test_what_the_paper_fixes_is_no_argument(name):
    with pytest.raises(ValueError, match=name):
        kerasseq.BahdanauAttention(8, **{name: True})


@pytest.mark.upstream
def test_keras_takes_a_mask_that_fits_by_broadcasting(query, values):
    mask = np.ones((BATCH, 1), bool)
    assert scores_of(layers.AdditiveAttention(), query, values, mask).shape[-1] == SOURCE
    with pytest.raises(ValueError, match=r"Received: values_mask\.shape=\(2, 1\)"):
        kerasseq.BahdanauAttention(8)(query, values, values_mask=mask)
