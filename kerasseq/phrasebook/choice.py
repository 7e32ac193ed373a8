"""Random choices that are the same on every machine."""

import random


class Choice:
    """A seeded source of choices.

    Every choice uses `random.Random.random`, the only method of the module `random` that promises
    the same numbers in every version of Python.

    Args:
        seed: Integer.
    """

    def __init__(self, seed):
        self._random = random.Random(seed).random

    def chance(self, probability):
        """Return True with the given probability."""
        return self._random() < probability

    def integer(self, low, high):
        """Return an integer from `low` to `high`, both included."""
        return low + int(self._random() * (high - low + 1))

    def one_of(self, options):
        """Return one item of a non-empty sequence; all items are equally likely."""
        return options[int(self._random() * len(options))]

    def weighted(self, weights):
        """Return a key of a dict, with a probability proportional to its value."""
        point = self._random() * sum(weights.values())
        for option, weight in weights.items():
            point -= weight
            if point < 0:
                return option
        return option
