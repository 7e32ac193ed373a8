"""Text in, text and attention out: on a model that has learned to reverse digits."""

import keras
import numpy as np
import pytest
from support.translators import RNG, SOURCES, TARGETS, untrained

import kerasseq
from kerasseq import Translator, build_attention_seq2seq, build_seq2seq


@pytest.fixture(scope="module")
def reverser():
    keras.utils.set_random_seed(1)
    text = kerasseq.TextProcessor().adapt(SOURCES)
    model = build_attention_seq2seq(len(text), len(text), embedding_dim=32, units=64)
    model.compile(keras.optimizers.Adam(0.01), kerasseq.SmoothedCrossentropy(), jit_compile=False)
    source, target = text.encode(SOURCES), text.encode(TARGETS)
    inputs = {"source": source, "target_in": target[:, :-1]}
    history = model.fit(inputs, target[:, 1:], batch_size=50, epochs=90, verbose=0).history
    assert history["loss"][-1] < 0.05
    return Translator(model, text, text)


@pytest.fixture(scope="module")
def translations(reverser):
    return reverser.translate(SOURCES)


def test_translates_what_it_was_trained_on(translations):
    right = sum(found.text == target for found, target in zip(translations, TARGETS, strict=True))
    assert right >= 48


def test_does_not_say_the_same_to_every_input(translations):
    assert len({found.text for found in translations}) >= 40


def test_looks_at_the_digit_that_it_writes(translations):
    """Reversal: token t of n is source position n − t, counting [START] as position 0."""
    agreed = []
    for found in translations:
        expected = np.arange(len(found.tokens), 0, -1)
        agreed.extend(found.attention_weights.argmax(1) == expected)
    assert np.mean(agreed) >= 0.8


def test_attention_rows_are_the_tokens_and_sum_to_one(translations):
    for found in translations:
        assert found.attention_weights.shape == (len(found.tokens), len(found.source_tokens))
        np.testing.assert_allclose(found.attention_weights.sum(1), 1, atol=1e-5)


def test_source_tokens_are_what_the_encoder_reads(reverser):
    [found] = reverser.translate(["1 zzz 2"])
    assert found.source_tokens == ["[START]", "1", "zzz", "2", "[END]"]


def test_no_control_token_in_text_or_tokens(translations):
    assert not any(set("[]") & set(found.text) for found in translations)
    assert not any(token.startswith("[") for found in translations for token in found.tokens)


def test_forced_decoding_of_its_own_translation_agrees(reverser, translations):
    forced = reverser.align(SOURCES, [found.text for found in translations])
    for own, given in zip(translations, forced, strict=True):
        assert own.tokens == given.tokens
        np.testing.assert_allclose(own.score, given.score, atol=1e-4)
        np.testing.assert_allclose(own.attention_weights, given.attention_weights, atol=1e-5)


def test_align_keeps_the_given_text(reverser):
    [found] = reverser.align(["1 2 3"], ["3 zzz 1"])
    assert (found.text, found.tokens) == ("3 zzz 1", ["3", "zzz", "1"])
    assert found.attention_weights.shape == (3, 5)


@pytest.mark.parametrize("builder", [build_attention_seq2seq, build_seq2seq])
def test_translation_does_not_depend_on_the_batch(builder):
    translator = untrained(builder)
    texts = [" ".join(RNG.choice(list("0123456789"), n)) for n in (2, 15, 4, 9, 3, 11, 7, 5)]
    together = translator.translate(texts)
    alone = [translator.translate([text])[0] for text in texts]
    backwards = translator.translate(texts[::-1])[::-1]
    small = translator.translate(texts, batch_size=3)
    for others in (alone, backwards, small):
        assert [found.text for found in others] == [found.text for found in together]
        scores = [[found.score for found in result] for result in (others, together)]
        np.testing.assert_allclose(*scores, atol=1e-4)
    assert len({found.text for found in together}) > 4


def test_a_beam_finds_likelier_translations():
    translator = untrained()
    greedy, beam = (translator.translate(SOURCES[:9], beam_width=width) for width in (1, 6))
    gains = [two.score - one.score for one, two in zip(greedy, beam, strict=True)]
    assert np.mean(gains) > 0.1
    forced = translator.align(SOURCES[:9], [found.text for found in beam])
    ended = [row for row, found in enumerate(beam) if len(found.tokens) < 15]
    assert len(ended) > 1
    for row in ended:
        assert forced[row].score == pytest.approx(beam[row].score, abs=1e-3)


def test_untrained_model_is_stopped_at_the_limit():
    found = untrained().translate(["1 2 3", "4"], max_length=7)
    assert all(len(one.tokens) <= 7 for one in found)
    assert any(len(one.tokens) == 7 for one in found)


def test_default_limit_is_twice_the_source_plus_ten():
    translator = untrained()
    end = translator.model.get_layer("logits").bias
    end.assign(np.where(np.arange(14) == 3, -1e9, 0))  # never ends
    lengths = [len(found.tokens) for found in translator.translate(["1", "1 2 3"])]
    assert lengths == [12, 16]


def test_empty_text_gives_an_empty_translation(reverser):
    for text in ("", "  "):
        [found, other] = reverser.translate([text, SOURCES[0]])
        assert (found.text, found.tokens, found.score) == ("", [], 0)
        assert found.attention_weights.shape == (0, 2)
        assert other.text == TARGETS[0]


def test_no_texts_give_no_translations(reverser):
    assert reverser.translate([]) == []
    assert reverser.align([], []) == []


def test_single_text_is_a_list_of_one(reverser):
    assert [found.text for found in reverser.translate(SOURCES[0])] == [TARGETS[0]]


def test_very_long_sentence_is_translated():
    found = untrained().translate([" ".join("123456789" * 223)[:-13]], max_length=5)
    assert len(found[0].source_tokens) == 2002
    assert len(found[0].tokens) <= 5


def test_no_retrace_per_length():
    translator = untrained()
    for length in (1, 2, 3, 7, 8, 20):
        translator.translate([" ".join("1" * length)], max_length=3)
    assert translator._search.traces == 1


def test_model_without_attention_has_no_attention_weights():
    [found] = untrained(build_seq2seq).translate(["1 2 3"])
    assert found.attention_weights is None


def test_translator_speaks_for_the_present_weights():
    translator = untrained()
    before = translator.translate(SOURCES[:5])
    other = untrained(seed=1)
    translator.model.set_weights(other.model.get_weights())
    after = translator.translate(SOURCES[:5])
    assert after != before
    assert [a.text for a in after] == [b.text for b in other.translate(SOURCES[:5])]


def test_saved_translator_says_the_same(reverser, translations, tmp_path):
    reverser.save(tmp_path / "digits.kerasseq")
    loaded = Translator.load(tmp_path / "digits.kerasseq")
    assert loaded.source_text.vocabulary == reverser.source_text.vocabulary
    for found, expected in zip(loaded.translate(SOURCES), translations, strict=True):
        assert (found.text, found.score) == (expected.text, expected.score)


def test_vocabulary_that_does_not_fit_the_model_is_refused():
    text = kerasseq.TextProcessor().adapt(SOURCES)
    model = build_attention_seq2seq(len(text), len(text) - 1, embedding_dim=4, units=4)
    with pytest.raises(ValueError, match=r"target ids, 13. Received: len\(target_text\)=14"):
        Translator(model, text, text)


def test_every_source_needs_a_target(reverser):
    with pytest.raises(ValueError, match=r"len\(source_texts\)=2, len\(target_texts\)=1"):
        reverser.align(["1", "2"], ["1"])


def test_a_text_must_be_a_string(reverser):
    with pytest.raises(ValueError, match=r"must be a list of str\. Received: texts\[1\]=7"):
        reverser.translate(["1", 7])


@pytest.mark.parametrize(
    "options",
    [
        {"max_length": 0},
        {"max_length": 1.5},
        {"batch_size": -1},
        {"beam_width": 0},
        {"length_penalty": -1},
    ],
)
def test_lengths_and_sizes_must_be_positive(reverser, options):
    [(name, value)] = options.items()
    expected = "not be negative" if name == "length_penalty" else "be a positive integer"
    text = rf"`{name}` must {expected}. Received: {name}={value}"
    with pytest.raises(ValueError, match=text):
        reverser.translate(["1"], **options)


def test_a_text_processor_that_was_adapted_anew_is_named():
    translator = untrained()
    translator.source_text.adapt(["a b"])
    for speak in (translator.translate, lambda texts: translator.align(texts, texts)):
        with pytest.raises(ValueError, match=r"source ids, 14. Received: len\(source_text\)=6$"):
            speak(["a"])
