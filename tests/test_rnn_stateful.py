import keras
import numpy as np
import pytest
import tensorflow as tf
from support.reference import assert_all_close, assert_close, flat, normal, randomize
from support.small_layers import (
    BATCH,
    FEATURES,
    LENGTH,
    MASK,
    UNITS,
)

from kerasseq import RNN, LSTMCell, RNNCell

CARRIED = pytest.mark.parametrize(
    "make_cell",
    [
        lambda: LSTMCell(UNITS),
        lambda: [LSTMCell(UNITS), RNNCell(4)],
        lambda: LSTMCell(UNITS, dtype="mixed_float16"),
    ],
    ids=["cell", "stack", "mixed_float16"],
)


@pytest.mark.parametrize("masked", [False, True])
@CARRIED
def test_a_stateful_layer_carries_and_resets_its_states(make_cell, masked, sequences):
    layer = RNN(make_cell(), stateful=True, return_state=True)
    layer.build(sequences.shape)
    randomize(layer.cell)
    mask = MASK if masked else np.ones_like(MASK)
    plain = RNN(layer.cell, return_state=True)
    for _ in range(2):
        layer(sequences[:, :2], mask=mask[:, :2])
        halves = layer(sequences[:, 2:], mask=mask[:, 2:])
        assert_all_close(halves, plain(sequences, mask=mask))
        layer.reset_state()
        for state in flat(layer.states):
            np.testing.assert_array_equal(state, np.zeros_like(state))


class Begun(keras.layers.Layer):
    """Counts from 5."""

    state_size = 1

    def call(self, inputs, states):
        return states[0] + 1, [states[0] + 1]

    def get_initial_state(self, batch_size=None):
        return [keras.ops.full((batch_size, 1), 5.0)]


def test_a_reset_goes_back_to_the_cell_s_own_initial_state(sequences):
    layer = RNN(Begun(), stateful=True)
    first, second = layer(sequences), layer(sequences)
    layer.reset_state()
    found = [float(x[0, 0]) for x in (first, second, layer(sequences))]
    assert found == [10, 15, 10]


def test_a_stateful_model_carries_its_states_from_fit_to_predict(sequences):
    inputs = keras.Input(batch_shape=sequences.shape)
    layer = RNN([LSTMCell(UNITS), RNNCell(4)], stateful=True)
    model = keras.Model(inputs, layer(inputs))
    model.compile(keras.optimizers.SGD(0.0), "mse", jit_compile=False)
    model.fit(sequences, np.ones((BATCH, 4)), batch_size=BATCH, shuffle=False, verbose=0)
    second = model.predict(sequences, batch_size=BATCH, verbose=0)
    both = np.concatenate([sequences, sequences], axis=1)
    assert_close(second, RNN(layer.cell)(both))
    layer.reset_state()
    assert_close(model.predict(sequences, batch_size=BATCH, verbose=0), RNN(layer.cell)(sequences))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"last batch, which had 3 sequences"):
        model.predict(normal(5, LENGTH, FEATURES), batch_size=BATCH, verbose=0)


@pytest.mark.parametrize("symbolic", [False, True], ids=["eager", "symbolic"])
def test_another_batch_size_than_that_of_the_states(symbolic, sequences):
    layer = RNN(LSTMCell(UNITS), stateful=True)
    layer.build(sequences.shape)
    other = keras.Input(batch_shape=(2, LENGTH, FEATURES)) if symbolic else sequences[:2]
    expected = r"last batch, which had 3 sequences\. Received: sequences\.shape=\(2, 5, 2\)"
    with pytest.raises(ValueError, match=expected):
        layer(other)


def test_in_a_graph_nothing_reads_the_sequences_before_their_number_is_checked(sequences):
    """Or a step may fail first, now and then, with a message about shapes."""
    layer = RNN(LSTMCell(UNITS), stateful=True)
    layer.build(sequences.shape)
    signature = [tf.TensorSpec((None, LENGTH, FEATURES))]
    graph = tf.function(layer, input_signature=signature).get_concrete_function().graph
    readers = [op for op in graph.inputs[0].consumers() if op.type != "Shape"]
    assert readers
    assert all("Assert" in [before.type for before in op.control_inputs] for op in readers)
