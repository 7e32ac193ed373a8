"""The checks of numbers, options, cells and tensors: what they return and what they refuse."""

import keras
import numpy as np
import pytest

from kerasseq import checks


def refusal(check, *values, **options):
    """Return what a check says of values that it refuses."""
    with pytest.raises(ValueError) as caught:
        check(*values, **options)
    return str(caught.value)


@pytest.mark.parametrize(
    ("check", "value", "expected"),
    [
        (checks.check_positive_integer, np.int64(3), 3),
        (checks.check_positive_integer, 1, 1),
        (checks.check_rate, np.float32(0.5), 0.5),
        (checks.check_rate, 0, 0.0),
        (checks.check_not_negative, np.float32(2), 2.0),
        (checks.check_vocabulary_size, np.int32(5), 5),
        (checks.check_boolean, np.True_, True),
        (checks.check_boolean, 0, False),
    ],
)
def test_numbers_come_back_as_python_s(check, value, expected):
    result = check("x", value)
    assert result == expected and type(result) is type(expected)


@pytest.mark.parametrize(
    ("check", "values", "expected"),
    [
        (checks.check_positive_integer, (0, -1, True, 1.0, "1", None), "a positive integer"),
        (checks.check_rate, (1, -0.1, True, "0.5", None, float("nan")), "a rate in [0, 1)"),
        (
            checks.check_vocabulary_size,
            (4, 7.0, True, None),
            "a whole number above 4",
        ),
        (checks.check_boolean, (2, 0.0, "yes", None), "True or False"),
    ],
)
def test_other_numbers_are_refused(check, values, expected):
    for value in values:
        said = refusal(check, "x", value)
        assert said.startswith(f"`x` must be {expected}")
        assert said.endswith(f" Received: x={value!r}")


@pytest.mark.parametrize("value", [-0.1, True, "1", None, float("nan"), float("inf")])
def test_not_negative_is_a_finite_number(value):
    said = refusal(checks.check_not_negative, "x", value)
    assert said.startswith("`x` must ") and said.endswith(f"Received: x={value!r}")


def test_a_whole_number_has_a_least():
    assert checks.check_whole_number("x", np.int8(2), least=2) == 2
    said = refusal(checks.check_whole_number, "x", 1, least=2)
    assert "at least 2" in said and said.endswith("Received: x=1")
    assert refusal(checks.check_whole_number, "x", True, least=0).endswith("Received: x=True")


def test_one_of_some_words():
    assert checks.check_one_of("level", "char", ("word", "char")) == "char"
    said = refusal(checks.check_one_of, "level", "ward", ("word", "char"))
    assert "['word', 'char']" in said and said.endswith("Received: level='ward'")
    assert refusal(checks.check_one_of, "level", None, ("word",)).endswith("level=None")


def test_an_unknown_option_is_told_its_likely_name():
    checks.check_options({"units": 3}, {"units", "dropout"})
    said = refusal(checks.check_options, {"drop_out": 0.1}, {"units", "dropout"})
    assert "dropout, units" in said and "mean `dropout`" in said
    assert said.endswith("Received: drop_out=0.1")
    assert "mean" not in refusal(checks.check_options, {"zzz": 1}, {"units"})


def test_names_of_keras():
    assert checks.check_keras_object(activation="tanh") is keras.activations.tanh
    assert isinstance(checks.check_keras_object(bias_initializer="ones"), keras.initializers.Ones)
    assert checks.check_keras_object(kernel_constraint=None) is None
    said = refusal(checks.check_keras_object, activation="tanhh")
    assert said.startswith("`activation` must ") and said.endswith("Received: activation='tanhh'")


@pytest.mark.parametrize("cell", [keras.layers.GRUCell, "lstm", None, len, keras.layers.Dense(2)])
def test_what_is_no_cell(cell):
    assert refusal(checks.check_cell, cell).endswith(f"Received: cell={cell!r}")
    checks.check_cell(keras.layers.GRUCell(3))


def test_an_axis_has_one_size_wherever_its_name_stands():
    sizes = {"features": 3}
    checks.check_shape("x", (None, 5, 3), "batch length features", sizes=sizes)
    assert sizes == {"batch": None, "length": 5, "features": 3}
    checks.check_shape("y", (2, 5), "batch", "batch length", sizes=sizes)
    assert sizes["batch"] == 2
    said = refusal(checks.check_shape, "z", (2, 4), "batch length", sizes=sizes)
    assert "length = 5" in said and said.endswith("Received: z.shape=(2, 4)")


def test_a_rank_is_one_of_those_named():
    options = {"sizes": {}}
    said = refusal(checks.check_shape, "x", (2, 3, 4), "batch", "batch length", **options)
    assert "(batch) or (batch, length)" in said and said.endswith("Received: x.shape=(2, 3, 4)")
    said = refusal(checks.check_shape, "x", [(2, 3), (2, 3)], "batch length", **options)
    assert said.endswith("Received: x=[(2, 3), (2, 3)]")


def test_a_tensor_holds_floats_and_ids_hold_numbers():
    form = "batch length"
    floats, ids, texts = np.ones((2, 3), "float16"), np.ones((2, 3), int), np.array([["a"]])
    checks.check_tensor("x", floats, form, sizes={})
    checks.check_tensor("x", keras.KerasTensor((None, 3)), form, sizes={})
    assert "keras.layers.Embedding" in refusal(checks.check_tensor, "x", ids, form, sizes={})
    checks.check_ids("x", ids, form, sizes={})
    checks.check_ids("x", floats, form, sizes={})
    assert "integer ids" in refusal(checks.check_ids, "x", texts, form, sizes={})


def test_states_come_as_a_list():
    h, c = np.ones((2, 3)), np.ones((2, 5))
    assert checks.check_states("states", h, [3])[0] is h
    assert checks.check_states("states", (h, c), [3, 5], batch=2) == [h, c]
    for states in (h, [h], [c, h], [h, h, c], [h[0], c], [h, None]):
        said = refusal(checks.check_states, "states", states, [3, 5])
        assert said.startswith("`states` must ") and "(batch, 3), (batch, 5)" in said
    said = refusal(checks.check_states, "states", [h, c], [3, 5], batch=7)
    assert "batch = 7" in said and "Received: states of shape" in said
