"""The examples in the docstrings run and show what they say."""

import ast
import doctest
import functools
import importlib
import inspect
import pkgutil
import re

import keras
import numpy as np
import pytest
import tensorflow as tf
import tensorflow_datasets as tfds

import kerasseq
from kerasseq import callbacks, data, decoding, metrics, models, phrasebook, plotting
from kerasseq.models import views
from kerasseq.text import unicode

NAMES = {"keras": keras, "ops": keras.ops, "np": np, "tf": tf, "kerasseq": kerasseq}
for module in (kerasseq, data, decoding, metrics, models, phrasebook, plotting, views, unicode):
    NAMES |= {name: getattr(module, name) for name in dir(module) if not name.startswith("_")}

MODULES = sorted(
    name
    for _, name, _ in pkgutil.walk_packages(kerasseq.__path__, "kerasseq.")
    if not name.endswith("__main__")
)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@functools.cache
def make_translator():
    """Return what the examples of the callbacks around a translator speak of."""
    sources, targets = ["the cat", "a cat sleeps"] * 4, ["le chat", "un chat dort"] * 4
    english, french = (kerasseq.TextProcessor().adapt(side) for side in (sources, targets))
    batches = data.make_batches(
        list(zip(sources, targets, strict=True)), english, french, 4, verbose=False
    )
    model = kerasseq.build_attention_seq2seq(len(english), len(french), embedding_dim=4, units=4)
    loss = kerasseq.SmoothedCrossentropy()
    model.compile(keras.optimizers.Adam(use_ema=True), loss, jit_compile=False)
    translator = kerasseq.Translator(model, english, french)
    return {"load_examples": phrasebook.load_examples, **callbacks_by_name(), **locals()}


def make_classifier():
    """Return what the examples of the callbacks around a classifier speak of."""
    words = keras.Input((2,), dtype="int32")
    vectors = keras.layers.Embedding(4, 3)(words)
    last = kerasseq.RNN(kerasseq.LSTMCell(4))(vectors)
    model = keras.Model(words, keras.layers.Dense(2)(last))
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, jit_compile=False)
    ids, answers = np.array([[1, 2]]), np.array([0])
    return {"model": model, "ids": ids, "answers": answers, **callbacks_by_name()}


def callbacks_by_name():
    return {name: getattr(callbacks, name) for name in callbacks.__all__}


OF_CLASSIFIERS = {"kerasseq.callbacks.gate_maps", "kerasseq.callbacks.gradient_flow"}
OF_TRANSLATORS = {
    f"kerasseq.callbacks.{name}"
    for name in (
        *("alignment_error", "attention_maps", "average_weights", "bleu_score", "checkpoint"),
        *("epoch_seeds", "sample_translations"),
    )
}


@pytest.mark.parametrize("name", MODULES)
def test_examples(name, tmp_path, monkeypatch, data_dir):
    monkeypatch.chdir(tmp_path)  # for the logs
    monkeypatch.setattr(tfds.core.constants, "DATA_DIR", str(data_dir))  # a small phrasebook
    module, names = importlib.import_module(name), NAMES
    if name in OF_TRANSLATORS:
        names = NAMES | make_translator()
    elif name in OF_CLASSIFIERS:
        names = NAMES | make_classifier()
    results = doctest.testmod(module, extraglobs=names, optionflags=FLAGS)
    assert results.failed == 0


def test_no_example_is_skipped():
    skipping = [name for name in MODULES if "+SK" + "IP" in source_of(name)]
    assert skipping == []


def source_of(name):
    return inspect.getsource(importlib.import_module(name))


@pytest.mark.slow
def test_the_lines_of_an_export_run(tmp_path):
    made = make_translator()
    made["translator"].export(tmp_path / "saved", beam_width=2)
    text = inspect.getdoc(kerasseq.Translator.export)
    lines = [line.strip() for line in text.splitlines() if line.startswith("    ")]
    lines = lines[: next(i for i, line in enumerate(lines) if line.startswith("print")) + 1]
    assert len(lines) == 3
    exec("\n".join(lines), {"tf": tf, "folder": str(tmp_path / "saved")})


def test_every_public_name_has_an_example():
    public = {name: getattr(kerasseq, name) for name in kerasseq.__all__}
    without = [n for n, o in public.items() if callable(o) and ">>>" not in (o.__doc__ or "")]
    assert without == ["Translation"]  # a record, shown where it is made


def test_an_output_stands_under_its_input():
    # doctest takes the text after a blank line for prose and does not compare it.
    prose = []
    for name in MODULES:
        for line in _lines_of_examples(importlib.import_module(name)):
            if not line.startswith(">>>"):
                prose.append(f"{name}: {line}")
    assert not prose


def _lines_of_examples(module):
    """Yield the first line of each paragraph of each Example section of a module's docstrings."""
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            continue
        sections = re.split(r"^(\S.*):$", ast.get_docstring(node) or "", flags=re.MULTILINE)
        for title, text in zip(sections[1::2], sections[2::2], strict=True):
            if title in ("Example", "Examples"):
                paragraphs = re.split(r"\n\s*\n", inspect.cleandoc(text))
                yield from (paragraph.strip().splitlines()[0] for paragraph in paragraphs)
