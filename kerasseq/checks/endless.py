"""Endless inputs, which would be read for ever: datasets that repeat, counters, cycles."""

import itertools


def check_finite(name, values):
    """Raise ValueError if `values` is known to have no end.

    Args:
        name: Name of the argument, for the error.
        values: A `tf.data.Dataset` or an iterable. Any other value passes.
    """
    if is_endless(values):
        raise ValueError(
            f"`{name}` must end, since all of it is read; bound a repeated dataset with `take`. "
            f"Received: {name}={values!r}"
        )


def is_endless(values):
    """Return whether an iterable or a dataset is known to have no end."""
    if isinstance(values, itertools.count | itertools.cycle):
        return True
    if isinstance(values, itertools.repeat):
        return not _has_length(values)
    if not hasattr(values, "element_spec"):
        return False
    from tensorflow import data  # here: a value that is a dataset has imported TensorFlow already

    return isinstance(values, data.Dataset) and _repeats(values)


def _has_length(repeated):
    try:
        return repeated.__length_hint__() >= 0
    except TypeError:  # itertools.repeat without a number
        return False


def _repeats(dataset):
    """Return whether a dataset has no end.

    TensorFlow does not always know the size of a dataset. Its inputs decide then.
    """
    from tensorflow import data

    cardinality = int(dataset.cardinality())
    if cardinality != data.UNKNOWN_CARDINALITY:
        return cardinality == data.INFINITE_CARDINALITY
    # tf.data has no public names for the kind and the inputs of a dataset.
    kind, inputs = type(dataset).__name__, [_repeats(each) for each in dataset._inputs()]
    if "TakeWhile" in kind or ("Take" in kind and int(dataset._count) >= 0):
        return False
    # A zip ends with its first input to end, and so does a choice among datasets.
    if "Zip" in kind or "DirectedInterleave" in kind:
        return bool(inputs) and all(inputs)
    return any(inputs)
