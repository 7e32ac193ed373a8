"""A healthy computation makes no infinity and no NaN, nor does it begin with one."""

import pytest
import tensorflow as tf
from support.searches import search_model
from support.small_models import INPUTS, SOURCE, TARGET_OUT, build

import kerasseq
from kerasseq import build_attention_seq2seq, decoding
from kerasseq.metrics import TokenAccuracy


@pytest.fixture(autouse=True)
def checked():
    tf.debugging.enable_check_numerics()
    yield
    tf.debugging.disable_check_numerics()


@pytest.mark.slow
@pytest.mark.parametrize("run_eagerly", [False, True])
@pytest.mark.parametrize("layers", [1, 2])
def test_training(layers, run_eagerly):
    model = build(build_attention_seq2seq, layers=layers)
    metrics = [kerasseq.Perplexity(), TokenAccuracy()]
    loss = kerasseq.SmoothedCrossentropy(0.1)
    model.compile("sgd", loss, metrics=metrics, run_eagerly=run_eagerly, jit_compile=False)
    model.fit(INPUTS, TARGET_OUT, batch_size=3, verbose=0)


@pytest.mark.slow
@pytest.mark.parametrize("wrap", [tf.function, lambda function: function], ids=["graph", "eager"])
@pytest.mark.parametrize("allow_unknown", [False, True])
def test_searching(allow_unknown, wrap):
    model = build(build_attention_seq2seq)

    def run():
        beam = {"beam_width": 3, "length_penalty": 1.0, "allow_unknown": allow_unknown}
        greedy = search_model(model, decoding.greedy_search, allow_unknown=allow_unknown)
        return greedy.scores, search_model(model, decoding.beam_search, n_best=1, **beam).scores

    for scores in wrap(run)():
        assert scores.dtype == "float32"


def test_a_source_of_padding():
    model = build(build_attention_seq2seq)
    model({**INPUTS, "source": 0 * SOURCE})
