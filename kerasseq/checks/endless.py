"""What never ends, and would be read for ever: datasets that repeat, counters, cycles."""

import itertools


def check_finite(name, values):
    """Raise ValueError if reading all of something would never end, as far as one can see.

    Args:
        name: The argument's name, for the error.
        values: A `tf.data.Dataset`, an iterable, or anything else, which is let through.
    """
    if is_endless(values):
        raise ValueError(
            f"`{name}` must end, as all of it is read; a dataset that repeats can be bounded by "
            f"`take`. Received: {name}={values!r}"
        )


def is_endless(values):
    """Whether something is known to have no end."""
    if isinstance(values, itertools.count | itertools.cycle):
        return True
    if isinstance(values, itertools.repeat):
        return not _has_length(values)
    if not hasattr(values, "element_spec"):
        return False
    from tensorflow import data  # who has a dataset has imported it already

    return isinstance(values, data.Dataset) and _repeats(values)


def _has_length(repeated):
    try:
        return repeated.__length_hint__() >= 0
    except TypeError:  # of itertools.repeat without a number
        return False


def _repeats(dataset):
    """Whether a dataset has no end; where TensorFlow does not know it, what it is made of tells."""
    from tensorflow import data

    cardinality = int(dataset.cardinality())
    if cardinality != data.UNKNOWN_CARDINALITY:
        return cardinality == data.INFINITE_CARDINALITY
    # What a dataset is made of has no public name in tf.data.
    kind, inputs = type(dataset).__name__, [_repeats(one) for one in dataset._inputs()]
    if "TakeWhile" in kind or ("Take" in kind and int(dataset._count) >= 0):
        return False
    if "Zip" in kind or "DirectedInterleave" in kind:  # the latter of what chooses, and the rest
        return bool(inputs) and all(inputs)
    return any(inputs)
