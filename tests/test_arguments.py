"""The checks themselves: what they return, what they refuse, and in which words."""

import keras
import numpy as np
import pytest

from kerasseq import arguments


def refusal(check, *values, **options):
    """Return what a check says of values that it refuses."""
    with pytest.raises(ValueError) as caught:
        check(*values, **options)
    return str(caught.value)


@pytest.mark.parametrize(
    ("check", "value", "expected"),
    [
        (arguments.positive_integer, np.int64(3), 3),
        (arguments.positive_integer, 1, 1),
        (arguments.rate, np.float32(0.5), 0.5),
        (arguments.rate, 0, 0.0),
        (arguments.not_negative, np.float32(2), 2.0),
        (arguments.vocabulary_size, np.int32(5), 5),
        (arguments.boolean, np.True_, True),
        (arguments.boolean, 0, False),
    ],
)
def test_numbers_come_back_as_python_s(check, value, expected):
    result = check("x", value)
    assert result == expected and type(result) is type(expected)


@pytest.mark.parametrize(
    ("check", "values", "expected"),
    [
        (arguments.positive_integer, (0, -1, True, 1.0, "1", None), "a positive integer"),
        (arguments.rate, (1, -0.1, True, "0.5", None, float("nan")), "a rate in [0, 1)"),
        (arguments.vocabulary_size, (4, 7.0, True, None), "a whole number above 4, as it counts"),
        (arguments.boolean, (2, 0.0, "yes", None), "True or False"),
    ],
)
def test_other_numbers_are_refused(check, values, expected):
    for value in values:
        said = refusal(check, "x", value)
        assert said.startswith(f"`x` must be {expected}")
        assert said.endswith(f" Received: x={value!r}")


@pytest.mark.parametrize("value", [-0.1, True, "1", None, float("nan"), float("inf")])
def test_not_negative_is_a_finite_number(value):
    said = refusal(arguments.not_negative, "x", value)
    assert said == f"`x` must not be negative. Received: x={value!r}"


def test_a_whole_number_has_a_least():
    assert arguments.whole_number("x", np.int8(2), least=2) == 2
    expected = "`x` must be a whole number of at least 2. Received: x=1"
    assert refusal(arguments.whole_number, "x", 1, least=2) == expected
    assert refusal(arguments.whole_number, "x", True, least=0).endswith("Received: x=True")


def test_one_of_some_words():
    assert arguments.one_of("level", "char", ("word", "char")) == "char"
    expected = "`level` must be one of ['word', 'char']. Received: level='ward'"
    assert refusal(arguments.one_of, "level", "ward", ("word", "char")) == expected
    assert refusal(arguments.one_of, "level", None, ("word",)).endswith("level=None")


def test_an_unknown_option_is_told_its_likely_name():
    arguments.check_options({"units": 3}, {"units", "dropout"})
    expected = "The options are dropout, units. Did you mean `dropout`? Received: drop_out=0.1"
    assert refusal(arguments.check_options, {"drop_out": 0.1}, {"units", "dropout"}) == expected
    assert "mean" not in refusal(arguments.check_options, {"zzz": 1}, {"units"})


def test_names_of_keras():
    assert arguments.named(activation="tanh") is keras.activations.tanh
    assert isinstance(arguments.named(bias_initializer="ones"), keras.initializers.Ones)
    assert arguments.named(kernel_constraint=None) is None
    expected = "`activation` must be the name of a Keras activation, its config or a callable. "
    assert refusal(arguments.named, activation="tanhh") == expected + "Received: activation='tanhh'"


@pytest.mark.parametrize("cell", [keras.layers.GRUCell, "lstm", None, len, keras.layers.Dense(2)])
def test_what_is_no_cell(cell):
    assert refusal(arguments.check_cell, cell).endswith(f"Received: cell={cell!r}")
    arguments.check_cell(keras.layers.GRUCell(3))


def test_an_axis_has_one_size_wherever_its_name_stands():
    sizes = {"features": 3}
    arguments.check_shape("x", (None, 5, 3), "batch length features", sizes=sizes)
    assert sizes == {"batch": None, "length": 5, "features": 3}
    arguments.check_shape("y", (2, 5), "batch", "batch length", sizes=sizes)
    assert sizes["batch"] == 2
    expected = "`z` must have shape (batch, length) with length = 5. Received: z.shape=(2, 4)"
    assert refusal(arguments.check_shape, "z", (2, 4), "batch length", sizes=sizes) == expected


def test_a_rank_is_one_of_those_named():
    options = {"sizes": {}}
    said = refusal(arguments.check_shape, "x", (2, 3, 4), "batch", "batch length", **options)
    assert said == "`x` must have shape (batch) or (batch, length). Received: x.shape=(2, 3, 4)"
    said = refusal(arguments.check_shape, "x", [(2, 3), (2, 3)], "batch length", **options)
    assert said.endswith("Received: x=[(2, 3), (2, 3)]")


def test_a_tensor_holds_floats_and_ids_hold_numbers():
    form = "batch length"
    floats, ids, texts = np.ones((2, 3), "float16"), np.ones((2, 3), int), np.array([["a"]])
    arguments.check_tensor("x", floats, form, sizes={})
    arguments.check_tensor("x", keras.KerasTensor((None, 3)), form, sizes={})
    assert "keras.layers.Embedding" in refusal(arguments.check_tensor, "x", ids, form, sizes={})
    arguments.check_ids("x", ids, form, sizes={})
    arguments.check_ids("x", floats, form, sizes={})
    assert "integer ids" in refusal(arguments.check_ids, "x", texts, form, sizes={})


def test_states_come_as_a_list():
    h, c = np.ones((2, 3)), np.ones((2, 5))
    assert arguments.read_states("states", h, [3])[0] is h
    assert arguments.read_states("states", (h, c), [3, 5], batch=2) == [h, c]
    expected = "`states` must hold 2 states of shape (batch, 3), (batch, 5)"
    for states in (h, [h], [c, h], [h, h, c], [h[0], c], [h, None]):
        assert refusal(arguments.read_states, "states", states, [3, 5]).startswith(expected)
    said = refusal(arguments.read_states, "states", [h, c], [3, 5], batch=7)
    assert said.startswith(f"{expected} with batch = 7. Received: ")
