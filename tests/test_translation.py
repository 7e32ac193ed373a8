"""What can be asked of a translation: n-best, the place of unknown words, pieces and blanks."""

import keras
import numpy as np
import pytest
from support.memory import peak_memory
from support.translators import SOURCES, untrained

from kerasseq import TextProcessor, Translator, build_attention_seq2seq, build_seq2seq
from kerasseq.text.control_tokens import UNKNOWN


@pytest.fixture(scope="module")
def translator():
    return untrained()


def test_n_best_are_different_and_in_order(translator):
    lists = translator.translate(SOURCES[:5], beam_width=4, n_best=4)
    best = translator.translate(SOURCES[:5], beam_width=4)
    for found, one in zip(lists, best, strict=True):
        assert len(found) == 4
        assert found[0].text == one.text and found[0].score == pytest.approx(one.score, abs=1e-4)
        assert len({other.text for other in found}) == 4
        assert np.all(np.diff([other.score for other in found]) <= 0)


def test_n_best_scores_and_attention_are_those_of_forced_decoding(translator):
    lists = translator.translate(SOURCES[:3], beam_width=3, n_best=3)
    for source, found in zip(SOURCES, lists, strict=False):
        ended = [one for one in found if len(one.tokens) < 15]
        forced = translator.align([source] * len(ended), [one.text for one in ended])
        for one, other in zip(ended, forced, strict=True):
            assert one.score == pytest.approx(other.score, abs=1e-4)
            np.testing.assert_allclose(one.attention_weights, other.attention_weights, atol=1e-4)


def test_fewer_than_n_best_where_there_are_no_more(translator):
    lists = translator.translate([SOURCES[0], ""], beam_width=3, n_best=3)
    assert [len(found) for found in lists] == [3, 1]
    assert lists[1][0].text == ""


@pytest.fixture(scope="module")
def says_unknown():
    """A translator that finds [UNK] likeliest and looks at the second word of the source."""
    text = TextProcessor().adapt(["a b c d"])
    model = build_attention_seq2seq(len(text), len(text), embedding_dim=4, units=4)
    rng = np.random.default_rng(5)
    model.set_weights([rng.normal(0, 0.5, weight.shape) for weight in model.get_weights()])
    bias = model.get_layer("logits").bias
    bias.assign(np.where(np.arange(len(text)) == UNKNOWN, 20.0, bias))
    return Translator(model, text, text)


@pytest.mark.parametrize("beam_width", [1, 3])
def test_an_unknown_word_is_the_source_word_that_is_looked_at(says_unknown, beam_width):
    source = "Zoë a Zaïre b"
    [one] = says_unknown.translate([source], beam_width, max_length=3, replace_unknown=True)
    words = source.split()
    looked = [words[index] for index in one.attention_weights[:, 1:-1].argmax(axis=1)]
    assert one.tokens == looked and one.text == " ".join(looked)
    assert len(one.tokens) == 3


def test_without_it_no_word_is_unknown(says_unknown):
    for beam_width in (1, 3):
        [one] = says_unknown.translate(["Zoë a"], beam_width, max_length=3)
        assert "[UNK]" not in one.tokens and set(one.tokens) <= set("abcd")


def test_only_attention_can_replace():
    with pytest.raises(ValueError, match=r"replace_unknown=True for a model without attention"):
        untrained(build_seq2seq).translate(["1"], replace_unknown=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_best": 2}, "n_best=2, beam_width=1"),
        ({"n_best": 0}, "n_best=0"),
        ({"beam_width": 1.5}, "beam_width=1.5"),
        ({"length_penalty": -1}, "length_penalty=-1"),
        ({"replace_unknown": "no"}, "replace_unknown='no'"),
        ({"batch_size": 0}, "batch_size=0"),
        ({"max_length": 2**40}, "at most 10,000. Received: max_length=1099511627776"),
        ({"beam_width": 3, "length_penalty": 1000.0}, "at most 10.0. Received: length_penalty=100"),
    ],
)
def test_impossible_options(translator, options, message):
    with pytest.raises(ValueError, match=message):
        translator.translate(["1"], **options)


@pytest.fixture(scope="module")
def of_subwords():
    texts = ["Le chat dort sur la table.", "Un chien mange.", "Désolé !"] * 9
    text = TextProcessor(320, "subword").adapt(texts)
    keras.utils.set_random_seed(0)
    model = build_attention_seq2seq(len(text), len(text), embedding_dim=8, units=8)
    return Translator(model, text, text)


def test_a_lone_surrogate_is_a_character_like_any_other(of_subwords):
    [found, other] = of_subwords.translate(["\ud800 chat", "Le chat"])
    assert "\ufffd" in "".join(found.source_tokens) or "<0xEF>" in found.source_tokens
    assert other.text == of_subwords.translate(["Le chat"])[0].text


@pytest.mark.parametrize("blank", ["", " ", "\t \n", "\u3000", "\u200b"])
def test_blank_texts_have_empty_translations(of_subwords, blank):
    [found, other] = of_subwords.translate([blank, "Le chat"])
    assert (found.text, found.tokens, found.score) == ("", [], 0)
    assert other.tokens


def test_pieces_become_words(of_subwords):
    found = of_subwords.align(["L'homme dort."], ["Désolé, le chat."])
    [one] = of_subwords.in_words(found)
    assert one.source_tokens == ["[START]", "L'", "homme", "dort", ".", "[END]"]
    assert one.tokens == ["Désolé", ",", "le", "chat", "."]
    assert one.attention_weights.shape == (5, 6)
    np.testing.assert_allclose(one.attention_weights.sum(axis=1), 1, atol=1e-5)
    assert len(found[0].tokens) > 5


def test_a_translator_of_subwords_comes_back_from_its_file(of_subwords, tmp_path):
    of_subwords.save(tmp_path / "x.kerasseq")
    loaded = Translator.load(tmp_path / "x.kerasseq")
    texts = ["Le chat dort.", "", "猫"]
    assert [one.tokens for one in loaded.translate(texts)] == [
        one.tokens for one in of_subwords.translate(texts)
    ]


def test_progress_goes_to_standard_error(translator, capsys):
    translator.translate(SOURCES[:5], batch_size=2, verbose=True)
    out, err = capsys.readouterr()
    assert out == "" and err.split("\r")[1:] == ["2/5", "4/5", "5/5\n"]


@pytest.mark.parametrize("beam_width", [1, 3])
def test_attention_need_not_be_kept(translator, beam_width):
    found = translator.translate(SOURCES[:5], beam_width, keep_attention=False)
    expected = translator.translate(SOURCES[:5], beam_width)
    assert [one[:3] for one in found] == [one[:3] for one in expected]
    assert [one.attention_weights for one in found] == [None] * 5
    assert [one.score for one in found] == [one.score for one in expected]


def test_what_replaces_the_unknown_needs_attention_that_is_not_kept(says_unknown):
    options = {"max_length": 3, "replace_unknown": True}
    [found] = says_unknown.translate(["Zoë a Zaïre b"], **options, keep_attention=False)
    [expected] = says_unknown.translate(["Zoë a Zaïre b"], **options)
    assert found.tokens == expected.tokens and found.attention_weights is None


@pytest.mark.parametrize("beam_width", [1, 3])
def test_long_texts_are_translated_as_in_any_batch(translator, beam_width):
    """Long ones come in smaller batches, and all in their order."""
    texts = [" ".join("123456789"[:n] * 60) for n in (9, 1, 5, 2)] + SOURCES[:5]
    together = translator.translate(texts, beam_width, max_length=30, batch_size=3)
    alone = [translator.translate(text, beam_width, max_length=30)[0] for text in texts]
    assert [one.text for one in together] == [one.text for one in alone]
    assert [one.source_tokens for one in together] == [one.source_tokens for one in alone]


def test_texts_that_end_at_once_take_no_memory_for_their_limit():
    translator = untrained()
    bias = translator.model.get_layer("logits").bias
    bias.assign(np.where(np.arange(14) == 3, 1e9, 0))
    translator.translate(["1"], 5)
    text, before = " ".join("1" * 1000), peak_memory()
    found = translator.translate([text] * 16, 5)
    assert {len(one.tokens) for one in found} == {0}
    assert peak_memory() - before < 500e6  # for all steps to the limit: 1.3 GB and more
