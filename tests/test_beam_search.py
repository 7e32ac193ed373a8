"""Beam search against a search of everything, over fake models whose right answers can be read."""

import itertools

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import ops
from support.searches import ALPHABET, Script, spell

from kerasseq.decoding import beam_search, greedy_search

END, LETTERS = 3, (4, 5)
STATES = 31  # histories are told apart by their remainder


class Story:
    """A random model that remembers all it was fed, as a number; its attention is random, too.

    Row r of the batch is sentence `sentences[r]`: the number it starts from.
    """

    def __init__(self, seed, vocab_size=6, source_length=3):
        rng = np.random.default_rng(seed)
        self.logits = rng.normal(0, 2, (STATES, vocab_size)).astype("float32")
        self.weights = rng.dirichlet(np.ones(source_length), STATES).astype("float32")

    def __call__(self, tokens, states):
        (number,) = states
        number = (number * 7 + tokens) % STATES
        return ops.take(self.logits, number, 0), [number], ops.take(self.weights, number, 0)

    def force(self, sentence, tokens):
        """Return score and attention of given tokens, fed one by one."""
        number, score, weights, last = sentence, 0.0, [], 2
        for token in tokens:
            number = (number * 7 + last) % STATES
            logits = self.logits[number].astype("float64")
            score += logits[token] - np.log(np.sum(np.exp(logits)))
            weights.append(self.weights[number])
            last = token
        return score, np.array(weights)


def search(model, sentences, max_length, **options):
    states = [ops.convert_to_tensor(np.array(sentences, "int32"))]
    limits = np.broadcast_to(max_length, (len(sentences),)).astype("int32")
    found = beam_search(model, states, 3, ops.convert_to_tensor(limits), **options)
    return [np.array(part) for part in found]


def kept(tokens):
    """Return the ids of a row without padding, as a tuple."""
    return tuple(int(token) for token in tokens if token)


def everything(model, sentence, max_length, length_penalty):
    """Return all hypotheses, best first."""
    hypotheses = [
        [*letters, END]
        for length in range(max_length)
        for letters in itertools.product(LETTERS, repeat=length)
    ]
    hypotheses += [list(letters) for letters in itertools.product(LETTERS, repeat=max_length)]

    def ranking(tokens):
        return model.force(sentence, tokens)[0] / ((5 + len(tokens)) / 6) ** length_penalty

    return sorted(map(tuple, hypotheses), key=ranking, reverse=True)


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    max_length=st.integers(1, 4),
    length_penalty=st.sampled_from([0.0, 0.6, 1.0, 3.0]),
    n_best=st.sampled_from([1, 3, 32]),
)
def test_a_wide_beam_finds_what_a_search_of_everything_finds(
    seed, max_length, length_penalty, n_best
):
    model = Story(seed)
    options = {"beam_width": 32, "length_penalty": length_penalty, "n_best": n_best}
    tokens, scores, _ = search(model, [seed % STATES], max_length, **options)
    expected = everything(model, seed % STATES, max_length, length_penalty)[:n_best]
    found = [kept(row) for row in tokens[0]]
    assert found[: len(expected)] == expected
    assert all(row == () for row in found[len(expected) :])
    assert np.all(scores[0, len(expected) :] == -np.inf)


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    beam_width=st.integers(1, 7),
    length_penalty=st.sampled_from([0.0, 1.0]),
    data=st.data(),
)
def test_scores_and_attention_are_those_of_the_tokens(seed, beam_width, length_penalty, data):
    model = Story(seed, vocab_size=11)
    n_best = data.draw(st.integers(1, beam_width))
    sentences = data.draw(st.lists(st.integers(0, STATES - 1), min_size=1, max_size=3))
    options = {"beam_width": beam_width, "length_penalty": length_penalty, "n_best": n_best}
    found = search(model, sentences, 6, **options)
    for sentence, *rows in zip(sentences, *found, strict=True):
        hypotheses = [kept(tokens) for tokens in rows[0]]
        assert len(set(hypotheses)) == len(hypotheses)
        ranking = []
        for tokens, score, weights in zip(hypotheses, *rows[1:], strict=True):
            expected, attention = model.force(sentence, tokens)
            np.testing.assert_allclose(score, expected, rtol=0, atol=1e-4)
            np.testing.assert_allclose(weights[: len(tokens)], attention, rtol=1e-6)
            assert not np.any(weights[len(tokens) :])
            assert min(tokens) >= END  # neither [UNK] nor [START]
            ranking.append(score / ((5 + len(tokens)) / 6) ** length_penalty)
        assert ranking == sorted(ranking, reverse=True)


@pytest.mark.parametrize("length_penalty", [0.0, 1.0])
def test_a_beam_of_one_is_greedy(length_penalty):
    model, sentences = Story(5, vocab_size=11), list(range(20))
    found = search(model, sentences, 12, beam_width=1, length_penalty=length_penalty)
    states = [ops.convert_to_tensor(np.array(sentences, "int32"))]
    limits = ops.full((20,), 12, dtype="int32")
    greedy = greedy_search(model, states, 3, limits)
    for ours, expected in zip(found, greedy, strict=True):
        np.testing.assert_array_equal(ours[:, 0], expected)
    assert len({kept(row) for row in found[0][:, 0]}) > 5


def test_the_other_sentences_change_nothing():
    model, sentences = Story(8, vocab_size=11), [3, 14, 15, 9, 26, 5, 30, 8]
    limits = [2, 15, 4, 9, 1, 12, 7, 3]
    together = search(model, sentences, limits, n_best=2)
    backwards = search(model, sentences[::-1], limits[::-1], n_best=2)
    for row, (sentence, limit) in enumerate(zip(sentences, limits, strict=True)):
        alone = search(model, [sentence], [limit], n_best=2)
        for other, index in ((alone, 0), (backwards, 7 - row)):
            assert list(map(kept, together[0][row])) == list(map(kept, other[0][index]))
            np.testing.assert_allclose(together[1][row], other[1][index], atol=1e-5)


class Menu:
    """A model that knows some sentences by heart, each with its log-probability."""

    def __init__(self, **scores):
        self.sentences = {tuple(map(ALPHABET.index, text)): p for text, p in scores.items()}

    def __call__(self, tokens, states):
        (history,) = states  # (rows, 8), all that was fed, the last at the right
        history = np.concatenate([np.array(history)[:, 1:], np.array(tokens)[:, None]], axis=1)
        logits = np.full((len(history), len(ALPHABET)), -30.0)
        for row, fed in enumerate(history):
            fed = tuple(fed[list(fed).index(2) + 1 :])  # from [START]
            for sentence, score in self.sentences.items():
                if sentence[: len(fed)] == fed and len(sentence) > len(fed):
                    logits[row, sentence[len(fed)]] = score if not fed else 0.0
        rest = 1 - np.sum(np.exp(logits[:, 3:]), axis=1)  # so that the scores are probabilities
        logits[:, 0] = np.log(np.maximum(rest, 1e-13))
        return logits, [history], np.zeros((len(history), 0))


@pytest.mark.parametrize(("length_penalty", "best"), [(0.0, "a."), (1.0, "bcd.")])
def test_the_length_penalty_decides(length_penalty, best):
    """−1.0 at length 2 against −1.2 at length 4: with ((5 + n) / 6), −0.857 against −0.800."""
    menu = Menu(**{"a.": -1.0, "bcd.": -1.2})
    states, limits = [np.zeros((1, 8), int)], ops.convert_to_tensor([5])
    options = {"beam_width": 3, "length_penalty": length_penalty, "n_best": 2}
    found = beam_search(menu, states, 0, limits, **options)
    assert spell(np.array(found.tokens)[0, 0]).rstrip("_") == best
    expected = [-1.0, -1.2] if best == "a." else [-1.2, -1.0]
    np.testing.assert_allclose(found.scores[0], expected, atol=1e-5)


@pytest.mark.parametrize("beam_width", [1, 3])
def test_end_as_first_token(beam_width):
    """P([END]) = 0.9 at once: an empty translation that scores ln 0.9, next to a normal row."""
    states, limits = [ops.zeros((2,), "int32")], ops.convert_to_tensor([10, 10])
    model = Script([*["."] * beam_width, *["ab."] * beam_width])
    found = beam_search(model, states, 12, limits, beam_width=beam_width)
    assert [spell(row)[:4] for row in np.array(found.tokens)[:, 0]] == [".___", "ab._"]
    assert abs(float(found.scores[0, 0]) - -0.105361) < 1e-5
    np.testing.assert_array_equal(np.sum(found.attention_weights[:, 0], axis=(1, 2)), [1, 3])


def test_it_goes_on_while_an_open_hypothesis_can_still_win():
    """The first to end, "a.", is beaten two steps later under a length penalty."""
    calls = []

    def step(tokens, states):
        calls.append(1)
        return Menu(**{"a.": -1.0, "bcd.": -1.2})(tokens, states)

    states, limits = [np.zeros((1, 8), int)], ops.convert_to_tensor([5])
    beam_search(step, states, 0, limits, beam_width=2, length_penalty=1.0)
    patient = len(calls)
    calls.clear()
    beam_search(step, states, 0, limits, beam_width=2)
    assert (patient, len(calls)) == (4, 2)


def test_no_more_than_max_length():
    tokens, scores, _ = search(Story(3), [1, 2], [0, 3], beam_width=3)
    assert kept(tokens[0, 0]) == () and scores[0, 0] == 0
    assert len(kept(tokens[1, 0])) <= 3


def test_a_width_beyond_the_vocabulary():
    tokens, *_ = search(Story(3), [1], 2, beam_width=9, n_best=9)
    assert {kept(row) for row in tokens[0]} - {()} == set(everything(Story(3), 1, 2, 0.0))


@pytest.mark.slow
def test_one_graph_for_every_batch_and_length():
    model, traces = Story(4, vocab_size=11), []

    @tf.function(input_signature=[tf.TensorSpec((None,), tf.int32)] * 2)
    def graph(sentences, limits):
        traces.append(1)
        return beam_search(model, [sentences], 3, limits, beam_width=3, n_best=2)

    for sentences, limits in (([3, 14, 15], [9, 2, 6]), ([9], [5])):
        eager = search(model, sentences, limits, beam_width=3, n_best=2)
        found = graph(tf.constant(sentences), tf.constant(limits))
        for ours, expected in zip(found, eager, strict=True):
            np.testing.assert_allclose(ours, expected, rtol=1e-5)
    assert len(traces) == 1


@pytest.mark.parametrize(
    "options",
    [
        *[{"beam_width": width} for width in (0, -1, 1.5, True)],
        {"n_best": 0},
        {"n_best": 5, "beam_width": 4},
        {"length_penalty": -0.1},
    ],
    ids=str,
)
def test_options_that_do_not_fit(options):
    name = next(iter(options))
    with pytest.raises(ValueError, match=rf"`{name}` must .*Received: {name}={options[name]}"):
        search(Story(3), [1], 2, **options)


@pytest.mark.parametrize("trim", [False, True])
def test_results_may_be_cut_behind_their_longest_hypothesis(trim):
    model, options = Story(4, vocab_size=11), {"beam_width": 3, "n_best": 2}
    tokens, scores, weights = search(model, [3, 14, 15], 40, trim=trim, **options)
    whole = search(model, [3, 14, 15], 40, **options)
    assert tokens.shape[2] == weights.shape[2]
    assert (tokens.shape[2] < 40) == trim
    assert np.count_nonzero(whole[0], axis=2).max() <= tokens.shape[2]
    for part, other in zip((tokens, weights), (whole[0], whole[2]), strict=True):
        np.testing.assert_array_equal(part, other[:, :, : part.shape[2]])
    np.testing.assert_array_equal(scores, whole[1])


def test_attention_need_not_be_kept():
    model = Story(4, vocab_size=11)
    tokens, scores, weights = search(model, [3, 14], 8, keep_attention=False)
    expected = search(model, [3, 14], 8)
    np.testing.assert_array_equal(tokens, expected[0])
    np.testing.assert_array_equal(scores, expected[1])
    assert weights.shape == (2, 1, 8, 0)


@pytest.mark.parametrize("length_penalty", [0.0, 1.0])
def test_xla_finds_the_same(length_penalty):
    model, limits = Story(4, vocab_size=11), tf.constant([9, 2, 6])
    options = {"beam_width": 3, "length_penalty": length_penalty, "n_best": 2, "steps": 12}

    @tf.function(jit_compile=True)
    def compiled(sentences):
        return beam_search(model, [sentences], 3, limits, **options)

    found = compiled(tf.constant([3, 14, 15]))
    for ours, expected in zip(found, search(model, [3, 14, 15], limits, **options), strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-5)
