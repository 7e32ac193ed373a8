"""Checks of numbers, names and options: each returns the normalized value or raises ValueError."""

import difflib
import numbers

import keras
import numpy as np


def check_positive_integer(name, value):
    """Return `value` as an int, one of NumPy's, too; raise ValueError if it is not positive."""
    if not _is_whole(value, 1):
        raise ValueError(f"`{name}` must be a positive integer. Received: {name}={value!r}")
    return int(value)


def check_rate(name, value):
    """Return `value` as a float; raise ValueError if it is not in [0, 1)."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or not 0 <= value < 1:
        raise ValueError(f"`{name}` must be a rate in [0, 1). Received: {name}={value!r}")
    return float(value)


def check_not_negative(name, value):
    """Return `value` as a float; raise ValueError if it is not a finite number of at least 0."""
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not real or not 0 <= value < float("inf"):
        raise ValueError(f"`{name}` must not be negative. Received: {name}={value!r}")
    return float(value)


def check_positive(name, value):
    """Return `value` as a float; raise ValueError if it is not a finite number above 0."""
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not real or not 0 < value < float("inf"):
        raise ValueError(f"`{name}` must be a number above 0. Received: {name}={value!r}")
    return float(value)


def check_whole_number(name, value, least):
    """Return `value` as an int; raise ValueError if it is not an integer of at least `least`."""
    if not _is_whole(value, least):
        expected = f"`{name}` must be a whole number of at least {least}."
        raise ValueError(f"{expected} Received: {name}={value!r}")
    return int(value)


def check_integer_or_none(name, value):
    """Return `value` as an int, of any sign, or None; raise ValueError if it is neither."""
    if value is not None and not _is_whole(value, -float("inf")):
        expected = f"`{name}` must be an integer or None."
        raise ValueError(f"{expected} Received: {name}={value!r}")
    return None if value is None else int(value)


def check_vocabulary_size(name, value):
    """Return `value` as an int; raise ValueError if it leaves no room for a word."""
    if not _is_whole(value, 5):
        raise ValueError(
            f"`{name}` must be a whole number above 4, as it counts the four control tokens. "
            f"Received: {name}={value!r}"
        )
    return int(value)


def check_boolean(name, value):
    """Return `value` as a bool, also 0 or 1; raise ValueError if it is anything else."""
    if not isinstance(value, numbers.Integral | np.bool_) or value not in (0, 1):
        raise ValueError(f"`{name}` must be True or False. Received: {name}={value!r}")
    return bool(value)


def check_one_of(name, value, allowed):
    """Return `value`; raise ValueError unless it is one of the allowed str."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"`{name}` must be one of {list(allowed)}. Received: {name}={value!r}")
    return value


def check_options(options, known):
    """Raise ValueError, which names the known ones, if an option is unknown."""
    for name, value in options.items():
        if name not in known:
            alike = difflib.get_close_matches(name, known, 1)
            meant = f"Did you mean `{alike[0]}`? " if alike else ""
            raise ValueError(
                f"The options are {', '.join(sorted(known))}. {meant}Received: {name}={value!r}"
            )


def check_keras_object(**argument):
    """Return the Keras object of a name, config or callable: `(bias_initializer="zeros")`."""
    [(name, value)] = argument.items()
    kind = name.split("_")[-1]  # activation, initializer, regularizer or constraint
    try:
        return getattr(keras, f"{kind}s").get(value)
    except (TypeError, ValueError) as error:
        expected = f"`{name}` must be the name of a Keras {kind}, its config or a callable."
        raise ValueError(f"{expected} Received: {name}={value!r}") from error


def _is_whole(value, least):
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    return whole and value >= least
