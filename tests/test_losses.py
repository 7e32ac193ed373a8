import keras
import numpy as np
import pytest
import tensorflow as tf
from support.reference import assert_close, mean_over_real, randomize, token_losses

import kerasseq
from kerasseq import SmoothedCrossentropy

BATCH, LENGTH, VOCAB_SIZE = 3, 5, 7
IDS = np.array([[2, 1, 6, 0, 0], [3, 3, 1, 5, 4], [4, 0, 0, 0, 0]])
TARGETS = np.where(IDS == 0, 5, IDS)  # all of them real


def normal(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


@pytest.fixture
def logits():
    return 3 * normal(BATCH, LENGTH, VOCAB_SIZE)


# The formula


@pytest.mark.parametrize("label_smoothing", [0.0, 0.1, 0.9])
def test_it_is_the_crossentropy_with_the_smoothed_target(logits, label_smoothing):
    loss = SmoothedCrossentropy(label_smoothing, reduction=None)
    assert_close(loss(TARGETS, logits), token_losses(TARGETS, logits, label_smoothing))


@pytest.mark.parametrize("label_smoothing", [0.0, 0.1])
def test_it_is_the_dense_loss_of_keras(logits, label_smoothing):
    peer = keras.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=label_smoothing)
    dense = peer(np.eye(VOCAB_SIZE, dtype="float32")[TARGETS], logits)
    assert_close(SmoothedCrossentropy(label_smoothing)(TARGETS, logits), dense)


def test_without_smoothing_it_is_the_sparse_loss_of_keras(logits):
    peer = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    assert_close(SmoothedCrossentropy()(TARGETS, logits), peer(TARGETS, logits))


@pytest.mark.parametrize("label_smoothing", [0.0, 0.1])
def test_equal_logits_cost_the_logarithm_of_the_vocabulary(label_smoothing):
    loss = SmoothedCrossentropy(label_smoothing)([[1]], np.full((1, 1, 4), 2.5))
    assert float(loss) == pytest.approx(np.log(4), rel=1e-6)


@pytest.mark.parametrize("dtype", ["int64", "uint8", "float32"])
def test_ids_of_any_dtype(logits, dtype):
    loss = SmoothedCrossentropy(0.1)
    assert float(loss(TARGETS.astype(dtype), logits)) == float(loss(TARGETS, logits))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_logits_are_summed_in_float32(logits, dtype):
    half = keras.ops.cast(logits, dtype)
    loss = SmoothedCrossentropy(0.1)(TARGETS, half)
    assert keras.backend.standardize_dtype(loss.dtype) == "float32"
    rounded = np.asarray(keras.ops.cast(half, "float64"))
    assert float(loss) == pytest.approx(np.mean(token_losses(TARGETS, rounded, 0.1)), rel=1e-5)


def test_large_logits_stay_finite():
    logits = np.array([[[3e4, -3e4, 0.0]]], "float16")
    loss = SmoothedCrossentropy(0.5, reduction=None)(np.array([[1]]), logits)
    assert_close(loss, [[0.5 * 6e4 + 0.5 * 3e4]], tolerance=1e-3)


@pytest.mark.parametrize("label_smoothing", [0.0, 0.1])
def test_its_gradient_is_the_automatic_one(logits, label_smoothing):
    weights = tf.constant(normal(BATCH, LENGTH, seed=1))
    logits = tf.constant(logits)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(logits)
        ours = SmoothedCrossentropy(label_smoothing, reduction=None)(TARGETS, logits)
        target = (
            tf.one_hot(TARGETS, VOCAB_SIZE) * (1 - label_smoothing) + label_smoothing / VOCAB_SIZE
        )
        automatic = -tf.reduce_sum(target * tf.nn.log_softmax(logits), axis=-1)
        ours, automatic = (tf.reduce_sum(weights * loss) for loss in (ours, automatic))
        slope, expected_slope = (
            tf.reduce_sum(tape.gradient(loss, logits) ** 2) for loss in (ours, automatic)
        )
    assert_close(tape.gradient(ours, logits), tape.gradient(automatic, logits))
    assert_close(tape.gradient(slope, logits), tape.gradient(expected_slope, logits))


def test_the_gradient_of_large_logits_is_finite():
    logits = tf.constant([[[3e38, -3e38, 0.0]]])
    with tf.GradientTape() as tape:
        tape.watch(logits)
        loss = SmoothedCrossentropy(0.5, ignore_class=None)(np.array([[0]]), logits)
    third = 0.5 / 3
    assert_close(tape.gradient(loss, logits), [[[0.5 - third, -third, -third]]])


# The mean


def masked(logits, mask):
    """Let logits carry a mask as a layer would."""
    return keras.layers.Masking()(logits * mask[..., None])


def test_one_batch_is_the_mean_over_real_tokens():
    # Two real tokens that cost 1 and 0, and padding that would cost 1.
    one, nothing = [0.0, np.log(np.e - 1)], [60.0, 0.0]
    logits = np.array([[one, nothing, one]], "float32")
    logits = keras.ops.convert_to_tensor(logits)
    logits._keras_mask = keras.ops.convert_to_tensor(np.array([[True, True, False]]))
    loss = SmoothedCrossentropy(ignore_class=None)
    assert float(loss(np.zeros((1, 3)), logits)) == pytest.approx(0.5)


def test_a_batch_of_padding_costs_nothing(logits):
    logits = masked(logits, np.zeros((BATCH, LENGTH)))
    assert float(SmoothedCrossentropy(0.1)(IDS, logits)) == 0


def make_tagger():
    """Return ids -> logits with a recurrent layer between."""
    ids = keras.Input((None,), dtype="int32")
    embedded = keras.layers.Embedding(VOCAB_SIZE, 4, mask_zero=True)(ids)
    states = kerasseq.RNN(kerasseq.LSTMCell(6), return_sequences=True)(embedded)
    return keras.Model(ids, keras.layers.Dense(VOCAB_SIZE)(states))


def make_copier():
    """Return ids -> logits whose readout sees both the decoder's state and its context."""
    ids = keras.Input((None,), dtype="int32")
    embedded = keras.layers.Embedding(VOCAB_SIZE, 4, mask_zero=True)(ids)
    attention = kerasseq.BahdanauAttention(5)
    outputs, contexts, *_ = kerasseq.AttentionRNN(kerasseq.RNNCell(6), attention)(
        embedded, embedded
    )
    both = keras.layers.Concatenate()([outputs, contexts])
    return keras.Model(ids, keras.layers.Dense(VOCAB_SIZE)(both))


@pytest.mark.parametrize("make_model", [make_tagger, make_copier])
def test_the_loss_of_fit_is_the_mean_over_real_tokens(make_model):
    model = randomize(make_model())
    model.compile(keras.optimizers.SGD(0.0), SmoothedCrossentropy(0.1), run_eagerly=True)
    targets = np.random.default_rng(2).integers(1, VOCAB_SIZE, IDS.shape)
    [fitted] = model.fit(IDS, targets, batch_size=BATCH, verbose=0).history["loss"]
    by_token = token_losses(targets, model.predict_on_batch(IDS), 0.1)
    assert fitted == pytest.approx(mean_over_real(by_token, IDS != 0), rel=1e-5)
    assert abs(fitted - np.mean(by_token)) > 1e-3


# Padding ids, and ids of no word


def test_padding_ids_cost_nothing_without_any_mask(logits):
    by_token = token_losses(IDS, logits, 0.1)
    loss = SmoothedCrossentropy(0.1)(IDS, logits)
    assert float(loss) == pytest.approx(mean_over_real(by_token, IDS != 0), rel=1e-5)


@pytest.mark.parametrize("ignore_class", [4, -1])
def test_another_class_may_be_ignored(ignore_class, logits):
    ids = np.where(IDS == 0, ignore_class, IDS)
    loss = SmoothedCrossentropy(ignore_class=ignore_class)(ids, logits)
    by_token = token_losses(IDS, logits)
    assert float(loss) == pytest.approx(mean_over_real(by_token, ids != ignore_class), rel=1e-5)


def test_none_counts_all_classes(logits):
    loss = SmoothedCrossentropy(ignore_class=None)(IDS, logits)
    assert float(loss) == pytest.approx(np.mean(token_losses(IDS, logits)), rel=1e-5)


def test_padding_is_what_the_mask_or_the_id_says(logits):
    mask = np.array([[0, 1, 1, 1, 1], [1, 1, 1, 1, 0], [1, 1, 1, 1, 1]]) == 1
    by_token = token_losses(IDS, logits)
    carrying = keras.ops.convert_to_tensor(logits)
    carrying._keras_mask = keras.ops.convert_to_tensor(mask)
    loss = SmoothedCrossentropy()(IDS, carrying)
    assert float(loss) == pytest.approx(mean_over_real(by_token, mask & (IDS != 0)), rel=1e-5)


@pytest.mark.parametrize("reduction", ["sum_over_batch_size", "sum"])
@pytest.mark.parametrize("by", ["id", "mask"])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_the_logits_of_padding_are_not_read(by, reduction, dtype, logits):
    ids, padding = (IDS, IDS == 0) if by == "id" else (TARGETS, IDS == 0)
    spoiled = np.where(padding[..., None], [np.nan, np.inf, -np.inf, 0, 1, 2, 3], logits)
    results = []
    for numbers in (logits, spoiled):
        numbers = tf.constant(numbers, dtype)
        with tf.GradientTape() as tape:
            tape.watch(numbers)
            carrying = tf.identity(numbers)
            if by == "mask":
                carrying._keras_mask = tf.constant(~padding)
            loss = SmoothedCrossentropy(0.1, reduction=reduction)(ids, carrying)
        results.append((loss, tape.gradient(loss, numbers)))
    assert_close(results[1][0], results[0][0])
    assert_close(results[1][1], results[0][1])
    assert not np.any(results[1][1][padding])


def test_nothing_but_padding_costs_nothing():
    logits = tf.constant([[[np.nan, 1.0], [np.inf, 1.0]]])
    with tf.GradientTape() as tape:
        tape.watch(logits)
        loss = SmoothedCrossentropy(0.1)(np.zeros((1, 2)), logits)
    assert float(loss) == 0
    assert not np.any(tape.gradient(loss, logits))


WRONG_IDS = pytest.mark.parametrize("wrong", [-1, -VOCAB_SIZE, VOCAB_SIZE, 1000])
TEXT = r"`y_true` must hold ids of the vocabulary"


@WRONG_IDS
def test_an_id_of_no_word_is_refused(wrong, logits):
    ids = np.where(IDS == 6, wrong, IDS)
    with pytest.raises(ValueError, match=rf"{TEXT}.*0 to 6\. Received: y_true with \[{wrong}\]"):
        SmoothedCrossentropy()(ids, logits)
    loss = tf.function(SmoothedCrossentropy())
    with pytest.raises(tf.errors.InvalidArgumentError, match=TEXT):
        loss(tf.constant(ids), tf.constant(logits))


@WRONG_IDS
def test_where_nothing_can_be_raised_an_id_of_no_word_costs_nan(wrong, logits):
    ids = tf.constant(np.where(IDS == 6, wrong, IDS))

    @tf.function(jit_compile=True)
    def run(ids, logits):
        with tf.GradientTape() as tape:
            tape.watch(logits)
            loss = SmoothedCrossentropy(0.1)(ids, logits)
        return loss, tape.gradient(loss, logits)

    loss, gradient = run(ids, tf.constant(logits))
    assert np.isnan(loss)
    np.testing.assert_array_equal(np.isnan(gradient).all(axis=-1), IDS == 6)


def test_an_id_of_no_word_at_padding_is_not_read(logits):
    carrying = keras.ops.convert_to_tensor(logits)
    carrying._keras_mask = keras.ops.convert_to_tensor(IDS != 0)
    ids = np.where(IDS == 0, 99, IDS)
    by_token = token_losses(IDS, logits)
    loss = SmoothedCrossentropy(ignore_class=None)(ids, carrying)
    assert float(loss) == pytest.approx(mean_over_real(by_token, IDS != 0), rel=1e-5)


# Arguments


@pytest.mark.parametrize("ignore_class", [0.5, "0", True])
def test_ignore_class_must_be_an_integer_or_none(ignore_class):
    with pytest.raises(ValueError, match=r"`ignore_class` must be an integer or None\. Received: "):
        SmoothedCrossentropy(ignore_class=ignore_class)


@pytest.mark.parametrize("label_smoothing", [-0.1, 1.0, 2])
def test_label_smoothing_must_be_in_range(label_smoothing):
    expected = rf"must be a rate in \[0, 1\)\. Received: label_smoothing={label_smoothing!r}$"
    with pytest.raises(ValueError, match=expected):
        SmoothedCrossentropy(label_smoothing)


def test_from_config_keeps_the_arguments(logits):
    loss = SmoothedCrossentropy(0.1, reduction="sum", name="own", ignore_class=3)
    config = keras.losses.serialize(loss)
    again = keras.losses.deserialize(config)
    assert isinstance(again, SmoothedCrossentropy)
    assert again.get_config() == loss.get_config()
    assert (again.label_smoothing, again.reduction, again.name) == (0.1, "sum", "own")
    assert again.ignore_class == 3
    assert float(again(TARGETS, logits)) == float(loss(TARGETS, logits))
