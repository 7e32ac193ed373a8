"""A translator speaks for its model as it is, whatever has been done to it."""

import keras
import numpy as np
import pytest
from support.translators import SOURCES, untrained

from kerasseq import Translator, build_attention_seq2seq, build_seq2seq
from kerasseq.models.model_cache import ModelCache


def enable_lora(*names):
    def change(model):
        rng = np.random.default_rng(5)
        for name in names:
            layer = model.get_layer(name)
            layer.enable_lora(2)
            b = layer.lora_embeddings_b if "embedding" in name else layer.lora_kernel_b
            b.assign(rng.normal(0, 1, b.shape))

    return change


def lower_precision(model):
    for name in ("encoder", "decoder", "readout"):
        model.get_layer(name).dtype_policy = "mixed_bfloat16"


def other_activation(model):
    model.get_layer("readout").activation = keras.activations.relu


def trained(model):
    model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.set_weights([2 * weight for weight in model.get_weights()])


CHANGES = {
    "LoRA": enable_lora("readout", "source_embedding", "target_embedding"),
    "int8": lambda model: model.quantize("int8"),
    "dtype policy": lower_precision,
    "activation": other_activation,
    "assigned weights": trained,
    "LoRA, int8": lambda model: (enable_lora("readout")(model), model.quantize("int8")),
}
FILTER = pytest.mark.filterwarnings("ignore:Layer .* does not have a `quantize`")


def said(translator):
    """What a translator says, and how it scores what it is given."""
    own = [(one.text, one.score) for one in translator.translate(SOURCES[:4], max_length=6)]
    return own, [one.score for one in translator.align(SOURCES[:4], SOURCES[4:8])]


SLOW = [pytest.param(name, marks=[pytest.mark.slow] * (name != "LoRA")) for name in CHANGES]


@pytest.mark.slow
@FILTER
@pytest.mark.parametrize("name", SLOW)
def test_a_translator_follows_a_change_of_its_model(name):
    translator = untrained()
    before = said(translator)
    CHANGES[name](translator.model)
    text = translator.source_text
    assert said(translator) == said(Translator(translator.model, text, text))
    assert said(translator) != before


@pytest.mark.slow
def test_an_export_speaks_for_the_model_as_it_is(tmp_path):
    import tensorflow as tf

    translator = untrained(build_seq2seq)
    translator.translate(SOURCES[:1])
    enable_lora("readout")(translator.model)
    translator.export(tmp_path / "saved", beam_width=2)
    loaded = tf.saved_model.load(tmp_path / "saved")
    found = loaded.greedy(tf.constant(SOURCES[:4]))
    expected = [one.score for one in translator.translate(SOURCES[:4])]
    np.testing.assert_allclose(found["scores"], expected, atol=1e-3)


def test_what_changes_no_computation_makes_nothing_anew():
    model = untrained(build_attention_seq2seq).model
    made = []
    present = ModelCache(model, made.append)
    present()
    model.compile("sgd", "mse", metrics=["mae"])
    model.set_weights(model.get_weights())
    inputs = {name: np.ones((2, 3), "int32") for name in ("source", "target_in")}
    model.fit(inputs, np.ones((2, 3, 14)), verbose=0)
    model.predict(inputs, verbose=0)
    present()
    assert len(made) == 1


def test_a_change_is_made_good_once():
    model = untrained(build_seq2seq).model
    made = []
    present = ModelCache(model, made.append)
    present()
    model.get_layer("readout").enable_lora(2)
    present()
    present()
    assert len(made) == 2
