"""The search of a model in one graph, with XLA and without."""

import numpy as np
import pytest
from reference import assert_close, randomize

from kerasseq import build_attention_seq2seq, build_seq2seq
from kerasseq.control_tokens import END, PADDING, START
from kerasseq.search import CompiledSearch

VOCAB_SIZE = 11


def make_model(builder, seed=0):
    model = randomize(builder(VOCAB_SIZE, VOCAB_SIZE, embedding_dim=4, units=6), seed)
    model.set_weights([4 * weight for weight in model.get_weights()])  # to say different things
    return model


def batch_of(lengths, seed=0):
    """Return source ids and the most tokens of each translation."""
    source = np.full((len(lengths), max(lengths) + 2), PADDING, "int32")
    for row, length in zip(source, lengths, strict=True):
        ids = np.random.default_rng([seed, length]).integers(END + 1, VOCAB_SIZE, length)
        row[: length + 2] = [START, *ids, END]
    return source, 2 * np.array(lengths, "int32") + 10


@pytest.mark.parametrize("builder", [build_attention_seq2seq, build_seq2seq])
def test_xla_finds_the_same(builder):
    model = make_model(builder)
    plain, compiled = CompiledSearch(model), CompiledSearch(model, jit_compile=True)
    batch = batch_of([3, 7, 1])
    tokens, scores, weights = compiled(*batch)
    expected = plain(*batch)
    np.testing.assert_array_equal(tokens, expected.tokens)
    assert_close(scores, expected.scores)
    assert_close(weights, expected.attention_weights)
    assert np.unique(tokens).size >= 3


def test_it_is_traced_once():
    search = CompiledSearch(make_model(build_attention_seq2seq))
    for lengths in ([1], [2, 3], [7, 8, 20]):
        search(*batch_of(lengths))
    assert search.traces == 1


def test_xla_compiles_once_a_power_of_two():
    search = CompiledSearch(make_model(build_seq2seq), jit_compile=True)
    for length in range(1, 15):
        search(*batch_of([length]))
    assert search.traces == 2  # source ids 8 and 16


def test_it_speaks_for_the_present_weights():
    model = make_model(build_seq2seq)
    search = CompiledSearch(model)
    before = search(*batch_of([5])).tokens
    model.set_weights(make_model(build_seq2seq, seed=1).get_weights())
    assert not np.array_equal(search(*batch_of([5])).tokens, before)
