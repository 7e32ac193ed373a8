import keras
import numpy as np
import pytest
import tensorflow as tf
from support.reference import assert_close, randomize

from kerasseq import RNN, AttentionRNN, BahdanauAttention, LSTMCell, RNNCell
from kerasseq.masks import attach_mask, read_mask

UNITS, DIM, VOCAB_SIZE = 7, 5, 11
ALL = {"return_sequences": True, "return_state": True}
SOURCE = np.array([[4, 2, 0, 0], [3, 1, 5, 2]])
TARGET = np.array([[3, 5, 0], [2, 0, 0]])


def normal(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def embed(**options):
    layer = keras.layers.Embedding(VOCAB_SIZE, DIM, mask_zero=True, **options)
    layer.build()
    return randomize(layer)


def mask_of(tensor):
    return getattr(tensor, "_keras_mask", None)


# Reading a mask


@pytest.mark.parametrize("dtype", ["bool", "int32", "uint8", "float32"])
def test_a_mask_of_any_dtype_becomes_boolean(dtype):
    mask = read_mask(np.array([[1, 0, 1]], dtype), normal(1, 3, 2), "mask")
    assert mask.dtype == "bool"
    np.testing.assert_array_equal(mask, [[True, False, True]])


def test_no_mask_stays_none():
    assert read_mask(None, normal(1, 3, 2), "mask") is None


@pytest.mark.parametrize("shape", [(2, 4), (1, 3), (2,), (2, 3, 1)])
def test_a_wrong_shape_names_both(shape):
    expected = (
        "`own_mask` must have the shape (batch, length) of its sequence, (2, 3). "
        f"Received: own_mask.shape={shape}"
    )
    with pytest.raises(ValueError) as error:
        read_mask(np.ones(shape), normal(2, 3, 2), "own_mask")
    assert str(error.value) == expected


def test_a_graph_that_knows_the_shapes_finds_the_error_when_traced():
    graph = tf.function(lambda mask: read_mask(mask, tf.ones((2, 3, 2)), "mask"))
    with pytest.raises(ValueError, match=r", \(2, 3\)\. Received: mask\.shape=\(2, 4\)"):
        graph(tf.ones((2, 4)))


@pytest.mark.parametrize("shape", [(2, 4), (1, 3)])
def test_a_graph_that_knows_no_shapes_asserts_with_the_same_text(shape):
    unknown = [tf.TensorSpec((None, None), tf.bool), tf.TensorSpec((None, None, 2))]
    graph = tf.function(lambda mask, x: read_mask(mask, x, "mask"), input_signature=unknown)
    assert graph(np.ones((2, 3), bool), normal(2, 3, 2)).shape == (2, 3)
    text = r"`mask` must have the shape \(batch, length\) of its sequence"
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        graph(np.ones(shape, bool), normal(2, 3, 2))


def layer_calls():
    """Yield a layer's name, its mask's name, and the call, for every mask argument."""
    rnn, attention = RNN(RNNCell(UNITS)), BahdanauAttention(UNITS)
    decoder = AttentionRNN(RNNCell(UNITS), BahdanauAttention(UNITS))
    yield "mask", lambda x, values, mask: rnn(x, mask=mask)
    yield "mask", lambda x, values, mask: rnn(x, sequences_mask=mask)
    yield "values_mask", lambda x, values, mask: attention(values, x, values_mask=mask)
    yield "inputs_mask", lambda x, values, mask: decoder(x, values, inputs_mask=mask)
    yield "values_mask", lambda x, values, mask: decoder(values, x, values_mask=mask)


@pytest.mark.parametrize(("name", "call"), list(layer_calls()))
def test_every_layer_refuses_a_wrong_mask(name, call):
    text = rf"`{name}` must have the shape \(batch, length\) of its sequence"
    arrays = normal(2, 3, DIM), normal(2, 6, DIM)
    with pytest.raises(ValueError, match=rf"{text}, \(2, 3\)\. Received: {name}\.shape=\(2, 4\)"):
        call(*arrays, np.ones((2, 4)))
    symbols = [keras.Input(shape) for shape in ((3, DIM), (6, DIM), (4,))]
    expected = rf"{text}, \(None, 3\)\. Received: {name}\.shape=\(None, 4\)"
    with pytest.raises(ValueError, match=expected):
        call(*symbols)
    unknown = [tf.TensorSpec((None, None, DIM))] * 2 + [tf.TensorSpec((None, None), tf.bool)]
    graph = tf.function(call, input_signature=unknown)
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        graph(*arrays, np.ones((2, 4), bool))


# Handing it on


def test_attach_mask():
    tensor, mask = tf.ones((1, 2, 3)), tf.constant([[True, False]])
    assert attach_mask(tensor, mask) is tensor
    assert mask_of(tensor) is mask
    assert mask_of(attach_mask(tf.ones((1,)), None)) is None


@pytest.mark.parametrize("argument", ["mask", "sequences_mask"])
def test_a_mask_given_to_rnn_by_hand_is_handed_on(argument):
    layer, mask = RNN(LSTMCell(UNITS), **ALL), SOURCE != 0
    outputs, h, c = layer(normal(2, 4, DIM), **{argument: mask})
    np.testing.assert_array_equal(mask_of(outputs), mask)
    assert mask_of(h) is None and mask_of(c) is None
    states = [np.ones((2, UNITS), "float32")] * 2
    outputs, *_ = layer(normal(2, 4, DIM), initial_state=states, **{argument: mask})
    np.testing.assert_array_equal(mask_of(outputs), mask)


def test_a_mask_given_by_hand_goes_before_the_one_of_the_tensor():
    layer, embedded = RNN(LSTMCell(UNITS)), embed()(SOURCE)
    by_hand = np.array([[1, 0, 0, 0], [1, 1, 1, 0]])
    expected = layer(tf.identity(embedded), mask=by_hand)
    assert_close(layer(embedded, mask=by_hand), expected)
    assert np.max(np.abs(layer(embedded) - expected)) > 1e-3


def test_masks_given_to_attention_rnn_by_hand_are_handed_on():
    layer = AttentionRNN(LSTMCell(UNITS), BahdanauAttention(4))
    masks = {"inputs_mask": TARGET != 0, "values_mask": SOURCE != 0}
    outputs, contexts, weights, h, c = layer(normal(2, 3, DIM), normal(2, 4, DIM), **masks)
    np.testing.assert_array_equal(mask_of(outputs), TARGET != 0)
    np.testing.assert_array_equal(mask_of(contexts), TARGET != 0)
    assert mask_of(weights) is None and mask_of(h) is None and mask_of(c) is None


def test_a_mask_given_by_hand_reaches_the_next_layer_of_a_model():
    ids, x = keras.Input((None,), dtype="int32"), keras.Input((None, DIM))
    first = RNN(LSTMCell(UNITS), return_sequences=True)
    second = RNN(LSTMCell(UNITS))
    model = keras.Model([ids, x], second(first(x, mask=keras.ops.not_equal(ids, 0))))
    inputs = normal(2, 4, DIM)
    short = second(first(inputs[:1, :2]))
    assert_close(model([SOURCE, inputs])[:1], short)


# Filled in by Keras


def translate(embedding, encoder, attention, source, target):
    """Encode, then let each embedded target word look at the source."""
    return attention(embedding(target), encoder(embedding(source)))


class Looker(keras.Model):
    def __init__(self, *layers):
        super().__init__()
        self.embedding, self.encoder, self.attention = layers

    def call(self, inputs):
        source, target = inputs
        return translate(self.embedding, self.encoder, self.attention, source, target)


def make_looker(kind):
    layers = embed(), RNN(LSTMCell(UNITS), return_sequences=True), BahdanauAttention(UNITS)
    if kind == "subclassed":
        return Looker(*layers)
    inputs = [keras.Input((None,), dtype="int32") for _ in range(2)]
    return keras.Model(inputs, translate(*layers, *inputs))


@pytest.mark.parametrize("kind", ["functional", "subclassed"])
def test_the_mask_of_the_source_reaches_the_attention(kind):
    model = make_looker(kind)
    context, weights = model([SOURCE, TARGET])
    np.testing.assert_array_equal(weights[0, :, 2:], np.zeros((3, 2)))
    # What is fed at padded positions does not matter.
    embedding = next(layer for layer in model.layers if "embedding" in layer.name)
    table = embedding.get_weights()[0]
    table[0] = 100 * normal(DIM)
    embedding.set_weights([table])
    changed_context, changed_weights = model([SOURCE, TARGET])
    real = TARGET != 0
    np.testing.assert_array_equal(context[real], changed_context[real])
    np.testing.assert_array_equal(weights[real], changed_weights[real])


@pytest.mark.parametrize("kind", ["functional", "subclassed"])
def test_padding_does_not_change_a_step_of_fit(kind):
    def fitted(source):
        model = make_looker(kind)
        model([SOURCE, TARGET])
        randomize(model)
        model.compile("sgd", ["mse", None], run_eagerly=True)
        targets = [np.ones((2, 3, UNITS)), np.ones((2, 3, 1))]
        return model.fit([source, TARGET], targets, verbose=0).history["loss"][0]

    assert fitted(SOURCE) == pytest.approx(fitted(np.pad(SOURCE, [(0, 0), (0, 3)])), rel=1e-6)


def test_a_residual_loses_the_mask_and_by_hand_it_is_mended():
    embedding, attention = embed(), BahdanauAttention(UNITS)
    encoder = RNN(LSTMCell(DIM), return_sequences=True)
    embedded = embedding(SOURCE)
    values, query = encoder(embedded) + embedded, normal(2, DIM)
    _, lost = attention(query, values)
    _, mended = attention(query, values, values_mask=embedding.compute_mask(SOURCE))
    assert np.all(np.asarray(lost)[0, 2:] > 0)
    np.testing.assert_array_equal(mended[0, 2:], [0, 0])


@pytest.mark.parametrize("cell", [RNNCell, LSTMCell])
@pytest.mark.parametrize("masked_encoder", [False, True])
def test_a_masked_decoder_with_initial_state(cell, masked_encoder):
    embedding = embed()
    encoder, decoder = RNN(cell(UNITS), return_state=True), RNN(cell(UNITS), **ALL)
    source = embedding(SOURCE) if masked_encoder else normal(2, 4, DIM)
    states = encoder(source)[1:]
    outputs, *final = decoder(embedding(np.array([[3, 5, 0]] * 2)), initial_state=states)
    _, *short = decoder(embedding(np.array([[3, 5]] * 2)), initial_state=states)
    for state, expected in zip(final, short, strict=True):
        assert_close(state, expected)
    np.testing.assert_array_equal(mask_of(outputs), [[True, True, False]] * 2)


def test_a_masked_decoder_with_initial_state_in_a_functional_model():
    ids, x = keras.Input((None,), dtype="int32"), keras.Input((None, DIM))
    embedding = embed()
    states = RNN(LSTMCell(UNITS), return_state=True)(x)[1:]
    outputs, h, _ = RNN(LSTMCell(UNITS), **ALL)(embedding(ids), initial_state=states)
    assert mask_of(outputs) is not None
    model = keras.Model([ids, x], h)
    inputs = normal(1, 4, DIM)
    expected = model.predict_on_batch([np.array([[3, 5]]), inputs])
    assert_close(model.predict_on_batch([np.array([[3, 5, 0, 0]]), inputs]), expected)


@pytest.mark.parametrize("by_hand", [False, True], ids=["filled in", "by hand"])
@pytest.mark.parametrize("with_states", [False, True], ids=["", "states"])
def test_the_mask_reaches_both_directions(with_states, by_hand):
    embedding = embed()
    layer = keras.layers.Bidirectional(RNN(LSTMCell(UNITS), **ALL))
    states = [normal(1, UNITS, seed=i) for i in range(4)] if with_states else None

    def run(ids):
        embedded = embedding(ids)
        options = {"mask": ids != 0} if by_hand else {}
        embedded = tf.identity(embedded) if by_hand else embedded
        return layer(embedded, initial_state=states, **options)

    outputs, *final = run(np.array([[4, 2, 0, 0]]))
    short, *short_final = run(np.array([[4, 2]]))
    assert_close(outputs[:, :2], short)
    for state, expected in zip(final, short_final, strict=True):
        assert_close(state, expected)
    np.testing.assert_array_equal(mask_of(outputs), [[True, True, False, False]])


class Decoder(keras.Model):
    def __init__(self):
        super().__init__()
        self.embedding = embed()
        self.encoder = keras.layers.Bidirectional(RNN(LSTMCell(UNITS), return_sequences=True))
        self.decoder = AttentionRNN(RNNCell(UNITS), BahdanauAttention(4))
        self.readout = keras.layers.Dense(3)

    def call(self, inputs):
        source, target = inputs
        outputs, contexts, *_ = self.decoder(
            self.embedding(target), self.encoder(self.embedding(source))
        )
        return self.readout(keras.ops.concatenate([outputs, contexts], axis=-1))


def test_both_masks_reach_attention_rnn_in_a_subclassed_model():
    model = Decoder()
    logits = model([SOURCE, TARGET])
    longer = [np.pad(SOURCE, [(0, 0), (0, 2)]), np.pad(TARGET, [(0, 0), (0, 1)])]
    assert_close(model(longer)[:, :3][TARGET != 0], logits[TARGET != 0])


def test_a_subclassed_model_may_be_built_in_a_graph_that_knows_no_length():
    model, ids = Decoder(), tf.TensorSpec((None, None), tf.int32)
    graph = tf.function(model, input_signature=[[ids, ids]])
    assert_close(graph([SOURCE, TARGET]), model([SOURCE, TARGET]))
