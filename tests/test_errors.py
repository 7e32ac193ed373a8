"""Whatever does not fit is refused where it is given, by a text that names what was expected.

One line a mistake: the call, and how the message ends. Every message is a full sentence and then
"Received: name=value". What a user may well expect to work stands in a table of its own.
"""

import pathlib
import types
import zipfile

import keras
import numpy as np
import pytest
import tensorflow as tf
from matplotlib.figure import Figure

import kerasseq
from kerasseq import (
    TextProcessor,
    Translator,
    alignment_error_rate,
    bleu,
    build_attention_seq2seq,
    build_seq2seq,
    chrf,
    load_pairs,
    make_batches,
    phrasebook,
)
from kerasseq.callbacks import AlignmentError, AttentionMaps, BleuScore, SampleTranslations
from kerasseq.data import default_splits, to_lists
from kerasseq.models.views import forced_view
from kerasseq.plotting import figure_to_array, plot_attention, plot_curves
from kerasseq.training import TrainingOptions

SIZES = {"embedding_dim": 2, "units": 2}
HALF = [[0.5, 0.5], [0.5, 0.5]]
PAIRS = [("a b", "c d")]
A, C = ["a"], ["c"]
CURVE = {"a": ([1], [2])}
SOURCE, TARGET = TextProcessor().adapt(["a b"]), TextProcessor().adapt(["c d"])
MODEL = build_attention_seq2seq(6, 6, **SIZES)
PLAIN = build_seq2seq(6, 6, **SIZES)
TRANSLATOR = Translator(MODEL, SOURCE, TARGET)
DATASET = tf.data.Dataset.from_tensor_slices((["a b"], ["c d"]))
EXAMPLE = types.SimpleNamespace(source="a", target="c", sure=[[0, 0]], possible=[])


def build(source=6, target=6, builder=build_attention_seq2seq, **options):
    return builder(source, target, **SIZES | options)


def batches(pairs=PAIRS, source_text=SOURCE, target_text=TARGET, **options):
    return make_batches(pairs, source_text, target_text, **{"verbose": False, **options})


def attention(weights=HALF, source=("a", "b"), target=("c", "d"), **options):
    return plot_attention(weights, source, target, **options)


def links(sure, possible=((),), weights=(HALF,)):
    return alignment_error_rate(weights, sure, possible)


def of_wrong_units(units):
    return keras.layers.GRUCell(units + 1)


# Each mistake with the end of its message: the sentence before may change.
MISTAKES = [
    (lambda: build(4), "Received: source_vocab_size=4"),
    (lambda: build(6, 6.0), "Received: target_vocab_size=6.0"),
    (lambda: build(True), "Received: source_vocab_size=True"),
    (lambda: build(SOURCE), "Received: source_vocab_size=<"),
    (lambda: build(cell="gru"), "Received: cell="),
    (lambda: build(cell=["lstm"]), "Received: cell=['lstm']"),
    (lambda: build(cell=keras.layers.GRUCell(2)), "Received: cell=<GRUCell"),
    (lambda: build(cell=lambda units: None), "Received: cell="),
    (lambda: build(cell=lambda: None), "must make a Keras cell"),
    (lambda: build(cell=of_wrong_units), "with state_size=2"),
    (lambda: build(cell=keras.layers.GRU), "must make a Keras cell"),
    (lambda: build(encoder=None), "Received: encoder=None"),
    (lambda: build(embedding_dim=0), "Received: embedding_dim=0"),
    (lambda: build(units=None), "Received: units=None"),
    (lambda: build(attention_units=0), "Received: attention_units=0"),
    (lambda: build(readout_dim=0), "Received: readout_dim=0"),
    (lambda: build(dropout=1), "Received: dropout=1"),
    (lambda: build(dropout="0.1"), "Received: dropout='0.1'"),
    (lambda: build(tie_embeddings="no"), "Received: tie_embeddings='no'"),
    (lambda: kerasseq.encoder_view(None), "Received: model=None"),
    (lambda: kerasseq.step_view(TRANSLATOR), "Received: model=<kerasseq."),
    (lambda: kerasseq.gate_view(keras.Sequential()), "Received: model=<Sequential"),
    (lambda: forced_view("model"), "Received: model='model'"),
    (lambda: kerasseq.attention_view(PLAIN), "build it with build_attention_seq2seq."),
    (lambda: TextProcessor(4), "Received: vocab_size=4"),
    (lambda: TextProcessor(10.0), "Received: vocab_size=10.0"),
    (lambda: TextProcessor(level=["word"]), "Received: level=['word']"),
    (lambda: TextProcessor(lower="yes"), "Received: lower='yes'"),
    (lambda: TextProcessor().adapt("a b"), "Received: texts='a b'"),
    (lambda: TextProcessor().adapt(b"a b"), "Received: texts=b'a b'"),
    (lambda: TextProcessor().adapt({"a": 1}), "Received: texts={'a': 1}"),
    (lambda: TextProcessor().adapt([]), "Received: texts=[]"),
    (lambda: TextProcessor().adapt([""]), "Received: texts=['']"),
    (lambda: TextProcessor().adapt(["a", 1]), "Received: texts[1]=1"),
    (lambda: TextProcessor().adapt(np.array("a")), "Received: texts=array('a'"),
    (lambda: TextProcessor().adapt(DATASET), "one component only"),
    (lambda: SOURCE.encode(tf.constant([A])), "Received: texts.shape=(1, 1)"),
    (lambda: SOURCE.decode("a b"), "Received: ids='a b'"),
    (lambda: SOURCE.decode([4, 5]), "Received: ids=[4, 5]"),
    (lambda: SOURCE.decode([[4.0]]), "Received: ids=[[4.0]]"),
    (lambda: SOURCE.decode([[[4]]]), "Received: ids=[[[4]]]"),
    (lambda: SOURCE.decode(tf.constant([4])), "Received: ids.shape=(1,), ids.dtype=int32"),
    (lambda: SOURCE.decode(tf.constant([[4.0]])), "Received: ids.shape=(1, 1), ids.dtype=float32"),
    (lambda: TextProcessor.from_config({"vocabulary": list("abcda")}), "no token twice. "),
    (lambda: load_pairs(3, "de", "en"), "Received: dataset=3"),
    (lambda: load_pairs("phrasebook/en_fr", "en", "fr", data_dir=3), "Received: data_dir=3"),
    (lambda: default_splits(b"x", "de", "en"), "Received: dataset=b'x'"),
    (lambda: to_lists(None), "Received: pairs=None"),
    (lambda: to_lists(batches()), "Received: pairs.element_spec="),
    (lambda: batches("ab"), "Received: pairs='ab'"),
    (lambda: batches(["ab", "cd"]), "Received: pairs[0]=['ab']"),
    (lambda: batches([("a", "c"), ("a", 1)]), "Received: pairs[1][1]=1"),
    (lambda: batches(DATASET.map(lambda a, c: {"a": a, "c": c})), "Received: pairs.element_spec="),
    (lambda: make_batches(SOURCE, PAIRS, TARGET), "Received: source_text=[("),
    (lambda: batches(target_text=None), "Received: target_text=None"),
    (lambda: batches(batch_size=True), "Received: batch_size=True"),
    (lambda: batches(max_length=0), "Received: max_length=0"),
    (lambda: batches(seed=None), "Received: seed=None"),
    (lambda: batches(shuffle="no"), "Received: shuffle='no'"),
    (lambda: phrasebook.prepare(["en_fr"]), "Received: config=['en_fr']"),
    (lambda: phrasebook.load_examples("en_fr", "tst"), "Received: split='tst'"),
    (lambda: phrasebook.load_examples("en_fr", None), "Received: split=None"),
    (lambda: phrasebook.load_examples("en_fr", data_dir=3), "Received: data_dir=3"),
    (lambda: bleu(None, A), "Received: hypotheses=None"),
    (lambda: bleu(A, "a"), "Received: references='a'"),
    (lambda: bleu(A, [1]), "Received: references[0]=1"),
    (lambda: chrf(A, [[]]), "Received: references[0]=[]"),
    (lambda: links(None), "Received: sure=None"),
    (lambda: links([[[0, 0], [1]]]), "Received: sure[0]=[[0, 0], [1]]"),
    (lambda: links([[[2, 0]]]), "Received: sure[0]=[[2, 0]]"),
    (lambda: links([[[0, 0]]], weights=[[["x"]]]), "Received: attention_weights[0].shape=(1, 1)"),
    (lambda: links([[[0, 0]]], weights=[[[1.0], [1, 2]]]), "Received: attention_weights[0]=[[1.0]"),
    (lambda: Translator(SOURCE, MODEL, TARGET), "Received: model=<kerasseq."),
    (lambda: Translator(MODEL, None, TARGET), "Received: source_text=None"),
    (lambda: Translator(MODEL, SOURCE, ["a"] * 6), "Received: target_text=["),
    (lambda: Translator(MODEL, TextProcessor(), TARGET), "call `adapt(texts)`"),
    (lambda: TRANSLATOR.translate(None), "Received: texts=None"),
    (lambda: TRANSLATOR.translate([A]), "Received: texts[0]=['a']"),
    (lambda: TRANSLATOR.translate(A, max_length=True), "Received: max_length=True"),
    (lambda: TRANSLATOR.translate(A, batch_size=None), "Received: batch_size=None"),
    (lambda: TRANSLATOR.align(A, [None]), "Received: target_texts[0]=None"),
    (lambda: TRANSLATOR.align(A, C, batch_size=0), "Received: batch_size=0"),
    (lambda: TRANSLATOR.save(None), "Received: file=None"),
    (lambda: TRANSLATOR.save("."), "Received: file='.'"),
    (lambda: Translator.load(3), "Received: file=3"),
    (lambda: SampleTranslations(MODEL, A, C), "Received: translator=<"),
    (lambda: AttentionMaps(Translator(PLAIN, SOURCE, TARGET), A), "model with attention"),
    (lambda: AttentionMaps(TRANSLATOR, None), "Received: source_texts=None"),
    (lambda: AttentionMaps(TRANSLATOR, A, C, gold=3), "one alignment for each"),
    (lambda: AttentionMaps(TRANSLATOR, A, C, gold=[[[0.5, 0]]]), "Received: gold[0]=[[0.5, 0]]"),
    (lambda: AttentionMaps(TRANSLATOR, A, font="none"), "Received: font='none'"),
    (lambda: BleuScore(TRANSLATOR, A, C, log_dir=3), "Received: log_dir=3"),
    (lambda: BleuScore(TRANSLATOR, A, 3), "Received: target_texts=3"),
    (lambda: AlignmentError(TRANSLATOR, EXAMPLE), "Received: examples=namespace"),
    (lambda: AlignmentError(TRANSLATOR, [PAIRS[0]]), "Received: examples[0]=('a b', 'c d')"),
    (lambda: AlignmentError(TRANSLATOR, [EXAMPLE], every=0), "Received: every=0"),
    (lambda: attention([[0.5]]), "Received: attention_weights.shape=(1, 1)"),
    (lambda: attention([[np.nan, 0], [0, 0]]), "must be finite numbers"),
    (lambda: attention([[2.0, 0], [0, 0]]), "Received: from 0.0 to 2.0"),
    (lambda: attention(source="ab"), "Received: source_tokens='ab'"),
    (lambda: attention(target=["c", 1]), "Received: target_tokens[1]=1"),
    (lambda: attention(gold=3), "Received: gold=3"),
    (lambda: plot_curves([1], "x", "y"), "Received: series=[1]"),
    (lambda: plot_curves({"a": [1]}, "x", "y"), "Received: series['a']=[1]"),
    (lambda: plot_curves({"a": ([1], ["b"])}, "x", "y"), "Received: series['a']=([1], ['b'])"),
    (lambda: plot_curves(CURVE, None, "y"), "Received: xlabel[0]=None"),
    (lambda: plot_curves(CURVE, "x", "y", x_scale="logg"), "Received: x_scale="),
    (lambda: figure_to_array(HALF), "Received: figure=[["),
    (lambda: figure_to_array(Figure(), dpi=0), "Received: dpi=0"),
]  # fmt: skip
WELCOME = [
    (lambda: build(np.int64(6), np.int32(6), units=np.int64(2)).output_shape, (None, None, 6)),
    (lambda: TextProcessor().adapt(text for text in A).vocabulary[4:], A),
    (lambda: TextProcessor().adapt(np.array(A)).vocabulary[4:], A),
    (lambda: SOURCE.decode(np.array([[4, 5]], "uint8")), ["a b"]),
    (lambda: SOURCE.decode(tf.ragged.constant([[4, 5], [4]])), ["a b", "a"]),
    (lambda: to_lists(PAIRS), (["a b"], ["c d"])),
    (lambda: to_lists(DATASET.batch(1)), (["a b"], ["c d"])),
    (lambda: len(batches(zip(A, C, strict=True), batch_size=np.int64(2))), 1),
    (lambda: links(([[0, 0]] for _ in A), weights=(one for one in [HALF])), 0.0),
    (lambda: links([{(0, 0)}]), 0.0),
    (lambda: chrf(np.array(["abc"]), (text for text in [b"abc"])).score, 100.0),
    (lambda: TRANSLATOR.align(np.array(A), [b"c"], np.int64(1))[0].text, "c"),
    (lambda: TRANSLATOR.translate(tf.constant([""]))[0].text, ""),
    (lambda: TRANSLATOR.translate([]), []),
    (lambda: AttentionMaps(TRANSLATOR, tuple(A), log_dir=pathlib.Path("x")).every, 1),
]


@pytest.mark.parametrize("call, ending", MISTAKES, ids=[text[-30:] for _, text in MISTAKES])
def test_a_mistake_is_explained(call, ending):
    with pytest.raises(ValueError) as caught:
        call()
    assert ending in str(caught.value)
    assert "Received: " in str(caught.value)


@pytest.mark.parametrize(
    "call, name",
    [
        (lambda: build(unit=3), "unit"),
        (lambda: build(builder=build_seq2seq, attention_units=3), "attention_units"),
        (lambda: TrainingOptions(unit=3), "unit"),
    ],
)
def test_an_unknown_option_is_refused(call, name):
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{name}'"):
        call()


@pytest.mark.parametrize("call, expected", WELCOME)
def test_what_means_the_same_works(call, expected):
    assert call() == expected


def test_a_file_that_is_broken_anywhere_is_refused(tmp_path):
    TRANSLATOR.save(tmp_path / "whole")
    with zipfile.ZipFile(tmp_path / "whole") as whole:
        members = {name: whole.read(name) for name in whole.namelist()}
    for name in members:
        with zipfile.ZipFile(tmp_path / "broken", "w") as broken:
            for member, content in members.items():
                broken.writestr(member, b"[]" if member == name else content)
        with pytest.raises(
            ValueError, match=r"Translator.save wrote, but .*Received: file='.*broken'"
        ):
            Translator.load(tmp_path / "broken")
    content = (tmp_path / "whole").read_bytes()
    (tmp_path / "broken").write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match=r"but it is not a zip file. Received: file="):
        Translator.load(tmp_path / "broken")


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(
        FileNotFoundError, match=r"`file` does not exist: .*missing. Received: file="
    ):
        TRANSLATOR.save(tmp_path / "missing" / "file")
