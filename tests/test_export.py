"""A SavedModel says the same as the translator, in a process that never imports kerasseq."""

import json
import subprocess
import sys
import unicodedata
import warnings

import numpy as np
import pytest
from support.translators import untrained

from kerasseq import TextProcessor, Translator, build_attention_seq2seq, build_seq2seq

_LOAD = """
import json, pathlib, sys
import tensorflow as tf
folder = pathlib.Path(sys.argv[1])
loaded = tf.saved_model.load(folder / "saved")
texts = json.loads((folder / "texts.json").read_text())
results = {}
for name in ("greedy", "beam"):
    rows = []
    for start in range(0, len(texts), 64):
        found = getattr(loaded, name)(tf.constant(texts[start : start + 64]))
        parts = {key: value.numpy() for key, value in found.items()}
        for row in range(len(parts["texts"])):
            tokens = [one.decode() for one in parts["tokens"][row] if one]
            source = [one.decode() for one in parts["source_tokens"][row] if one]
            weights = parts["attention_weights"][row, : len(tokens), : len(source)]
            rows.append([
                parts["texts"][row].decode(), tokens, source, float(parts["scores"][row]),
                weights.tolist(),
            ])
    results[name] = rows
empty = loaded.beam(tf.constant([], tf.string))
results["empty"] = {key: value.shape[0] for key, value in empty.items()}
results["one"] = loaded.greedy(tf.constant(texts[:1]))["texts"].numpy()[0].decode()
results["kerasseq"] = any(name.split(".")[0] == "kerasseq" for name in sys.modules)
(folder / "results.json").write_text(json.dumps(results))
"""
WORDS = ["le", "chat", "désolé", "dort", "l'homme", "où", "est", "3,000", "猫", "zzz"]


@pytest.fixture(scope="module")
def texts():
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(WORDS, rng.integers(1, 13))) for _ in range(194)]
    forms = [unicodedata.normalize(form, "désolé é") for form in ("NFC", "NFD")]
    return [*texts, *forms, "", "  ", "Où ?", "[START] le"]


@pytest.fixture(scope="module")
def translator():
    text = TextProcessor().adapt([" ".join(WORDS[:-1])])
    model = build_attention_seq2seq(len(text), len(text), embedding_dim=6, units=8)
    rng = np.random.default_rng(1)
    model.set_weights([rng.normal(0, 1.2, weight.shape) for weight in model.get_weights()])
    return Translator(model, text, text)


@pytest.fixture(scope="module")
def results(translator, texts, tmp_path_factory):
    folder = tmp_path_factory.mktemp("export")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        translator.export(folder / "saved", beam_width=3, length_penalty=0.6)
    (folder / "texts.json").write_text(json.dumps(texts))
    subprocess.run([sys.executable, "-c", _LOAD, str(folder)], check=True, capture_output=True)
    return json.loads((folder / "results.json").read_text())


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), [("greedy", (1, 0.0)), ("beam", (3, 0.6))])
def test_it_says_the_same(translator, texts, results, name, options):
    assert not results["kerasseq"]
    expected = translator.translate(texts, *options)
    assert len({one.text for one in expected}) > 40
    for found, one in zip(results[name], expected, strict=True):
        text, tokens, source_tokens, score, weights = found
        assert (text, tokens, source_tokens) == (one.text, one.tokens, one.source_tokens)
        assert score == pytest.approx(one.score, abs=1e-3)
        weights = np.reshape(weights, one.attention_weights.shape)
        np.testing.assert_allclose(weights, one.attention_weights, atol=1e-4)


@pytest.mark.slow
def test_both_unicode_forms_and_blanks(texts, results):
    nfc, nfd, *blanks = [row[0] for row in results["greedy"][194:198]]
    assert nfc == nfd and blanks == ["", ""]


@pytest.mark.slow
def test_one_text_alone_says_the_same(results):
    assert results["one"] == results["greedy"][0][0]


@pytest.mark.slow
def test_no_texts_have_no_translations(results):
    assert len(results["empty"]) == 5 and set(results["empty"].values()) == {0}


@pytest.mark.slow
def test_subwords_come_as_ids(tmp_path):
    import tensorflow as tf

    texts = ["Le chat dort sur la table.", "Un chien mange."] * 9
    text = TextProcessor(310, "subword").adapt(texts)
    model = build_attention_seq2seq(len(text), len(text), embedding_dim=6, units=8)
    translator = Translator(model, text, text)
    translator.export(tmp_path / "saved")
    loaded = tf.saved_model.load(tmp_path / "saved")
    texts = ["Le chat", " \t", "un", ""]
    found = loaded.greedy(text.encode(texts))
    expected = translator.translate(texts)
    assert loaded.beam(text.encode([]))["texts"].shape == (0,)
    assert [one.decode() for one in found["texts"].numpy()] == [one.text for one in expected]


@pytest.mark.slow
def test_a_model_without_attention_has_weights_without_columns(tmp_path):
    import tensorflow as tf

    translator = untrained(build_seq2seq)
    translator.export(tmp_path / "saved")
    loaded = tf.saved_model.load(tmp_path / "saved")
    found = loaded.beam(tf.constant(["1 2"]))
    [expected] = translator.translate(["1 2"], beam_width=5, length_penalty=1.0)
    assert found["texts"].numpy()[0].decode() == expected.text
    assert found["attention_weights"].shape[-1] == 0


@pytest.mark.parametrize(
    ("arguments", "message"), [((3,), "folder=3"), (("x", 0), "beam_width=0"), (("x", 2, -1), "-1")]
)
def test_impossible_arguments(translator, arguments, message):
    with pytest.raises(ValueError, match=message):
        translator.export(*arguments)
