"""Everything computes under another `floatx`; log-probabilities are float32 all the same."""

import keras
import numpy as np
import pytest
from support.searches import search_model
from support.small_models import INPUTS, REAL, SOURCE, TARGET_OUT, build

import kerasseq
from kerasseq import build_attention_seq2seq, build_seq2seq, decoding, probes
from kerasseq.metrics import TokenAccuracy


@pytest.fixture(params=["float64", "float16"])
def floatx(request):
    before = keras.config.floatx(), keras.config.dtype_policy()
    keras.config.set_floatx(request.param)
    keras.config.set_dtype_policy(request.param)
    yield request.param
    keras.config.set_floatx(before[0])
    keras.config.set_dtype_policy(before[1])


BUILDERS = pytest.mark.parametrize("builder", [build_seq2seq, build_attention_seq2seq])


@pytest.mark.slow
@BUILDERS
def test_a_model_trains(builder, floatx):
    model = build(builder)
    metrics = [kerasseq.Perplexity(), TokenAccuracy()]
    model.compile("sgd", kerasseq.SmoothedCrossentropy(0.1), metrics=metrics)
    history = model.fit(INPUTS, TARGET_OUT, batch_size=3, verbose=0).history
    assert all(np.isfinite(value).all() for value in history.values())
    assert keras.backend.standardize_dtype(model(INPUTS).dtype) == floatx


@BUILDERS
@pytest.mark.parametrize("allow_unknown", [False, True])
def test_both_searches_score_in_float32(builder, allow_unknown, floatx):
    model = build(builder)
    options = {"allow_unknown": allow_unknown}
    wide = {"beam_width": 3, "length_penalty": 1.0, "n_best": 2, **options}
    greedy = search_model(model, decoding.greedy_search, **options)
    beam = search_model(model, decoding.beam_search, **wide)
    for found in (greedy, beam):
        assert found.scores.dtype == found.attention_weights.dtype == "float32"
    one = search_model(model, decoding.beam_search, beam_width=1, **options)
    np.testing.assert_array_equal(one.tokens[:, 0], greedy.tokens)


def test_float64_is_float32_with_more_digits():
    expected = build(build_attention_seq2seq)(INPUTS)
    before = keras.config.dtype_policy()
    keras.config.set_floatx("float64")
    keras.config.set_dtype_policy("float64")
    try:
        model = build(build_attention_seq2seq)
        np.testing.assert_allclose(model(INPUTS)[REAL], expected[REAL], atol=1e-5)
    finally:
        keras.config.set_floatx("float32")
        keras.config.set_dtype_policy(before)


def test_the_probes_measure(floatx):
    cell = kerasseq.LSTMCell(3)
    jacobians, _ = probes.step_jacobians(cell, np.ones((5, 2)))
    assert np.isfinite(jacobians).all()
    model = build(build_attention_seq2seq)
    model.compile("sgd", kerasseq.SmoothedCrossentropy())
    assert np.isfinite(probes.input_gradients(model, INPUTS, TARGET_OUT, "source_embedding")).all()
    gates = kerasseq.gate_view(model)(SOURCE)
    assert all(np.isfinite(gate).all() for gate in gates.values())
