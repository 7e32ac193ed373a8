import itertools
import os
import subprocess
import sys

import keras
import numpy as np
import pytest
import sacrebleu
import tensorflow as tf

from kerasseq.metrics import (
    Perplexity,
    TokenAccuracy,
    alignment_error_rate,
    bleu,
    chrf,
    corpus,
    paired_bootstrap,
)

HYPOTHESES = ["the cat sat on the mat .", "", "a dog barks at the old man"]
REFERENCES = ["the cat sat on a mat .", "hello", "a dog barked at the old man"]


# BLEU and chrF


def test_bleu_is_that_of_sacrebleu_with_its_signature():
    result = bleu(HYPOTHESES, REFERENCES, language="en")
    assert result.score == pytest.approx(sacrebleu.corpus_bleu(HYPOTHESES, [REFERENCES]).score)
    assert 30 < result.score < 70
    assert result.signature == (
        f"nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:{sacrebleu.__version__}"
    )


def test_chrf_is_that_of_sacrebleu():
    result = chrf(HYPOTHESES, REFERENCES)
    assert result.score == pytest.approx(sacrebleu.corpus_chrf(HYPOTHESES, [REFERENCES]).score)
    assert result.signature.startswith("nrefs:1|") and "nc:6" in result.signature


def test_a_perfect_corpus_scores_exactly_100():
    assert bleu(REFERENCES, REFERENCES).score == 100.0


def test_several_references_take_the_best_match():
    two = [["nothing alike here at all", one] for one in REFERENCES]
    assert bleu(REFERENCES, two).score == 100.0
    assert "nrefs:2" in bleu(REFERENCES, two).signature


def test_a_different_number_of_references_for_each_sentence():
    references = [["no match", REFERENCES[0]], REFERENCES[1], [REFERENCES[2]]]
    assert bleu(REFERENCES, references).score == 100.0


@pytest.mark.parametrize("language", ["zh", "zho", "cmn", "zh-CN", "zh_Hans_CN", "ZH"])
def test_chinese_is_cut_by_character(language):
    result = bleu(["我爱北京天安门"], ["我爱北京的天安门"], language=language)
    assert "tok:zh" in result.signature
    assert result.score == pytest.approx(
        sacrebleu.corpus_bleu(["我爱北京天安门"], [["我爱北京的天安门"]], tokenize="zh").score
    )
    assert result.score > 30


@pytest.mark.parametrize("language", [None, "pt_BR", "fr", "deu"])
def test_other_languages_use_13a(language):
    assert "tok:13a" in bleu(["a b c d"], ["a b c d"], language=language).signature


@pytest.mark.parametrize(
    "language, name", [("ja", "TokenizerJaMecab"), ("kor", "TokenizerKoMecab")]
)
def test_japanese_and_korean_fall_back_to_characters(monkeypatch, language, name):
    def missing(self):
        raise RuntimeError("pip install …")

    module = f"sacrebleu.tokenizers.tokenizer_{language[:2]}_mecab"
    monkeypatch.setattr(f"{module}.{name}.__init__", missing)
    result = bleu(["私は学生です"], ["私は学生です"], language=language)
    assert result.score == 100.0 and "tok:char" in result.signature


def test_japanese_uses_mecab_where_it_is_installed():
    pytest.importorskip("MeCab")
    pytest.importorskip("ipadic")
    assert "tok:ja-mecab" in bleu(["私は学生です"], ["私は学生です"], language="ja").signature


@pytest.mark.parametrize("language", ["cn", "english", "", "xx", 3])
def test_an_unknown_language_is_refused(language):
    with pytest.raises(ValueError, match=r"ISO 639-1.*Received: language="):
        bleu(["a"], ["a"], language=language)


SPACELESS = {
    "th": "วันนี้อากาศร้อนมาก",
    "lo": "ມື້ນີ້ອາກາດຮ້ອນຫຼາຍ",
    "khm": "ថ្ងៃនេះអាកាសធាតុក្តៅណាស់",
    "my_MM": "ဒီနေ့ရာသီဥတုအရမ်းပူတယ်",
    "bo": "དེ་རིང་གནམ་གཤིས་ཚ་པོ་འདུག",
    "zh-yue": "今日天氣好熱呀",
    "lzh": "學而時習之不亦說乎",
    "ja": "今日はとても暑いです",
}


@pytest.mark.parametrize("coded", [True, False])
@pytest.mark.parametrize("language", SPACELESS)
def test_without_spaces_a_perfect_text_scores_100_and_a_worse_one_less(language, coded):
    text = SPACELESS[language]
    code = language if coded else None
    scores = [bleu([text[:size]], [text], code).score for size in (len(text), 8, 6, 4)]
    assert scores[0] == 100.0
    assert all(one > other > 0 for one, other in itertools.pairwise(dict.fromkeys(scores)))


def test_a_code_that_nobody_knows_leaves_the_choice_to_the_letters():
    assert "tok:char" in bleu([SPACELESS["th"]], [SPACELESS["th"]], "xyz").signature
    assert "tok:13a" in bleu(REFERENCES, REFERENCES, "xyz").signature


def test_the_letters_of_most_references_choose_the_tokenizer():
    columns = [[SPACELESS["th"], "ok"], [None, "TensorFlow"]]
    assert corpus.tokenizers(None, columns) == ("char",)
    assert corpus.tokenizers(None, [[*columns[0], "a long text in English"]]) == ("13a",)


@pytest.mark.parametrize(("language", "text"), [("en", SPACELESS["th"]), ("kr", "안녕하세요")])
def test_a_code_that_does_not_fit_the_letters_warns(language, text):
    with pytest.warns(UserWarning, match=f"language='{language}', but") as caught:
        bleu([text], [text], language)
    assert caught[0].filename == __file__


@pytest.mark.parametrize("score, perfect", [(bleu, 0.0), (chrf, 100.0)])
def test_perfect_texts_of_three_words_have_no_bleu(score, perfect):
    assert score(["a b c"], ["a b c"]).score == perfect


@pytest.mark.parametrize("score", [bleu, chrf])
@pytest.mark.parametrize(
    "hypotheses, references, message",
    [
        ([], [], r"at least one hypothesis.*len\(hypotheses\)=0"),
        (["a"], ["a", "b"], r"len\(hypotheses\)=1, len\(references\)=2"),
        ("abc", ["a", "b", "c"], "`hypotheses` must be a list of str"),
        ([None], ["a"], r"list of str. Received: hypotheses\[0\]=None"),
        (["a"], [[]], r"at least one reference. Received: references\[0\]=\[\]"),
    ],
)
def test_bad_corpora_are_refused(score, hypotheses, references, message):
    with pytest.raises(ValueError, match=message):
        score(hypotheses, references)


def test_only_empty_hypotheses_score_0():
    assert bleu(["", ""], ["a b", "c"]).score == 0.0
    assert chrf(["", ""], ["a b", "c"]).score == 0.0


@pytest.mark.slow
def test_sacrebleu_is_loaded_on_first_use_only():
    code = "import sys, kerasseq.callbacks; sys.exit('sacrebleu' in sys.modules)"
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    assert subprocess.run([sys.executable, "-c", code], env=environment).returncode == 0


# Alignment error rate


def one_hot(sources, source_length):
    return np.eye(source_length)[list(sources)] * 0.7 + 0.3 / source_length


def test_an_oracle_has_no_error():
    sure = [np.array([[2, 0], [0, 1]]), np.array([[1, 2]])]
    possible = [np.array([[2, 0], [0, 1], [1, 3]]), np.zeros((0, 2), int)]
    weights = [one_hot([2, 0, 0, 1], 3), one_hot([0, 0, 1], 5)]
    assert alignment_error_rate(weights, sure, possible) == 0.0


def test_aer_by_hand():
    # Target 0: sure 0, chosen 0. Target 1: sure 1, chosen 2, which is possible. Target 2: only
    # possible 3, chosen 0. Target 3 has no link: left out.
    # |A| = 3, |S| = 2, |A∩S| = 1, |A∩P| = 2: AER = 1 − 3/5.
    sure, possible = [[0, 0], [1, 1]], [[0, 0], [1, 1], [2, 1], [3, 2]]
    weights = one_hot([0, 2, 0, 3], 4)
    assert alignment_error_rate([weights], [sure], [possible]) == pytest.approx(0.4)


def test_sure_links_are_possible_without_being_repeated():
    assert alignment_error_rate([one_hot([0, 1], 2)], [[[0, 0], [1, 1]]], [[]]) == 0.0


def test_attention_shifted_by_one_word_is_all_wrong():
    links = [[i, i] for i in range(5)]
    assert alignment_error_rate([one_hot([1, 2, 3, 4, 0], 5)], [links], [links]) == 1.0


def test_counts_are_summed_over_the_corpus_not_averaged_over_sentences():
    right, wrong = one_hot([0, 1, 2], 3), one_hot([1], 2)
    sure = [[[0, 0], [1, 1], [2, 2]], [[0, 0]]]
    # 3 of 4 target words right: 1 − (3 + 3)/(4 + 4), not the mean of 0 and 1.
    assert alignment_error_rate([right, wrong], sure, [[], []]) == pytest.approx(0.25)


def test_a_repeated_link_counts_once():
    sure = [[[0, 0], [0, 0], [1, 1]]]
    assert alignment_error_rate([one_hot([0, 0], 2)], sure, [[]]) == pytest.approx(0.5)


@pytest.mark.parametrize(
    "weights, sure, possible, message",
    [
        ([np.ones(3)], [[[0, 0]]], [[]], r"\(target_length, source_length\).*shape=\(3,\)"),
        ([[[np.nan, 1.0]]], [[[0, 0]]], [[]], "finite"),
        ([np.ones((2, 3))], [[[3, 0]]], [[]], r"`sure\[0\]`.*below 3.*below 2.*\[\[3, 0\]\]"),
        ([np.ones((2, 3))], [[[0, 0]]], [[[0, 2]]], r"`possible\[0\]`.*\[\[0, 2\]\]"),
        ([np.ones((2, 3))], [[[-1, 0]]], [[]], r"\[\[-1, 0\]\]"),
        ([np.ones((2, 3))], [[[0, 0, 0]]], [[]], r"integer pairs .*sure\[0\]=\[\[0, 0, 0\]\]"),
        ([np.ones((2, 3))], [[[0.0, 0.0]]], [[]], r"integer pairs .*sure\[0\]=\[\[0\.0, 0\.0\]\]"),
        ([np.ones((2, 3))], [[], []], [[]], r"len\(sure\)=2"),
        ([np.ones((2, 3))], [[]], [[]], "no link"),
        ([], [], [], "no link"),
    ],
)
def test_bad_alignments_are_refused(weights, sure, possible, message):
    with pytest.raises(ValueError, match=message):
        alignment_error_rate(weights, sure, possible)


# Perplexity and accuracy


def logits_with_loss(losses, mask=None):
    """Logits over two classes whose cross-entropy with class 1 is `losses`, (batch, length)."""
    probability = np.exp(-np.asarray(losses, "float64"))
    other = np.log(np.maximum(1 - probability, 1e-30))
    logits = keras.ops.convert_to_tensor(np.stack([other, np.log(probability)], -1), "float32")
    if mask is not None:
        logits._keras_mask = keras.ops.convert_to_tensor(mask, "bool")
    return np.ones(np.shape(losses), "int32"), logits


def test_perplexity_leaves_masked_tokens_out():
    metric = Perplexity()
    metric.update_state(*logits_with_loss([[1.0, 0.0, 5.0]], [[1, 1, 0]]))
    assert float(metric.result()) == pytest.approx(np.exp(0.5), rel=1e-5)


def test_perplexity_weighs_batches_by_their_tokens():
    metric = Perplexity()
    metric.update_state(*logits_with_loss([[2.0, 9.0]], [[1, 0]]))
    metric.update_state(*logits_with_loss([[1.0, 0.5, 0.1, 9.0, 9.0]], [[1, 1, 1, 0, 0]]))
    assert float(metric.result()) == pytest.approx(np.exp(3.6 / 4), rel=1e-5)


@pytest.mark.parametrize("weights", [[2.0, 1.0], [[2.0, 2.0, 7.0], [1.0, 1.0, 7.0]]])
def test_perplexity_multiplies_mask_and_sample_weight(weights):
    losses, mask = [[1.0, 0.5, 9.0], [0.2, 0.1, 9.0]], [[1, 1, 0], [1, 1, 0]]
    metric = Perplexity()
    metric.update_state(*logits_with_loss(losses, mask), sample_weight=np.array(weights))
    assert float(metric.result()) == pytest.approx(np.exp((3.0 + 0.3) / 6), rel=1e-5)


@pytest.mark.parametrize("metric, value", [(Perplexity(), 1.0), (TokenAccuracy(), 0.0)])
def test_no_token_gives_a_number(metric, value):
    assert float(metric.result()) == value
    metric.update_state(*logits_with_loss([[1.0, 2.0]], [[0, 0]]))
    assert float(metric.result()) == value
    metric.update_state(np.zeros((0, 3), "int32"), np.zeros((0, 3, 2), "float32"))
    assert float(metric.result()) == value


def test_float16_logits_are_averaged_in_float32():
    _, logits = logits_with_loss(np.full((8, 500), 2.0))
    metric = Perplexity()
    for _ in range(20):  # 80,000 tokens: beyond what float16 can count
        metric.update_state(np.ones((8, 500), "int32"), keras.ops.cast(logits, "float16"))
    assert metric.total.dtype == "float32"
    assert float(metric.result()) == pytest.approx(np.exp(2.0), rel=1e-3)


def test_an_overflowed_padded_step_does_not_spoil_the_rest():
    y_true, logits = np.array([[1, 1]]), np.array([[[0.0, 0.0], [np.inf, np.nan]]], "float32")
    logits = keras.ops.convert_to_tensor(logits)
    logits._keras_mask = keras.ops.convert_to_tensor([[True, False]])
    metric = Perplexity()
    metric.update_state(y_true, logits)
    assert float(metric.result()) == pytest.approx(2.0)


def test_a_token_of_no_weight_may_be_infinite():
    metric = Perplexity()
    logits = np.array([[[0.0, 0.0], [np.inf, np.nan]]], "float32")
    metric.update_state(np.array([[1, 1]]), logits, sample_weight=np.array([[1.0, 0.0]]))
    assert float(metric.result()) == pytest.approx(2.0)


METRICS = pytest.mark.parametrize("make_metric", [Perplexity, TokenAccuracy])


@METRICS
def test_padding_ids_count_nowhere_without_any_mask(make_metric):
    ids, logits = np.array([[1, 2, 0, 0]]), np.random.default_rng(0).normal(size=(1, 4, 3))
    some, less = make_metric(), make_metric()
    some.update_state(ids, np.where((ids == 0)[..., None], np.nan, logits))
    less.update_state(ids[:, :2], logits[:, :2])
    assert float(some.result()) == pytest.approx(float(less.result()))
    counting_all = make_metric(ignore_class=None)
    counting_all.update_state(ids, logits)
    assert float(counting_all.count) == 4


@METRICS
@pytest.mark.parametrize("wrong", [-1, 3])
def test_metrics_refuse_ids_of_no_word(make_metric, wrong):
    with pytest.raises(ValueError, match=rf"`y_true` must hold ids .*with \[{wrong}\]"):
        make_metric().update_state(np.array([[1, wrong]]), np.zeros((1, 2, 3)))


@METRICS
@pytest.mark.parametrize("wrong", [-1, 3])
def test_metrics_under_xla_are_nan_for_ids_of_no_word(make_metric, wrong):
    metric = make_metric()
    tf.function(metric.update_state, jit_compile=True)(
        tf.constant([[1, wrong]]), tf.zeros((1, 2, 3))
    )
    assert np.isnan(metric.result())


def test_accuracy_leaves_padding_out():
    y_true = np.array([[4, 2, 0, 0, 0]])
    logits = keras.ops.one_hot([[4, 3, 0, 0, 0]], 5)
    logits._keras_mask = keras.ops.convert_to_tensor(y_true != 0)
    metric = TokenAccuracy()
    metric.update_state(y_true, logits)
    assert float(metric.result()) == 0.5
    metric.reset_state()
    metric.update_state(y_true[..., None], logits)
    assert float(metric.result()) == 0.5


def batches_of_two_lengths():
    short, long = np.array([[1, 2]]), 1 + np.arange(10)[None] % 3
    return [(short, keras.ops.one_hot([[1, 1]], 4)), (long, keras.ops.one_hot(long, 4))]


def test_accuracy_over_batches_of_different_lengths_counts_tokens():
    metric = TokenAccuracy()
    for batch in batches_of_two_lengths():
        metric.update_state(*batch)
    assert float(metric.result()) == pytest.approx(11 / 12)


@pytest.mark.upstream
def test_why_the_accuracy_of_keras_is_not_used():
    metric = keras.metrics.SparseCategoricalAccuracy()
    for y_true, logits in batches_of_two_lengths():
        logits._keras_mask = keras.ops.ones(y_true.shape, "bool")
        metric.update_state(y_true, logits)
    assert float(metric.result()) == pytest.approx(0.75)  # the mean of 0.5 and 1.0


class KeepMask(keras.layers.Dense):
    supports_masking = True


def masked_model(policy="float32"):
    ids = keras.Input((None,), dtype="int32")
    hidden = keras.layers.Embedding(5, 4, mask_zero=True, dtype=policy)(ids)
    model = keras.Model(ids, KeepMask(5, dtype=policy)(hidden))
    model.compile(
        keras.optimizers.SGD(0.0),
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=[Perplexity(), TokenAccuracy()],
    )
    return model


@pytest.mark.parametrize("policy", ["float32", "mixed_float16", "mixed_bfloat16"])
def test_fit_and_evaluate_agree_with_the_sum_over_real_tokens(policy):
    keras.utils.set_random_seed(3)
    model = masked_model(policy)
    ids = np.array([[1, 0, 0], [2, 3, 4], [1, 4, 0]])
    logits = np.asarray(keras.ops.cast(model(ids), "float64"))
    log_probability = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    losses = -np.take_along_axis(log_probability, ids[..., None], -1)[..., 0][ids != 0]
    right = (logits.argmax(-1) == ids)[ids != 0].mean()

    fitted = model.fit(ids, ids, batch_size=1, epochs=1, shuffle=False, verbose=0).history
    evaluated = model.evaluate(ids, ids, batch_size=2, return_dict=True, verbose=0)
    assert fitted["perplexity"][0] == pytest.approx(np.exp(losses.mean()), rel=5e-3)
    assert evaluated["perplexity"] == pytest.approx(np.exp(losses.mean()), rel=5e-3)
    assert fitted["accuracy"][0] == evaluated["accuracy"] == pytest.approx(right)


@pytest.mark.parametrize(
    "metric", [Perplexity(name="ppl", ignore_class=4), TokenAccuracy(name="hits", ignore_class=4)]
)
def test_metrics_are_registered(metric):
    copy = keras.saving.deserialize_keras_object(keras.saving.serialize_keras_object(metric))
    assert type(copy) is type(metric) and copy.name == metric.name
    assert copy.ignore_class == 4
    assert keras.saving.get_registered_name(type(metric)) == f"kerasseq>{type(metric).__name__}"


def test_a_paired_bootstrap_sees_a_difference_and_none():
    references = [f"the {word} sat on the {other} mat" for word in "abcdef" for other in "ghijkl"]
    worse = [reference.replace("sat on", "on") for reference in references]
    for one in paired_bootstrap(worse, references, references, "en", samples=200):
        assert one.system == 100 and one.baseline < 90 and one.p_value < 0.02
        assert "version:" in one.signature
    same = paired_bootstrap(worse, list(worse), references, samples=200)
    assert [one.metric for one in same] == ["BLEU", "chrF2"]
    assert all(one.system == one.baseline and one.p_value > 0.9 for one in same)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["a"], ["a", "b"], ["a"]), "len.hypotheses.=2"),
        ((["a"], ["a"], "a"), "must be a list"),
        ((["a"], ["a"], ["a"], "xx"), "language='xx'"),
        ((["a"], ["a"], ["a"], "en", 0), "samples=0"),
    ],
)
def test_a_paired_bootstrap_refuses_what_does_not_fit(arguments, message):
    with pytest.raises(ValueError, match=message):
        paired_bootstrap(*arguments)
