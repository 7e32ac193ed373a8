import numpy as np

from kerasseq import RNN, RNNCell


def sum_of_inputs(**options):
    """Return an RNN whose output at each step is its input after dropout."""
    layer = RNN(
        RNNCell(
            8,
            activation="linear",
            use_bias=False,
            kernel_initializer="identity",
            recurrent_initializer="zeros",
            **options,
        ),
        return_sequences=True,
    )
    return layer


def test_one_dropout_mask_a_call_and_sequence():
    layer, ones = sum_of_inputs(dropout=0.5, seed=1), np.ones((4, 6, 8), "float32")
    calls = [np.asarray(layer(ones, training=True)) for _ in range(5)]
    for outputs in calls:
        assert set(np.unique(outputs)) == {0.0, 2.0}
        assert np.all(outputs == outputs[:, :1])  # the same at each of the 6 steps
        assert np.any(outputs[0] != outputs[1])  # another for each sequence
    assert all(np.any(outputs != calls[0]) for outputs in calls[1:])
    np.testing.assert_array_equal(layer(ones, training=False), ones)
    np.testing.assert_array_equal(layer(ones), ones)


def test_recurrent_dropout_keeps_one_mask_a_sequence():
    # h counts the steps, but where h_prev is dropped it is the input alone.
    cell = RNNCell(
        8,
        activation="linear",
        use_bias=False,
        kernel_initializer="identity",
        recurrent_initializer="identity",
        recurrent_dropout=0.5,
        seed=2,
    )
    layer, ones = RNN(cell, return_sequences=True), np.ones((4, 3, 8), "float32")
    calls = [np.asarray(layer(ones, training=True)) for _ in range(2)]
    for outputs in calls:
        dropped, kept = np.array([1, 1, 1]), np.array([1, 3, 7])  # 1, 1 + 2 · 1, 1 + 2 · 3
        matches = [np.all(outputs == row[:, None], axis=1) for row in (dropped, kept)]
        assert np.all(matches[0] ^ matches[1]) and matches[0].any() and matches[1].any()
    assert np.any(calls[0] != calls[1])
    np.testing.assert_array_equal(layer(ones)[0, :, 0], [1, 2, 3])
