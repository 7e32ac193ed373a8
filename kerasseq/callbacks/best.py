"""Which epoch of a history was the best."""

import itertools
import math


def find_best(history, monitor, mode):
    """Return the number of the best epoch, or None if there is none.

    The first of several equal values is the best, and NaN never is. Values that are all the same
    tell nothing: as long as the first one only repeats itself, the latest epoch is the best.

    Args:
        history: List of the logs of each epoch, dicts of floats.
        monitor: The name to judge by. Epochs without it do not count.
        mode: `"max"` if more is better, or `"min"`.

    Returns:
        The number of the epoch from 0, or None if there is no value.

    Example:
        >>> find_best([{"bleu": 0.0}, {"bleu": 0.0}], "bleu", "max")
        1
        >>> find_best([{"bleu": 0.0}, {"bleu": 7.0}, {"bleu": 7.0}], "bleu", "max")
        1
    """
    sign = 1 if mode == "max" else -1
    values = [(sign * logs.get(monitor, math.nan), epoch) for epoch, logs in enumerate(history)]
    values = [(value, epoch) for value, epoch in values if not math.isnan(value)]
    same = list(itertools.takewhile(lambda one: one[0] == values[0][0], values))
    # `max` takes the first of equal ones.
    return max([*same[-1:], *values[len(same) :]], key=lambda one: one[0], default=(0, None))[1]
