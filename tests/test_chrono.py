import keras
import numpy as np
import pytest

from kerasseq import ChronoBias, LSTMCell


def test_forget_gates_begin_with_time_scales_up_to_the_length():
    bias = np.asarray(ChronoBias(200, seed=0)((4 * 1000,), "float32"))
    input_gate, forget_gate, candidate, output_gate = np.split(bias, 4)
    np.testing.assert_array_equal(input_gate, -forget_gate)
    assert not candidate.any() and not output_gate.any()
    steps = 1 / (1 - 1 / (1 + np.exp(-forget_gate.astype("float64"))))  # 1 / (1 − σ(b_f))
    assert 2 <= steps.min() < 3 and 198 < steps.max() <= 200
    assert abs(steps.mean() - 101) < 5  # uniform between 2 and 200


@pytest.mark.parametrize("layer", [LSTMCell, keras.layers.LSTM])
def test_it_is_the_bias_of_a_cell_and_comes_back_from_its_config(layer):
    made = layer(3, bias_initializer=ChronoBias(50, seed=1), unit_forget_bias=False)
    made = layer.from_config(made.get_config())
    made.build((None, 2) if layer is LSTMCell else (None, None, 2))
    bias = getattr(made, "cell", made).bias.numpy()
    np.testing.assert_array_equal(bias, np.asarray(ChronoBias(50, seed=1)((12,), "float32")))


@pytest.mark.parametrize("seed", [None, 1])
def test_each_call_of_one_object_returns_the_same(seed):
    made = ChronoBias(50, seed)
    np.testing.assert_array_equal(made((8,)), made((8,)))
    assert not np.array_equal(made((8,)), ChronoBias(50, seed=2)((8,)))


def test_without_a_seed_each_object_draws_its_own():
    keras.utils.set_random_seed(0)
    first, second = ChronoBias(50)((8,)), ChronoBias(50)((8,))
    keras.utils.set_random_seed(0)
    assert not np.array_equal(first, second)
    np.testing.assert_array_equal(first, ChronoBias(50)((8,)))


@pytest.mark.parametrize("length", [2, 2.5, None])
def test_length_must_be_a_number_of_steps(length):
    with pytest.raises(ValueError, match=r"`length` must be a whole number of at least 3"):
        ChronoBias(length)


def test_it_is_no_kernel():
    with pytest.raises(ValueError, match=r"\(4 \* units,\).*Received: shape=\(3, 8\)"):
        ChronoBias(9)((3, 8))
