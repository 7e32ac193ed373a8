"""Every layer keeps what Keras layers promise, and the checks see a layer that does not."""

import keras
import numpy as np
import pytest
from keras import ops
from support import layer_checks
from support.reference import normal

from kerasseq import RNN, AttentionRNN, BahdanauAttention, LSTMCell, RNNCell

SEQUENCES, VALUES, QUERY = normal(3, 5, 2), normal(3, 7, 4, seed=1), normal(3, 11, seed=2)
ALL = {"return_sequences": True, "return_state": True}
LAYERS = {
    "RNN of RNNCell": (lambda: RNN(RNNCell(3), **ALL), [SEQUENCES]),
    "RNN of LSTMCell": (lambda: RNN(LSTMCell(3, activation="elu"), **ALL), [SEQUENCES]),
    "RNN of a stack": (lambda: RNN([LSTMCell(3), RNNCell(4)], **ALL), [SEQUENCES]),
    "Bidirectional": (lambda: keras.layers.Bidirectional(RNN(LSTMCell(3), **ALL)), [SEQUENCES]),
    "AttentionRNN": (
        lambda: AttentionRNN(LSTMCell(3), BahdanauAttention(5)),
        [SEQUENCES, VALUES],
    ),
    "BahdanauAttention, one query": (lambda: BahdanauAttention(5), [QUERY, VALUES]),
    "BahdanauAttention, queries": (lambda: BahdanauAttention(5), [SEQUENCES, VALUES]),
}


@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_keeps_its_contract(name, tmp_path):
    make_layer, inputs = LAYERS[name]
    layer_checks.check_layer(make_layer, *inputs, folder=tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["RNN of LSTMCell", "BahdanauAttention, queries"])
def test_a_step_of_fit_is_the_same_under_xla(name):
    make_layer, inputs = LAYERS[name]
    layer_checks.check_fit(make_layer, *inputs)


# Layers that break a promise


@keras.saving.register_keras_serializable(package="tests")
class Scale(keras.layers.Layer):
    """Multiplies by a weight: it keeps all promises, and each subclass breaks one."""

    def __init__(self, factor=1.0, **kwargs):
        super().__init__(**kwargs)
        self.factor = factor
        self.supports_masking = True

    def build(self, shape):
        self.scale = self.add_weight(name="scale", shape=(shape[-1],), initializer="ones")

    def call(self, x):
        return self.factor * x * ops.cast(self.scale, self.compute_dtype)

    def compute_output_shape(self, shape):
        return shape

    def get_config(self):
        return {**super().get_config(), "factor": self.factor}


@keras.saving.register_keras_serializable(package="tests")
class ForgetsAnArgument(Scale):
    def get_config(self):
        config = super().get_config()
        del config["factor"]
        return config


class WrongShape(Scale):
    def compute_output_shape(self, shape):
        return (*shape[:-1], 2 * shape[-1])


class WrongDtype(Scale):
    def call(self, x):
        return ops.cast(super().call(x), "float32")


class NoGradient(Scale):
    def call(self, x):
        return self.factor * x * ops.stop_gradient(ops.cast(self.scale, self.compute_dtype))


class FrozenWeight(Scale):
    def build(self, shape):
        super().build(shape)
        self.unused = self.add_weight(name="unused", shape=(2,))


class BuildsMoreThanItCalls(Scale):
    def build(self, shape):
        if shape[1] is None:
            self.add_weight(name="extra", shape=(1,))
        super().build(shape)


class CountsPadding(Scale):
    def call(self, x, mask=None):
        return super().call(x) + ops.mean(x, axis=1, keepdims=True)


class DropsTheMask(Scale):
    def compute_mask(self, x, mask):
        return None


class IdleInFit(Scale):
    def build(self, shape):
        super().build(shape)
        self.idle = self.add_weight(name="idle", shape=(2,), trainable=False)


BROKEN = [
    (layer_checks.check_config, lambda: ForgetsAnArgument(2.0)),
    (layer_checks.check_shapes, WrongShape),
    (layer_checks.check_dtypes, WrongDtype),
    (layer_checks.check_gradients, NoGradient),
    (layer_checks.check_gradients, FrozenWeight),
    (layer_checks.check_build, BuildsMoreThanItCalls),
    (layer_checks.check_masks, CountsPadding),
    (layer_checks.check_masks, DropsTheMask),
    (layer_checks.check_fit, IdleInFit),
]


def test_a_layer_without_fault_passes(tmp_path):
    layer_checks.check_layer(lambda: Scale(2.0), SEQUENCES, folder=tmp_path)


@pytest.mark.parametrize(("check", "make_layer"), BROKEN)
def test_a_broken_promise_is_found(check, make_layer):
    with pytest.raises(AssertionError):
        check(make_layer, SEQUENCES)


def test_a_layer_that_cannot_be_saved_is_found(tmp_path):
    Unregistered = type("Unregistered", (Scale,), {})
    with pytest.raises(TypeError, match="Unregistered"):
        layer_checks.check_saving(Unregistered, np.ones((2, 3, 2), "float32"), folder=tmp_path)
