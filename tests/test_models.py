"""The builders: masks, shapes, the bridge, and what a loss counts."""

import keras
import numpy as np
import pytest
from keras import ops
from support.small_models import INPUTS, PARAMS, REAL, SIZES, SOURCE, TARGET_IN, TARGET_OUT, build

import kerasseq
from kerasseq import build_attention_seq2seq, build_seq2seq


@pytest.fixture(scope="module", params=PARAMS, ids=str)
def attention_model(request):
    return build(build_attention_seq2seq, **request.param)


@pytest.fixture(scope="module", params=PARAMS, ids=str)
def bottleneck_model(request):
    return build(build_seq2seq, **request.param)


@pytest.fixture(scope="module")
def model():
    return build(build_attention_seq2seq)


def mean_over_real_tokens(logits, target, label_smoothing=0.0):
    """Cross-entropy by hand, in float64."""
    logits = np.asarray(logits, "float64")
    log_probs = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    chosen = np.take_along_axis(log_probs, target[..., None], -1)[..., 0]
    losses = -(1 - label_smoothing) * chosen - label_smoothing * log_probs.mean(-1)
    return losses[target != 0].mean()


def padded(array, columns):
    return np.pad(array, ((0, 0), (0, columns)))


def assert_padding_changes_nothing(model):
    logits = np.array(model(INPUTS))
    more = {"source": padded(SOURCE, 4), "target_in": padded(TARGET_IN, 3)}
    longer = np.array(model(more))[:, : TARGET_IN.shape[1]]
    np.testing.assert_allclose(longer[REAL], logits[REAL], atol=1e-5)


def assert_loss_counts_real_tokens(model):
    expected = mean_over_real_tokens(model(INPUTS), TARGET_OUT, 0.1)
    model.compile("sgd", kerasseq.SmoothedCrossentropy(0.1), run_eagerly=True)
    history = model.fit(INPUTS, TARGET_OUT, batch_size=3, verbose=0).history
    np.testing.assert_allclose(history["loss"], [expected], rtol=1e-5)


def test_more_padding_changes_nothing_with_attention(attention_model):
    assert_padding_changes_nothing(attention_model)


def test_more_padding_changes_nothing_without_attention(bottleneck_model):
    assert_padding_changes_nothing(bottleneck_model)


def test_fit_loss_is_the_mean_over_real_tokens_with_attention(attention_model):
    assert_loss_counts_real_tokens(keras.models.clone_model(attention_model))


def test_fit_loss_is_the_mean_over_real_tokens_without_attention(bottleneck_model):
    assert_loss_counts_real_tokens(keras.models.clone_model(bottleneck_model))


def test_loss_under_keras_own_crossentropy_and_dropout_layers(model):
    """Dropout 0 at evaluation: the same mean, whichever loss reads the mask."""
    expected = mean_over_real_tokens(model(INPUTS), TARGET_OUT)
    model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    np.testing.assert_allclose(model.evaluate(INPUTS, TARGET_OUT, verbose=0), expected, rtol=1e-5)


def test_accuracy_does_not_count_padding():
    """Right at the first of two real tokens, and [PAD] predicted at padding: 0.5, not 0.8."""
    target = np.array([[4, 2, 0, 0, 0]])
    logits = ops.one_hot(np.array([[4, 5, 0, 0, 0]]), 6)
    logits._keras_mask = ops.convert_to_tensor(target != 0)
    metric = keras.metrics.SparseCategoricalAccuracy()
    metric.update_state(target, logits, sample_weight=ops.cast(logits._keras_mask, "float32"))
    assert float(metric.result()) == 0.5


def test_initial_loss_is_the_logarithm_of_the_vocabulary():
    keras.utils.set_random_seed(0)
    model = build_attention_seq2seq(11, 700, embedding_dim=64, units=32)
    loss = kerasseq.SmoothedCrossentropy()(TARGET_OUT, model(INPUTS))
    assert abs(float(loss) - np.log(700)) < 0.3


def test_seq2seq_and_attention_differ_only_in_the_attention():
    names = [{layer.name for layer in builder(11, 13, **SIZES).layers if "_" in layer.name}
             for builder in (build_seq2seq, build_attention_seq2seq)]  # fmt: skip
    named = {"source_embedding", "target_embedding", "bridge_0", "bridge_1", "readout_dropout"}
    assert named <= names[0] & names[1]
    seq2seq, attention = (
        builder(11, 13, **SIZES).count_params()
        for builder in (build_seq2seq, build_attention_seq2seq)
    )
    # W_a, U_a, v_a; the context's rows in the cell's kernel and in the readout
    assert attention - seq2seq == (6 * 6 + 6 * 6 + 6) + 6 * 4 * 6 + 6 * 5


def test_tied_embeddings_are_one_matrix():
    model = build(build_attention_seq2seq, tie_embeddings=True)
    assert sum(weight.shape == (13, 5) for weight in model.weights) == 1
    assert not any(weight.shape == (5, 13) for weight in model.weights)


def test_forward_encoder_hands_its_state_to_the_decoder_as_it_is():
    model = build(build_seq2seq, encoder="forward")
    h, c = kerasseq.encoder_view(model)(SOURCE)["states"]
    embedded = model.get_layer("source_embedding")(SOURCE)
    keras_lstm = keras.layers.LSTM(6, return_state=True)
    keras_lstm.build(embedded.shape)
    keras_lstm.set_weights(model.get_layer("encoder").get_weights())
    _, expected_h, expected_c = keras_lstm(embedded, mask=embedded._keras_mask)
    np.testing.assert_allclose(h, expected_h, atol=1e-5)
    np.testing.assert_allclose(c, expected_c, atol=1e-5)


def test_bidirectional_encoder_hands_each_state_over_its_own_bridge():
    model = build(build_seq2seq)
    states = kerasseq.encoder_view(model)(SOURCE)["states"]
    embedded = model.get_layer("source_embedding")(SOURCE)
    _, forward_h, forward_c, backward_h, backward_c = model.get_layer("encoder")(embedded)
    pairs = [(forward_h, backward_h), (forward_c, backward_c)]
    for index, (state, pair) in enumerate(zip(states, pairs, strict=True)):
        kernel, bias = model.get_layer(f"bridge_{index}").get_weights()
        expected = np.tanh(np.concatenate(pair, axis=-1) @ kernel + bias)
        np.testing.assert_allclose(state, expected, atol=1e-5)


def test_mixed_precision_keeps_logits_and_variables_in_float32():
    keras.config.set_dtype_policy("mixed_float16")
    try:
        for tied in (False, True):
            model = build_attention_seq2seq(11, 13, **SIZES, tie_embeddings=tied)
            assert model(INPUTS).dtype.name == "float32"
            assert {weight.dtype for weight in model.weights if weight.trainable} == {"float32"}
            assert kerasseq.attention_view(model)(INPUTS).dtype.name == "float16"
    finally:
        keras.config.set_dtype_policy("float32")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"cell": "gru"}, r"`cell` must be one of .* Received: cell='gru'"),
        ({"encoder": "both"}, r"`encoder` must be one of .* Received: encoder='both'"),
        ({"units": 7}, r"`units` must be even .*Received: units=7"),
        ({"tie_embeddings": True, "readout_dim": 4}, r"Received: readout_dim=4, embedding_dim=5"),
    ],
)
def test_wrong_options_are_refused(options, text):
    with pytest.raises(ValueError, match=text):
        build_attention_seq2seq(11, 13, **{**SIZES, **options})


def test_loaded_model_predicts_the_same_and_has_its_views(tmp_path, attention_model):
    attention_model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(loaded(INPUTS), attention_model(INPUTS))
    np.testing.assert_array_equal(
        kerasseq.attention_view(loaded)(INPUTS), kerasseq.attention_view(attention_model)(INPUTS)
    )
