"""The callbacks that look into a model of any kind: its gradients through time, its gates."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from kerasseq import RNN, LSTMCell, probes
from kerasseq.callbacks import GateMaps, GradientFlow
from kerasseq.plotting import figure_to_array, plot_gates

IDS = np.random.default_rng(0).integers(1, 9, (4, 7))
ANSWERS = np.array([0, 1, 1, 0])
TOKENS = [["the", "keys"], ["我", "爱", "北京"]]


@pytest.fixture
def model():
    ids = keras.Input((None,), dtype="int32")
    h = RNN(LSTMCell(5))(keras.layers.Embedding(9, 6)(ids))
    model = keras.Model(ids, keras.layers.Dense(2)(h))
    # Steps so large that two epochs differ by more than a level of color.
    model.compile(
        keras.optimizers.Adam(0.1), keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    )
    return model


def read(folder):
    events = EventAccumulator(str(folder / "translation"), {"images": 0, "tensors": 0})
    events.Reload()
    return {tag: events.Tensors(tag) for tag in events.Tags()["tensors"]}


def test_gradient_flow_writes_the_norm_at_each_lag(model, tmp_path):
    flow = GradientFlow(IDS, ANSWERS, tmp_path, lags=(0, 6))
    model.fit(IDS, ANSWERS, epochs=2, verbose=0, callbacks=[flow])
    written = read(tmp_path)
    assert set(written) == {"gradient_norm/0", "gradient_norm/6"}
    norms = probes.input_gradients(model, IDS, ANSWERS).mean(axis=0)
    for lag in (0, 6):
        values = [
            float(tf.make_ndarray(one.tensor_proto)) for one in written[f"gradient_norm/{lag}"]
        ]
        assert len(values) == 2
        np.testing.assert_allclose(values[1], norms[-1 - lag], rtol=1e-5)
    assert norms[-1] != norms[0]


def test_gradient_flow_refuses_lags_that_the_inputs_do_not_have(model, tmp_path):
    flow = GradientFlow(IDS, ANSWERS, tmp_path, lags=(0, 7))
    with pytest.raises(
        ValueError, match=r"shorter than the inputs, 7 steps. Received: lags=\[0, 7"
    ):
        model.fit(IDS, ANSWERS, verbose=0, callbacks=[flow])
    with pytest.raises(ValueError, match="`lags` must be a whole number of at least 0"):
        GradientFlow(IDS, ANSWERS, tmp_path, lags=(-1,))


def test_gate_maps_draw_each_sentence_each_epoch(model, tmp_path):
    maps = GateMaps(IDS[:2], TOKENS, tmp_path)
    model.fit(IDS, ANSWERS, epochs=2, verbose=0, callbacks=[maps])
    written = read(tmp_path)
    assert set(written) == {"gates/0", "gates/1"}
    assert all(len(images) == 2 for images in written.values())
    assert written["gates/0"][0].tensor_proto != written["gates/0"][1].tensor_proto


@pytest.mark.parametrize("tokens", [TOKENS[:1], [["a"] * 8, ["b"]]])
def test_gate_maps_want_words_for_each_input(model, tmp_path, tokens):
    with pytest.raises(ValueError, match="`tokens` must hold a list of words for each input"):
        model.fit(IDS, ANSWERS, verbose=0, callbacks=[GateMaps(IDS[:2], tokens, tmp_path)])


def test_plot_gates_puts_what_remembers_on_top():
    closed, open_ = np.zeros((2, 3)), np.zeros((2, 3))
    open_[:, 2] = 1.0  # the last unit remembers all
    gates = {"input_gate": closed, "forget_gate": open_, "output_gate": closed}
    figure = plot_gates(gates, ["the", "keys"], "gates")
    image = figure.axes[1].images[0].get_array()
    np.testing.assert_array_equal(image, [[1, 1], [0, 0], [0, 0]])
    assert [text.get_text() for text in figure.axes[2].get_xticklabels()] == ["the", "keys"]
    assert figure_to_array(figure).std() > 0


def test_plot_gates_wants_one_row_a_token():
    gates = dict.fromkeys(("input_gate", "forget_gate", "output_gate"), np.zeros((3, 4)))
    with pytest.raises(ValueError, match=r"2 tokens. Received: shapes \[\(3, 4\)\]"):
        plot_gates(gates, ["the", "keys"])
