import pytest
import tensorflow as tf

from kerasseq.text.control_tokens import CONTROL_TOKENS, UNKNOWN
from kerasseq.text.vocabulary import Vocabulary, warn_of_long_words


def make(*tokens, fold=None):
    return Vocabulary([*CONTROL_TOKENS, *tokens], fold)


def test_a_token_has_the_id_of_its_place_and_others_are_unknown():
    assert make("a", "b").ids(tf.constant(["b", "a", "c", ""])).numpy().tolist() == [5, 4, 1, 1]


def test_no_control_token_is_found():
    assert make("a").ids(tf.constant(CONTROL_TOKENS)).numpy().tolist() == [UNKNOWN] * 4


def test_a_token_that_is_missing_has_the_id_of_the_first_one_like_it():
    vocabulary = make("b", "A", "a", fold=tf.strings.lower)
    assert vocabulary.ids(tf.constant(["a", "A", "B", "c"])).numpy().tolist() == [6, 5, 4, 1]


def test_without_tokens_all_are_unknown():
    assert make(fold=tf.strings.lower).ids(tf.constant(["a"])).numpy().tolist() == [UNKNOWN]


@pytest.mark.parametrize("tokens", [["a"], [*CONTROL_TOKENS, "a", "a"], 7, None, ["[PAD]", 3]])
def test_other_lists_are_refused(tokens):
    with pytest.raises(ValueError, match="Received: vocabulary"):
        Vocabulary(tokens)


def test_words_are_long_on_average_only(recwarn):
    warn_of_long_words({"Donaudampfschifffahrtsgesellschaft": 1, "am": 3, ".": 9})
    assert not recwarn
    with pytest.warns(UserWarning, match="would have 34 letters on average"):
        warn_of_long_words({"Donaudampfschifffahrtsgesellschaft": 1, ".": 9})
