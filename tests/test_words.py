import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kerasseq import TextProcessor, Translation
from kerasseq.translation.word_attention import in_words, share_of_words

CHARS = TextProcessor(level="char").adapt(["abcdefghijklmnopqrstuvwxyz ,.'’"])
WORDS = TextProcessor().adapt(["a"])


@pytest.mark.parametrize(
    ("surfaces", "words", "expected"),
    [
        (["un", "do", " it"], ["undo", "it"], [[2, 2, 0], [0, 0, 3]]),
        ([" l'homme"], ["l'", "homme"], [[3], [5]]),  # two words in one piece
        ([" ", "a", " b"], ["a", "b"], [[1, 1, 0], [0, 0, 2]]),  # a space goes to the word behind
        (["a", " "], ["a"], [[1, 1]]),  # and the last ones to the last word
        (["d’", "or"], ["d’", "or"], [[4, 0], [0, 2]]),  # a character of three bytes
        (["a", "b"], [], np.zeros((0, 2))),
        ([], ["a"], np.zeros((1, 0))),
        (["x"], ["a", "b"], [[0], [1]]),  # nothing in common
        ([".", " ", ".", "."], [".", ".", "."], [[1, 0, 0, 0], [0, 1, 1, 0], [0, 0, 0, 1]]),
    ],
)
def test_bytes_of_words_in_tokens(surfaces, words, expected):
    surfaces = [surface.encode() for surface in surfaces]
    np.testing.assert_array_equal(share_of_words(surfaces, words), expected)


def test_a_character_may_be_cut_into_bytes():
    surfaces = [b" ", b"\xe7", b"\x8c", b"\xab", b"\xff"]
    np.testing.assert_array_equal(share_of_words(surfaces, ["猫"]), [[1, 1, 1, 1, 1]])


def test_attention_between_words_by_hand():
    weights = np.array(
        [  # [START] a  b  " " c  [END]
            [0.0, 0.2, 0.4, 0.0, 0.4, 0.0],  # x
            [0.2, 0.0, 0.0, 0.3, 0.3, 0.2],  # y
            [0.0, 0.0, 0.0, 1.0, 0.0, 0.0],  # " "
            [0.5, 0.0, 0.1, 0.0, 0.0, 0.4],  # z
        ]
    )
    source = ["[START]", *"ab c", "[END]"]
    found = in_words(Translation("xy z", list("xy z"), source, weights, -1.0), CHARS, CHARS)
    assert found.tokens == ["xy", "z"]
    assert found.source_tokens == ["[START]", "ab", "c", "[END]"]
    expected = [[0.1, 0.3, 0.5, 0.1], [0.25, 0.05, 0.5, 0.2]]
    np.testing.assert_allclose(found.attention_weights, expected)
    assert (found.text, found.score) == ("xy z", -1.0)


TEXT = st.text("ab ,.'’-", max_size=12)


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(TEXT, TEXT, st.integers(0, 99))
def test_rows_still_sum_to_one(source, target, seed):
    source_tokens, tokens = ["[START]", *source, "[END]"], list(target)
    weights = np.random.default_rng(seed).dirichlet(np.ones(len(source_tokens)), len(tokens))
    weights = weights.reshape(len(tokens), len(source_tokens))
    if not WORDS.tokens(source):
        weights[:, 0], weights[:, 1:-1] = weights[:, :-1].sum(axis=1), 0  # nothing to look at
    found = in_words(Translation(target, tokens, source_tokens, weights, 0.0), CHARS, CHARS)
    assert found.tokens == WORDS.tokens(target)
    assert found.source_tokens[1:-1] == WORDS.tokens(source)
    np.testing.assert_allclose(found.attention_weights.sum(axis=1), 1.0)


def test_words_stay_as_they_are():
    one = Translation("a", ["a"], ["[START]", "a", "[END]"], np.ones((1, 3)), 0.0)
    assert in_words(one, WORDS, WORDS) is one


def test_without_attention_only_the_tokens_change():
    one = Translation("ab", ["a", "b"], ["[START]", "c", "[END]"], None, 0.0)
    found = in_words(one, CHARS, CHARS)
    assert found.tokens == ["ab"] and found.attention_weights is None


def test_words_on_one_side_and_characters_on_the_other():
    weights = np.array([[0.1, 0.2, 0.3, 0.4], [0.0, 0.5, 0.5, 0.0]])
    one = Translation("xy", ["x", "y"], ["[START]", "the", "cat", "[END]"], weights, 0.0)
    found = in_words(one, WORDS, CHARS)
    assert found.source_tokens == ["[START]", "the", "cat", "[END]"]
    assert found.tokens == ["xy"]
    np.testing.assert_allclose(found.attention_weights, weights.mean(axis=0, keepdims=True))
