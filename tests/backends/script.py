"""Run the models of `cases` on one backend: `KERAS_BACKEND=jax python script.py make FOLDER`.

`make` writes what the models compute, their gradients, their weights after a step of `fit`, and
some models themselves; `load` reads those that the other backends have written.
"""

import pathlib
import sys
import warnings

import cases
import keras
import numpy as np
from keras import ops

import kerasseq
from kerasseq import decoding
from kerasseq.metrics.tokens import TokenAccuracy
from kerasseq.models import views

BACKEND = keras.backend.backend()
EAGER = {"jit_compile": BACKEND == "jax"}  # XLA under TensorFlow takes minutes


def flat(outputs):
    return [ops.convert_to_numpy(output) for output in keras.tree.flatten(outputs)]


def predict(model, inputs):
    """Return outputs, compiled as one graph: single operations would all be compiled by JAX."""
    return keras.tree.flatten(model.predict(inputs, verbose=0))


def normal(shape, seed):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def total(outputs):
    """Return a scalar that weighs every number of the outputs differently."""
    outputs = [ops.cast(output, "float32") for output in keras.tree.flatten(outputs)]
    weights = [ops.convert_to_tensor(normal(tuple(output.shape), 3)) for output in outputs]
    return sum(ops.sum(pair[0] * pair[1]) for pair in zip(outputs, weights, strict=True))


def caller(model):
    """Return a function that calls the model and returns outputs and the weights' gradients."""

    def call_tensorflow(inputs):
        import tensorflow as tf

        with tf.GradientTape() as tape:
            outputs = model(inputs)
            loss = total(outputs)
        found = tape.gradient(loss, [weight.value for weight in model.trainable_variables])
        return flat(outputs) + flat([tf.convert_to_tensor(gradient) for gradient in found])

    def call_torch(inputs):
        model.zero_grad()
        outputs = model(inputs)
        total(outputs).backward()
        return flat(outputs) + flat([weight.value.grad for weight in model.trainable_variables])

    def call_jax(inputs):
        trainable = [weight.value for weight in model.trainable_variables]
        (_, outputs), found = differentiate(trainable, inputs)
        return flat(outputs) + flat(found)

    if BACKEND == "jax":
        import jax

        def run(trainable, inputs):
            fixed = [weight.value for weight in model.non_trainable_variables]
            outputs, _ = model.stateless_call(trainable, fixed, inputs)
            return total(outputs), outputs

        differentiate = jax.jit(jax.value_and_grad(run, has_aux=True))
    return {"tensorflow": call_tensorflow, "torch": call_torch, "jax": call_jax}[BACKEND]


def step_of_fit(name, model, inputs):
    """Return what `evaluate` says, losses and metrics of a step, and the weights after it."""
    optimizer = keras.optimizers.SGD(0.5)
    if name in cases.MODELS:
        model.compile(optimizer, "mse", **EAGER)
        outputs = predict(model, inputs)
        targets = [normal(output.shape, 5) for output in outputs]
        history = model.fit(inputs, targets, batch_size=3, verbose=0).history
        return {"output": outputs, "fit": [history["loss"]], "fitted": model.get_weights()}
    loss = kerasseq.SmoothedCrossentropy(0.1)
    metrics = [kerasseq.Perplexity(), TokenAccuracy()]
    model.compile(optimizer, loss, metrics=metrics, **EAGER)
    evaluated = model.evaluate(inputs, cases.TARGET_OUT, verbose=0)
    # Under JAX `fit` loses the mask on the way to the metrics, Keras' own among them.
    model.compile(optimizer, loss, weighted_metrics=metrics, **EAGER)
    outputs, real = predict(model, inputs), cases.TARGET_IN != 0
    history = model.fit(inputs, cases.TARGET_OUT, batch_size=3, sample_weight=real, verbose=0)
    fit = [history.history[key] for key in ("loss", "perplexity", "accuracy")]
    weights = model.get_weights()
    return {"output": outputs, "evaluated": evaluated, "fit": fit, "fitted": weights}


def search(model, source, max_length):
    """Return what greedy search and beam search find."""
    encoded, view = views.encoder_view(model)(source), views.step_view(model)
    width = source.shape[1] if "values" in encoded else 0

    def step(tokens, states):
        said = view({"token": ops.expand_dims(tokens, 1), **states})
        weights = said.get("attention_weights")
        weights = ops.zeros((said["logits"].shape[0], 0)) if weights is None else weights
        return said["logits"], {**states, "states": said["states"]}, weights

    limits = ops.convert_to_tensor(np.array(max_length, "int32"))
    found = decoding.greedy_search(step, encoded, width, limits)
    return *found, *decoding.beam_search(step, encoded, width, limits, beam_width=3, n_best=2)


def seen(name, model):
    """Return what every view of a translator shows."""
    encoded = views.encoder_view(model).predict(cases.SOURCE, verbose=0)
    outputs = keras.tree.flatten(encoded) + predict(views.forced_view(model), cases.INPUTS)
    token = {"token": cases.TARGET_IN[:, :1], **encoded}
    outputs += predict(views.step_view(model), token)
    if name.startswith("attention"):
        outputs += predict(views.attention_view(model), cases.INPUTS)
    return outputs + predict(views.gate_view(model), cases.SOURCE)


def stateful():
    """Return what a layer says after two halves and to the whole, and its weights after `fit`."""
    layer = kerasseq.RNN(kerasseq.LSTMCell(5), stateful=True)
    model = keras.Sequential([keras.Input(batch_shape=(2, None, 3)), layer])
    for i, weight in enumerate(layer.trainable_variables):
        weight.assign(normal(weight.shape, i))
    sequences = normal((2, 6, 3), 9)
    halves = flat([layer(half) for half in (sequences[:, :2], sequences[:, 2:])])
    layer.reset_state()
    [whole] = flat(layer(sequences))
    layer.reset_state()
    model.compile("sgd", "mse", **EAGER)
    model.fit(sequences, whole + 1, verbose=0)
    return [halves[1], whole, *flat([weight.value for weight in layer.trainable_variables])]


def dropout():
    """Return two predictions and two calls in training, and all seeds before and after `fit`."""
    source = keras.Input((None,), dtype="int32")
    rates = {"dropout": 0.5, "recurrent_dropout": 0.5}
    stack = [kerasseq.RNNCell(3, **rates, seed=1), kerasseq.LSTMCell(5, **rates, seed=2)]
    values = kerasseq.RNN(stack, return_sequences=True)(cases.embed(source))
    cell, attention = kerasseq.LSTMCell(5, **rates, seed=3), kerasseq.BahdanauAttention(3)
    outputs, *_ = kerasseq.AttentionRNN(cell, attention)(values, values)
    model = keras.Model(source, outputs)
    model.compile("sgd", "mse", **EAGER)
    seeds = [weight for weight in model.non_trainable_variables if "seed" in weight.path]
    predictions = [model.predict(cases.SOURCE, verbose=0) for _ in range(2)]
    trained = flat([model(cases.SOURCE, training=True) for _ in range(2)])
    before = np.array(flat([seed.value for seed in seeds]))
    model.fit(cases.SOURCE, np.zeros((3, 5, 5)), verbose=0)
    return [*predictions, *trained, before, np.array(flat([seed.value for seed in seeds]))]


def low_precision(policy):
    keras.config.set_dtype_policy(policy)
    try:
        return caller(cases.make("attention"))(cases.INPUTS)
    finally:
        keras.config.set_dtype_policy("float32")


def make(folder):
    for name in [*cases.MODELS, *cases.TRANSLATORS]:
        model = cases.make(name)
        inputs = cases.inputs_of(model)
        if name in cases.SAVED:
            model.save(folder / f"{name}.keras")
        call, results = caller(model), {}
        if name in cases.MODELS or name in cases.SEARCHED:
            results["call"] = call(inputs)
            results["padding"] = call(keras.tree.map_structure(np.zeros_like, inputs))
        if name in cases.SHORTENED:
            results["short"] = call(keras.tree.map_structure(lambda ids: ids[:, :1], inputs))
        if name in cases.SEARCHED:
            results["views"] = seen(name, model)
            results["search"] = flat(search(model, cases.SOURCE, [4, 6, 0]))
        if name in cases.FITTED:
            results |= step_of_fit(name, model, inputs)
        write(folder / f"{name}.npz", **results)
    policies = {name: low_precision(f"mixed_{name}") for name in ("float16", "bfloat16")}
    write(folder / "own.npz", stateful=stateful(), dropout=dropout(), **policies)


def load(folder):
    for path in sorted(set(folder.parent.glob("*/*.keras")) - set(folder.glob("*.keras"))):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = keras.saving.load_model(path)
        output = predict(model, cases.inputs_of(model))
        write(folder / f"{path.stem}.from_{path.parent.name}.npz", output=output)


def write(path, **results):
    np.savez(path, **{f"{key} {i:02}": x for key, xs in results.items() for i, x in enumerate(xs)})


if __name__ == "__main__":
    task, name = sys.argv[1:]
    folder = pathlib.Path(name) / BACKEND
    folder.mkdir(exist_ok=True)
    {"make": make, "load": load}[task](folder)
