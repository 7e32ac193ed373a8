import json
import warnings

import keras
import numpy as np
import pytest
from support import new_process
from support.new_process import MODELS, SOURCE, TARGET, call, model_and_inputs
from support.reference import assert_close, randomize

import kerasseq

NAMES = pytest.mark.parametrize("name", MODELS)


# In a new process


@pytest.mark.slow
@NAMES
def test_a_model_loads_in_a_new_process(name):
    model, inputs = model_and_inputs(name)
    loaded = new_process.results()["models"][name]
    for output, expected in zip(loaded["outputs"], call(model, inputs), strict=True):
        assert_close(output, expected, 1e-6)
    assert loaded["warnings"] == []


@pytest.mark.slow
@NAMES
def test_every_argument_is_kept_in_a_new_process(name):
    model, _ = model_and_inputs(name)
    assert new_process.results()["models"][name]["json"] == model.to_json()


def test_the_loss_is_kept_in_a_new_process():
    loss, _ = new_process.results()["models"]["lstm_translator"]["loss"]
    assert loss["registered_name"] == "kerasseq>SmoothedCrossentropy"
    assert loss["config"]["label_smoothing"] == 0.1


# In this one


@NAMES
def test_a_clone_is_the_same_model(name):
    model, inputs = model_and_inputs(name)
    clone = keras.models.clone_model(model)
    if not clone.built:
        clone.build(inputs[0].shape)
    clone.set_weights(model.get_weights())
    for output, expected in zip(call(clone, inputs), call(model, inputs), strict=True):
        assert_close(output, expected)
    ours, theirs = clone.weights[0], model.weights[0]
    assert ours is not theirs


@NAMES
def test_json_makes_the_same_model(name):
    model, inputs = model_and_inputs(name)
    again = keras.models.model_from_json(model.to_json())
    if not again.built:
        again.build(inputs[0].shape)
    again.set_weights(model.get_weights())
    for output, expected in zip(call(again, inputs), call(model, inputs), strict=True):
        assert_close(output, expected)


def make_layers():
    """Yield each layer with no argument at its default, and one that has the defaults."""
    common = {"name": "own", "trainable": False, "dtype": "float64"}
    options = ["return_sequences", "return_state", "go_backwards", "stateful", "unroll"]
    options = {name: True for name in [*options, "zero_output_for_mask"]}
    yield (
        kerasseq.RNN(kerasseq.LSTMCell(7, dropout=0.1), **options, **common),
        kerasseq.RNN(kerasseq.RNNCell(4)),
    )
    yield (
        kerasseq.AttentionRNN(
            keras.layers.GRUCell(5), kerasseq.BahdanauAttention(3, name="look"), **common
        ),
        kerasseq.AttentionRNN(kerasseq.RNNCell(4), kerasseq.BahdanauAttention(4)),
    )


@pytest.mark.parametrize(("layer", "default"), list(make_layers()), ids=["RNN", "AttentionRNN"])
def test_from_config_keeps_every_argument(layer, default):
    config = json.loads(json.dumps(layer.get_config()))
    assert all(value != default.get_config()[name] for name, value in config.items())
    again = type(layer).from_config(json.loads(json.dumps(config)))
    assert again.get_config() == layer.get_config() == config
    assert type(again.cell) is type(layer.cell) and again.cell is not layer.cell


class Own(keras.Model):
    """A subclassed model, which Keras builds again only when it is called."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.embedding = keras.layers.Embedding(11, 5, mask_zero=True)
        self.encoder = kerasseq.RNN(kerasseq.LSTMCell(6), return_sequences=True)
        self.decoder = kerasseq.AttentionRNN(kerasseq.RNNCell(4), kerasseq.BahdanauAttention(3))
        self.readout = keras.layers.Dense(6)

    def call(self, inputs):
        source, target = self.embedding(inputs["source"]), self.embedding(inputs["target"])
        return self.readout(self.decoder(target, self.encoder(source))[0])


INPUTS = {"source": SOURCE, "target": TARGET}


@pytest.fixture(scope="module")
def own():
    model = Own()
    model(INPUTS)
    return randomize(model)


@pytest.mark.parametrize("after", ["call", "fit"])
def test_a_subclassed_model_is_saved_and_loaded(after, own, tmp_path):
    if after == "fit":
        own.compile("sgd", kerasseq.SmoothedCrossentropy(), run_eagerly=True)
        own.fit(INPUTS, TARGET, verbose=0)
    own.save(tmp_path / "own.keras")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loaded = keras.saving.load_model(tmp_path / "own.keras", custom_objects={"Own": Own})
    assert len(loaded.weights) == len(own.weights) == 12
    for weight, expected in zip(loaded.get_weights(), own.get_weights(), strict=True):
        np.testing.assert_array_equal(weight, expected)
    assert_close(loaded(INPUTS), own(INPUTS))


def test_weights_load_into_a_model_that_was_called(own, tmp_path):
    own.save_weights(tmp_path / "own.weights.h5")
    fresh = Own()
    fresh(INPUTS)
    fresh.load_weights(tmp_path / "own.weights.h5")
    assert_close(fresh(INPUTS), own(INPUTS))


def test_a_model_that_was_never_called_says_so(own, tmp_path):
    own.save_weights(tmp_path / "own.weights.h5")
    with pytest.raises(ValueError, match=r"not yet been built\. Try building the model first"):
        Own().load_weights(tmp_path / "own.weights.h5")
