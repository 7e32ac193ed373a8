"""Models that are saved here and loaded in a process that knows nothing but `import kerasseq`.

Starting TensorFlow takes seconds, so all tests that need a new process share this one.
"""

import functools
import json
import pathlib
import subprocess
import sys
import tempfile

import keras
import numpy as np

import kerasseq
from support.reference import randomize

SCRIPT = """
import json, pathlib, sys, warnings
import keras, numpy as np
before = set(sys.modules)
import kerasseq
modules = sorted(set(sys.modules) - before)

folder = pathlib.Path(sys.argv[1])
models = {}
for path in sorted(folder.glob("*.keras")):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = keras.saving.load_model(path)
    inputs = list(np.load(path.with_suffix(".inputs.npz")).values())
    outputs = keras.tree.flatten(model(inputs if len(inputs) > 1 else inputs[0]))
    np.savez(path.with_suffix(".outputs.npz"), *outputs)
    models[path.stem] = {
        "json": model.to_json(),
        "loss": keras.losses.serialize(model.loss) if model.compiled else None,
        "warnings": [str(warning.message) for warning in caught],
    }
translator = kerasseq.Translator.load(folder / "moved" / "french.kerasseq")
texts = json.loads((folder / "texts.json").read_text())
results = {
    "modules": modules,
    "models": models,
    "vocabulary": translator.source_text.vocabulary,
    "ids": translator.source_text.encode(texts).numpy().tolist(),
    "translations": [[found.text, found.score] for found in translator.translate(texts)],
}
(folder / "results.json").write_text(json.dumps(results))
"""
TEXTS = ["je suis désolé", "désolé je zzz", "suis"]
SOURCE = np.array([[4, 2, 5, 0], [3, 1, 5, 2]])
TARGET = np.array([[3, 5, 0], [2, 0, 0]])


def embed(ids):
    return keras.layers.Embedding(11, 5, mask_zero=True)(ids)


def make_looker():
    """Return somebody's own model, right after a step of fit."""
    ids = keras.Input((None,), dtype="int32")
    cell = kerasseq.LSTMCell(7, dropout=0.1)
    values, h, _ = kerasseq.RNN(cell, return_sequences=True, return_state=True)(embed(ids))
    context, weights = kerasseq.BahdanauAttention(4)(h, values)
    model = keras.Model(ids, [context, weights])
    randomize(model)
    model.compile("sgd", ["mse", None], run_eagerly=True)
    model.fit(SOURCE, [np.ones((2, 7)), np.ones((2, 4))], verbose=0)
    return model


def make_bidirectional():
    """Return a model after one call only."""
    cell = kerasseq.RNNCell(3, activation="relu", use_bias=False, kernel_regularizer="l2")
    layer = kerasseq.RNN(cell, return_sequences=True, zero_output_for_mask=True)
    embedding = keras.layers.Embedding(11, 5, mask_zero=True)
    model = keras.Sequential([embedding, keras.layers.Bidirectional(layer)])
    model(SOURCE)
    return randomize(model)


def make_stack():
    ids = keras.Input((None,), dtype="int32")
    cells = [kerasseq.LSTMCell(3, recurrent_activation="hard_sigmoid"), kerasseq.RNNCell(4)]
    return randomize(keras.Model(ids, kerasseq.RNN(cells, go_backwards=True)(embed(ids))))


def make_translator(make_cell):
    source, target = (keras.Input((None,), dtype="int32") for _ in range(2))
    encoder = kerasseq.RNN(make_cell(6), return_sequences=True, return_state=True)
    values, *states = encoder(embed(source))
    attention = kerasseq.BahdanauAttention(4)
    decoder = kerasseq.AttentionRNN(make_cell(6, dropout=0.1), attention, name="decoder")
    outputs, _, weights, *_ = decoder(embed(target), values, initial_state=states)
    logits = keras.layers.Dense(11)(outputs)
    model = keras.Model([source, target], [logits, weights])
    model.compile("sgd", [kerasseq.SmoothedCrossentropy(0.1), None])
    return randomize(model)


MODELS = {
    "looker": (make_looker, [SOURCE]),
    "bidirectional": (make_bidirectional, [SOURCE]),
    "stack": (make_stack, [SOURCE]),
    "rnn_translator": (lambda: make_translator(kerasseq.RNNCell), [SOURCE, TARGET]),
    "lstm_translator": (lambda: make_translator(kerasseq.LSTMCell), [SOURCE, TARGET]),
    "gru_translator": (lambda: make_translator(keras.layers.GRUCell), [SOURCE, TARGET]),
}


@functools.cache
def translator():
    french = kerasseq.TextProcessor(lower=True).adapt(["Je suis désolé.", "Tu es ici."])
    english = kerasseq.TextProcessor(level="char").adapt(["I am sorry.", "You are here."])
    model = kerasseq.build_attention_seq2seq(len(french), len(english), embedding_dim=4, units=4)
    return kerasseq.Translator(randomize(model), french, english)


@functools.cache
def model_and_inputs(name):
    """Return a model and inputs that are longer than those it was made with."""
    make_model, inputs = MODELS[name]
    longer = [np.concatenate([ids, ids, ids, ids[:, :1]], axis=1) for ids in inputs]
    return make_model(), longer


def call(model, inputs):
    outputs = model(inputs if len(inputs) > 1 else inputs[0])
    return [np.asarray(output) for output in keras.tree.flatten(outputs)]


@functools.cache
def results():
    """Return what the new process found, `SCRIPT`'s results."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for name in MODELS:
            model, inputs = model_and_inputs(name)
            model.save(folder / f"{name}.keras")
            np.savez(folder / f"{name}.inputs.npz", *inputs)
        (folder / "made").mkdir()
        translator().save(folder / "made" / "french.kerasseq")
        (folder / "made").rename(folder / "moved")
        (folder / "texts.json").write_text(json.dumps(TEXTS))
        subprocess.run([sys.executable, "-c", SCRIPT, str(folder)], check=True)
        found = json.loads((folder / "results.json").read_text())
        for name, model in found["models"].items():
            with np.load(folder / f"{name}.outputs.npz") as outputs:
                model["outputs"] = list(outputs.values())
    return found
