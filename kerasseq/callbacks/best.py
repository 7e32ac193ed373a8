"""`find_best`: the best epoch of a history."""

import itertools
import math


def find_best(history, monitor, mode):
    """Return the number of the best epoch, or None without any value.

    Of equal values the first is the best; NaN is never the best. Values that are all equal say
    nothing: as long as the first value only repeats, the latest epoch is the best.

    Args:
        history: List of the logs of each epoch, dicts of floats.
        monitor: Name of the value that decides. Epochs without it do not count.
        mode: `"max"` if larger is better, or `"min"`.

    Returns:
        Number of the epoch, from 0, or None.

    Example:
        >>> find_best([{"bleu": 0.0}, {"bleu": 0.0}], "bleu", "max")
        1
        >>> find_best([{"bleu": 0.0}, {"bleu": 7.0}, {"bleu": 7.0}], "bleu", "max")
        1
    """
    sign = 1 if mode == "max" else -1
    values = [(sign * logs.get(monitor, math.nan), epoch) for epoch, logs in enumerate(history)]
    values = [(value, epoch) for value, epoch in values if not math.isnan(value)]
    # The first values, as far as they are equal, count as one value: the last of them.
    equal = list(itertools.takewhile(lambda pair: pair[0] == values[0][0], values))
    candidates = [*equal[-1:], *values[len(equal) :]]
    # `max` returns the first of equal values.
    return max(candidates, key=lambda pair: pair[0], default=(0, None))[1]
