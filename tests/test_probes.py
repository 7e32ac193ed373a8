import keras
import numpy as np
import pytest
import tensorflow as tf

from kerasseq import RNN, LSTMCell, RNNCell, SmoothedCrossentropy, build_attention_seq2seq, probes

IDS = np.random.default_rng(0).integers(1, 17, (4, 9))


def classifier(layer, mask=True, vocab_size=17):
    ids = keras.Input((None,), dtype="int32")
    embedding = keras.layers.Embedding(vocab_size, 6, mask_zero=mask)
    model = keras.Model(ids, keras.layers.Dense(3)(layer(embedding(ids))))
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    return model


def convolutions(layers, kernel_size):
    relu = {"padding": "causal", "activation": "relu"}
    return keras.Sequential([keras.layers.Conv1D(8, kernel_size, **relu) for _ in range(layers)])


def test_step_jacobians_of_an_rnn_are_those_of_the_formula():
    keras.utils.set_random_seed(1)
    cell = RNNCell(4)
    inputs = np.random.default_rng(1).normal(size=(5, 3)).astype("float32")
    jacobians, h = probes.step_jacobians(cell, inputs)
    np.testing.assert_allclose(h, RNN(cell, return_sequences=True)(inputs[None])[0], atol=1e-6)
    W_h = cell.recurrent_kernel.numpy().T
    expected = [np.diag(1 - h_t**2) @ W_h for h_t in h]
    np.testing.assert_allclose(jacobians, expected, atol=1e-5)


def test_their_product_is_the_gradient_through_the_layer():
    keras.utils.set_random_seed(2)
    cell = LSTMCell(3)
    inputs = np.random.default_rng(2).normal(size=(6, 2)).astype("float32")
    state = [np.full(3, 0.3, "float32"), np.full(3, -0.2, "float32")]
    jacobians, _ = probes.step_jacobians(cell, inputs, state)
    whole = np.linalg.multi_dot(jacobians[::-1])
    without_first = np.linalg.multi_dot(jacobians[:0:-1])
    expected = np.linalg.norm(without_first, 2)
    np.testing.assert_allclose(probes.product_norms(jacobians)[-1], expected, rtol=1e-5)
    states = [tf.constant(one[None]) for one in state]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(states)
        _, *last = RNN(cell, return_state=True)(inputs[None], initial_state=states)
        numbers = tf.unstack(tf.concat(last, axis=1)[0])
    rows = [tf.concat(tape.gradient(number, states), axis=1)[0] for number in numbers]
    np.testing.assert_allclose(whole, np.stack(rows), atol=1e-5)


def test_with_h_held_the_cell_state_is_multiplied_by_the_forget_gate():
    keras.utils.set_random_seed(3)
    cell = LSTMCell(3)
    inputs = np.random.default_rng(3).normal(size=(4, 2)).astype("float32")
    jacobians, states = probes.step_jacobians(cell, inputs)
    h_prev = np.concatenate([np.zeros((1, 3), "float32"), states[:-1, :3]])
    forget_gate = cell.gate_values(cell.project(inputs), h_prev)["forget_gate"]
    expected = [np.diag(one) for one in forget_gate]
    np.testing.assert_allclose(jacobians[:, 3:, 3:], expected, atol=1e-6)


def test_product_norms_at_zero_are_powers_of_the_radius():
    cell = RNNCell(5)
    cell.build((None, 2))
    cell.recurrent_kernel.assign(0.9 * cell.recurrent_kernel)  # orthogonal times 0.9
    jacobians, _ = probes.step_jacobians(cell, np.zeros((40, 2)))
    np.testing.assert_allclose(probes.product_norms(jacobians), 0.9 ** np.arange(40), rtol=1e-3)


def test_step_jacobians_want_one_sequence():
    with pytest.raises(ValueError, match=r"one sequence.*Received: inputs.shape=\(2, 5, 3\)"):
        probes.step_jacobians(RNNCell(4), np.zeros((2, 5, 3)))


@pytest.mark.parametrize("cell", [RNNCell(5), LSTMCell(5)], ids=["rnn", "lstm"])
def test_input_gradients_are_the_rows_of_the_gradient_of_the_embedding(cell):
    model = classifier(RNN(cell))
    ids, answers = np.array([[3, 5, 7, 9, 0, 0]]), np.array([1])  # each word once
    norms = probes.input_gradients(model, ids, answers)
    with tf.GradientTape() as tape:
        loss = model.compute_loss(y=answers, y_pred=model(ids))
    embeddings = model.layers[1].embeddings
    rows = tf.convert_to_tensor(tape.gradient(loss, embeddings)).numpy()
    expected = [*np.linalg.norm(rows[[3, 5, 7, 9]], axis=1), 0.0, 0.0]
    np.testing.assert_allclose(norms[0], expected, rtol=1e-4)
    assert norms[0, 0] > 0


def test_input_gradients_do_not_depend_on_the_batch():
    model = classifier(RNN(RNNCell(5)))
    answers = np.array([0, 1, 2, 1])
    together = probes.input_gradients(model, IDS, answers)
    alone = probes.input_gradients(model, IDS[2:3], answers[2:3])
    np.testing.assert_allclose(together[2], alone[0], rtol=1e-4)


def test_input_gradients_of_the_source_of_a_translator():
    model = build_attention_seq2seq(20, 20, embedding_dim=4, units=6)
    model.compile("adam", SmoothedCrossentropy())
    inputs = {"source": IDS.copy(), "target_in": IDS[:, :5]}
    inputs["source"][0, 7:] = 0
    norms = probes.input_gradients(model, inputs, IDS[:, 1:6], "source_embedding")
    np.testing.assert_array_equal(norms == 0, inputs["source"] == 0)


def test_input_gradients_of_a_frozen_embedding():
    model = classifier(RNN(RNNCell(5)))
    trained = probes.input_gradients(model, IDS, np.zeros(4))
    model.layers[1].trainable = False
    np.testing.assert_allclose(probes.input_gradients(model, IDS, np.zeros(4)), trained)
    assert trained.min() > 0


def test_a_model_can_still_be_saved_after_every_probe(tmp_path):
    model = classifier(RNN(LSTMCell(5)))
    probes.input_gradients(model, IDS, np.zeros(4))
    probes.receptive_field(model, IDS)
    probes.gate_values(model, IDS)
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(loaded(IDS), model(IDS))


def test_an_unknown_embedding_is_named():
    with pytest.raises(ValueError, match=r"`embedding` must be one of \[.*\].*Received.*'words'"):
        probes.input_gradients(classifier(RNN(RNNCell(3))), IDS, np.zeros(4), "words")


@pytest.mark.parametrize(("layers", "kernel_size"), [(1, 3), (2, 3), (3, 2)])
def test_the_receptive_field_of_convolutions(layers, kernel_size):
    stack = convolutions(layers, kernel_size)
    last = keras.Sequential([stack, keras.layers.Lambda(lambda outputs: outputs[:, -1])])
    ids = np.random.default_rng(0).integers(1, 17, (30, 9))
    expected = 1 + layers * (kernel_size - 1)
    assert probes.receptive_field(classifier(last, mask=False), ids) == expected
    assert probes.receptive_field(classifier(stack, mask=False), ids) == expected


def test_an_rnn_sees_all_and_a_constant_nothing():
    assert probes.receptive_field(classifier(RNN(RNNCell(5))), IDS) == IDS.shape[1]
    blind = keras.layers.Lambda(lambda vectors: 0 * vectors[:, -1])
    assert probes.receptive_field(classifier(blind, mask=False), IDS) == 0


def test_the_receptive_field_wants_several_sequences():
    with pytest.raises(ValueError, match=r"two sequences.*Received: ids.shape=\(1, 9\)"):
        probes.receptive_field(classifier(RNN(RNNCell(5))), IDS[:1])


def test_gate_values_are_those_of_a_loop_by_hand():
    cell = LSTMCell(5)
    model = classifier(RNN(cell))
    ids = IDS.copy()
    ids[1, 6:] = 0
    gates = probes.gate_values(model, ids)
    embedded = model.layers[1](ids)
    h, c = (np.zeros((4, 5), "float32") for _ in range(2))
    for t in range(6):
        values = cell.gate_values(cell.project(embedded[:, t]), h)
        for name, value in values.items():
            np.testing.assert_allclose(gates[name][:, t], value, atol=1e-5)
        h, (h, c) = cell(embedded[:, t], [h, c])


def test_gates_of_a_decoder_begin_with_the_state_of_the_encoder():
    source, target = np.full((1, 3, 2), 2.0, "float32"), np.ones((1, 4, 2), "float32")
    inputs = [keras.Input((None, 2)) for _ in range(2)]
    encoder = RNN(LSTMCell(5), return_state=True)
    _, *states = encoder(inputs[0])
    decoder = RNN(LSTMCell(5), return_sequences=True, name="decoder")
    model = keras.Model(inputs, decoder(inputs[1], initial_state=states))
    gates = probes.gate_values(model, [source, target], "decoder")
    cell, [_, h, _] = decoder.cell, encoder(source)
    first = cell.gate_values(cell.project(target[:, 0]), h)
    np.testing.assert_allclose(gates["output_gate"][:, 0], first["output_gate"], atol=1e-5)


def test_gates_of_an_lstm_that_reads_backward_are_refused():
    model = classifier(RNN(LSTMCell(5), go_backwards=True, name="reader"))
    with pytest.raises(
        ValueError, match=r"forward kerasseq.RNN.* one of \[\]. Received: layer='reader'"
    ):
        probes.gate_values(model, IDS, "reader")


def test_gates_of_a_model_without_lstm():
    with pytest.raises(ValueError, match=r"RNN with an LSTMCell.*Received: layer=None"):
        probes.gate_values(classifier(RNN(RNNCell(5))), IDS)
