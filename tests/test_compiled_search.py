"""The search of a model in one graph, with XLA and without."""

import numpy as np
import pytest
from support.reference import assert_close, randomize

from kerasseq import build_attention_seq2seq, build_seq2seq
from kerasseq.decoding.compiled import CompiledSearch, length_limits
from kerasseq.text.control_tokens import END, PADDING, START

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


@pytest.mark.parametrize(
    ("builder", "beam_width"),
    [
        pytest.param(build_attention_seq2seq, 1, marks=pytest.mark.slow),
        pytest.param(build_attention_seq2seq, 3, marks=pytest.mark.slow),
        (build_seq2seq, 1),
    ],
)
def test_xla_finds_the_same(builder, beam_width):
    model = make_model(builder)
    plain, compiled = CompiledSearch(model), CompiledSearch(model, jit_compile=True)
    batch = batch_of([3, 7, 1])
    tokens, scores, weights = compiled(*batch, beam_width)
    expected_tokens, *expected = plain(*batch, beam_width)
    steps = expected_tokens.shape[-1]  # XLA cannot cut behind the last token
    assert not np.any(tokens[..., steps:])
    np.testing.assert_array_equal(tokens[..., :steps], expected_tokens)
    assert_close(scores, expected[0])
    assert_close(weights[:, :, :steps], expected[1])
    assert np.unique(tokens).size >= 3


def test_it_is_traced_once():
    search = CompiledSearch(make_model(build_attention_seq2seq))
    for lengths in ([1], [2, 3], [7, 8, 20]):
        search(*batch_of(lengths))
    assert search.traces == 1


@pytest.mark.slow
def test_xla_compiles_once_a_power_of_two():
    search = CompiledSearch(make_model(build_seq2seq), jit_compile=True)
    for length in range(1, 15):
        search(*batch_of([length]))
    assert search.traces == 2  # source ids 8 and 16


@pytest.mark.slow
def test_a_beam_finds_what_is_at_least_as_likely():
    search = CompiledSearch(make_model(build_attention_seq2seq))
    batch = batch_of([2, 5, 3, 4])
    [_, greedy, _], [_, scores, _] = search(*batch), search(*batch, beam_width=8)
    assert np.all(scores >= greedy - 1e-4)
    assert np.any(scores > greedy + 1e-2)
    tokens, *_ = search(*batch, beam_width=8)
    longer, *_ = search(*batch, beam_width=8, length_penalty=5.0)
    assert np.sum(longer != PADDING) > np.sum(tokens != PADDING)


def test_it_speaks_for_the_present_weights():
    model = make_model(build_seq2seq)
    search = CompiledSearch(model)
    before, *_ = search(*batch_of([5]))
    model.set_weights(make_model(build_seq2seq, seed=1).get_weights())
    assert not np.array_equal(search(*batch_of([5]))[0], before)


@pytest.mark.parametrize("beam_width", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_attention_need_not_be_kept(beam_width):
    search, batch = CompiledSearch(make_model(build_attention_seq2seq)), batch_of([3, 7])
    tokens, scores, weights = search(*batch, beam_width, keep_attention=False)
    expected_tokens, expected_scores, _ = search(*batch, beam_width)
    np.testing.assert_array_equal(tokens, expected_tokens)
    np.testing.assert_array_equal(scores, expected_scores)
    assert weights.shape[-1] == 0


def test_results_are_as_long_as_the_longest():
    model = make_model(build_attention_seq2seq)
    ends = model.get_layer("logits").bias
    ends.assign(np.where(np.arange(VOCAB_SIZE) == END, 1e9, 0))
    source, _ = batch_of([3, 7])
    tokens, _, weights = CompiledSearch(model)(source, np.array([500, 900], "int32"))
    assert tokens.shape == (2, 1, 1) and weights.shape == (2, 1, 1, 9)


def test_a_translation_is_at_most_twice_as_long_as_its_source_and_of_2000_tokens():
    texts, counts = ["a", "a", "", "a"], [3, 995, 7, 80_000]
    assert length_limits(texts, counts).numpy().tolist() == [16, 2000, 0, 2000]
    assert length_limits(texts, counts, 9999).numpy().tolist() == [9999, 9999, 0, 9999]
