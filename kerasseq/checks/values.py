"""Checks of numbers, names and options: each returns the normalized value or raises ValueError."""

import difflib
import numbers

import keras
import numpy as np


def check_positive_integer(name, value):
    """Return a positive integer, also of NumPy, as an int; raise ValueError for any other value."""
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
    """Return an integer as an int, or None as None; raise ValueError for any other value."""
    if value is not None and not _is_whole(value, -float("inf")):
        expected = f"`{name}` must be an integer or None."
        raise ValueError(f"{expected} Received: {name}={value!r}")
    return None if value is None else int(value)


def check_vocabulary_size(name, value):
    """Return `value` as an int; raise ValueError if it leaves no room for a token."""
    if not _is_whole(value, 5):
        raise ValueError(
            f"`{name}` must be a whole number above 4, since it counts the four control tokens. "
            f"Received: {name}={value!r}"
        )
    return int(value)


def check_boolean(name, value):
    """Return True, False, 1 or 0 as a bool; raise ValueError for any other value."""
    if not isinstance(value, numbers.Integral | np.bool_) or value not in (0, 1):
        raise ValueError(f"`{name}` must be True or False. Received: {name}={value!r}")
    return bool(value)


def check_one_of(name, value, allowed):
    """Return `value`; raise ValueError unless it is an allowed str."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"`{name}` must be one of {list(allowed)}. Received: {name}={value!r}")
    return value


def check_options(options, known):
    """Raise ValueError if the name of an option is unknown; the message lists the known names."""
    for name, value in options.items():
        if name not in known:
            alike = difflib.get_close_matches(name, known, 1)
            meant = f"Did you mean `{alike[0]}`? " if alike else ""
            raise ValueError(
                f"The options are {', '.join(sorted(known))}. {meant}Received: {name}={value!r}"
            )


def check_keras_object(**argument):
    """Return the Keras object for a name, a config or a callable.

    The name of the argument says what to look for: `check_keras_object(bias_initializer="zeros")`.
    """
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
