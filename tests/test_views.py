"""The views: they are the model, seen from inside."""

import subprocess
import sys

import keras
import numpy as np
import pytest
from keras import ops
from support.small_models import INPUTS, PARAMS, SIZES, SOURCE, TARGET_IN, build

import kerasseq
from kerasseq import build_attention_seq2seq, build_seq2seq
from kerasseq.models import views

NAMES = ["encoder_view", "step_view", "forced_view", "attention_view", "gate_view"]
VIEWS = pytest.mark.parametrize("name", NAMES)
_LOAD = """
import pathlib, sys
import keras, numpy as np
import kerasseq
for path in pathlib.Path(sys.argv[1]).glob("*.keras"):
    view = keras.saving.load_model(path)
    inputs = list(np.load(path.with_suffix(".inputs.npz")).values())
    outputs = view(keras.tree.pack_sequence_as(view.input, inputs))
    np.savez(path.with_suffix(".outputs.npz"), *keras.tree.flatten(outputs))
"""


@pytest.fixture(scope="module", params=PARAMS, ids=str)
def attention_model(request):
    return build(build_attention_seq2seq, **request.param)


@pytest.fixture(scope="module")
def model():
    return build(build_attention_seq2seq)


@pytest.mark.parametrize("builder", [build_seq2seq, build_attention_seq2seq])
def test_steps_of_the_view_are_the_model(builder):
    model = build(builder)
    logits = np.array(model(INPUTS))
    decoded = kerasseq.encoder_view(model)(SOURCE)
    step = kerasseq.step_view(model)
    for t in range(TARGET_IN.shape[1]):
        token = ops.convert_to_tensor(TARGET_IN[:, t : t + 1])
        result = step({"token": token, **decoded})
        decoded = {**decoded, "states": result["states"]}
        real = TARGET_IN[:, t] != 0
        np.testing.assert_allclose(np.array(result["logits"])[real], logits[real, t], atol=1e-5)


def test_steps_of_the_view_look_where_the_attention_view_looks(model):
    weights = np.array(kerasseq.attention_view(model)(INPUTS))
    encoded = kerasseq.encoder_view(model)(SOURCE)
    token = ops.convert_to_tensor(TARGET_IN[:, :1])
    result = kerasseq.step_view(model)({"token": token, **encoded})
    np.testing.assert_allclose(result["attention_weights"], weights[:, 0], atol=1e-6)


def test_attention_view_rows_sum_to_one_and_skip_padding(attention_model):
    weights = np.array(kerasseq.attention_view(attention_model)(INPUTS))
    assert weights.shape == (3, 4, 5)
    np.testing.assert_allclose(weights.sum(-1), TARGET_IN != 0, atol=1e-6)
    assert not weights[np.broadcast_to((SOURCE == 0)[:, None], weights.shape)].any()


def test_attention_view_with_a_backward_encoder_keeps_the_order_of_the_source():
    """Perturbing the embedding of the first word moves the first value most, not the last."""
    model = build(build_attention_seq2seq, encoder="backward", cell="rnn")
    values = np.array(kerasseq.encoder_view(model)(SOURCE)["values"])
    other = SOURCE.copy()
    other[0, 4] = 9  # the last word, read first: it reaches every value
    changed = np.array(kerasseq.encoder_view(model)(other)["values"])
    assert np.abs(changed - values)[0].max(-1).all()
    other = SOURCE.copy()
    other[0, 0] = 9  # the first word, read last: it reaches only its own value
    changed = np.array(kerasseq.encoder_view(model)(other)["values"])
    moved = np.abs(changed - values)[0].max(-1) > 0
    assert moved.tolist() == [True, False, False, False, False]


@pytest.mark.parametrize("builder", [build_seq2seq, build_attention_seq2seq])
def test_forced_view_says_what_the_model_says(builder):
    model = build(builder)
    forced = views.forced_view(model)(INPUTS)
    np.testing.assert_array_equal(forced["logits"], model(INPUTS))
    assert ("attention_weights" in forced) == (builder is build_attention_seq2seq)


def test_views_follow_the_weights_of_the_model(model):
    view = kerasseq.encoder_view(model)
    before = np.array(view(SOURCE)["keys"])
    weights = model.get_weights()
    model.get_layer("decoder").attention.key_kernel.assign_add(
        ops.ones_like(model.get_layer("decoder").attention.key_kernel)
    )
    after = np.array(view(SOURCE)["keys"])
    model.set_weights(weights)
    assert np.abs(after - before).max() > 0.1


def test_gate_view_rebuilds_the_cell_states(model):
    """C_t = f ⊙ C_{t−1} + i ⊙ C~ and h_t = o ⊙ tanh(C_t) from the gates give the encoder's h."""
    gates = {name: np.array(gate) for name, gate in kerasseq.gate_view(model)(SOURCE).items()}
    values = np.array(kerasseq.encoder_view(model)(SOURCE)["values"])[..., :3]
    c = np.zeros((3, 3))
    for t in range(SOURCE.shape[1]):
        c = gates["forget_gate"][:, t] * c + gates["input_gate"][:, t] * gates["candidate"][:, t]
        h = gates["output_gate"][:, t] * np.tanh(c)
        real = SOURCE[:, t] != 0
        np.testing.assert_allclose(h[real], values[real, t], atol=1e-5)


@pytest.mark.parametrize("name", ["encoder_view", "step_view", "attention_view", "gate_view"])
def test_views_refuse_a_model_that_was_not_built_here(name):
    foreign = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
    with pytest.raises(ValueError, match="must come from build_seq2seq or build_attention_seq2seq"):
        getattr(kerasseq, name)(foreign)


def test_attention_view_refuses_a_model_without_attention():
    with pytest.raises(ValueError, match="has no attention"):
        kerasseq.attention_view(build_seq2seq(11, 13, **SIZES))


def test_gate_view_refuses_a_model_without_lstm():
    with pytest.raises(ValueError, match=r"LSTM.*Received: model=.*cell="):
        kerasseq.gate_view(build_seq2seq(11, 13, **SIZES, cell="rnn"))


@pytest.mark.parametrize("builder", [build_seq2seq, build_attention_seq2seq])
def test_a_model_can_still_be_saved_after_every_view(builder, tmp_path):
    model = build(builder)
    for view in (views.encoder_view, views.step_view, views.forced_view, views.gate_view):
        view(model)
    if builder is build_attention_seq2seq:
        views.attention_view(model)
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(loaded(INPUTS), model(INPUTS))


# A view is a model: it is saved, cloned and exported as one


def view_and_inputs(model, name):
    encoded = views.encoder_view(model)(SOURCE)
    step = {"token": ops.convert_to_tensor(TARGET_IN[:, :1]), **encoded}
    inputs = {"step_view": step, "forced_view": INPUTS, "attention_view": INPUTS}
    return getattr(views, name)(model), inputs.get(name, SOURCE)


def assert_same(found, expected):
    pairs = zip(keras.tree.flatten(found), keras.tree.flatten(expected), strict=True)
    for one, other in pairs:
        np.testing.assert_allclose(one, other, atol=1e-6)


@VIEWS
def test_a_view_can_be_saved(name, model, tmp_path):
    view, inputs = view_and_inputs(model, name)
    view.save(tmp_path / "view.keras")
    assert_same(keras.saving.load_model(tmp_path / "view.keras")(inputs), view(inputs))


@VIEWS
def test_a_view_can_be_cloned(name, model):
    view, inputs = view_and_inputs(model, name)
    clone = keras.models.clone_model(view)
    clone.set_weights(view.get_weights())
    assert_same(clone(inputs), view(inputs))


@VIEWS
def test_a_view_can_be_made_of_its_config(name, model):
    view, inputs = view_and_inputs(model, name)
    again = type(view).from_config(view.get_config())
    again.set_weights(view.get_weights())
    assert_same(again(inputs), view(inputs))


def with_single_states(tensors):
    if not isinstance(tensors, dict):
        return tensors
    states = {f"state_{index}": one for index, one in enumerate(tensors.get("states", []))}
    return {name: one for name, one in tensors.items() if name != "states"} | states


@pytest.mark.parametrize(
    "name",
    [
        "encoder_view",
        "step_view",
        *[pytest.param(one, marks=pytest.mark.slow) for one in NAMES[2:]],
    ],
)
def test_a_view_can_be_exported(name, model, tmp_path):
    import tensorflow as tf

    view, inputs = view_and_inputs(model, name)
    view.export(tmp_path / "saved", verbose=False)
    loaded = tf.saved_model.load(tmp_path / "saved")
    found = loaded.serve(with_single_states(inputs))
    assert_same(found, with_single_states(view(inputs)))


def test_views_of_a_model_in_mixed_precision_compute_as_it_does():
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy("mixed_bfloat16")
    try:
        model = build(build_attention_seq2seq)
    finally:
        keras.config.set_dtype_policy(before)
    encoded, gates = views.encoder_view(model)(SOURCE), views.gate_view(model)(SOURCE)
    for one in (encoded["keys"], encoded["values"], *gates.values()):
        assert keras.backend.standardize_dtype(one.dtype) == "bfloat16"


@pytest.mark.slow
def test_views_load_in_a_new_process(model, tmp_path):
    for name in NAMES:
        view, inputs = view_and_inputs(model, name)
        view.save(tmp_path / f"{name}.keras")
        np.savez(tmp_path / f"{name}.inputs.npz", *keras.tree.flatten(inputs))
    subprocess.run([sys.executable, "-c", _LOAD, str(tmp_path)], check=True)
    for name in NAMES:
        view, inputs = view_and_inputs(model, name)
        with np.load(tmp_path / f"{name}.outputs.npz") as outputs:
            assert_same(list(outputs.values()), view(inputs))
