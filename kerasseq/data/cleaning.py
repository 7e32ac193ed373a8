"""`find_usable`: drop pairs that are empty or too long."""

import numpy as np


def find_usable(source_lengths, target_lengths, max_length=None):
    """Return which pairs to keep. A pair is dropped if one of its sides does not fit.

    Args:
        source_lengths, target_lengths: Integer arrays, shape `(pairs,)`, numbers of tokens. A text
            of white space has 0 tokens.
        max_length: Largest number of tokens of a side. None allows any number.

    Returns:
        `(usable, dropped)`: a boolean array `(pairs,)`, True for a pair to keep; and a dict from a
        reason to the number of pairs that were dropped for it.

    Example:
        >>> find_usable(np.array([2, 0, 9]), np.array([3, 1, 2]), max_length=5)[1]
        {'empty': 1, 'longer than 5 tokens': 1}
    """
    empty = np.minimum(source_lengths, target_lengths) == 0
    usable, dropped = ~empty, {"empty": int(empty.sum())}
    if max_length is not None:
        # A pair counts for one reason only.
        long = ~empty & (np.maximum(source_lengths, target_lengths) > max_length)
        usable &= ~long
        dropped[f"longer than {max_length} tokens"] = int(long.sum())
    return usable, dropped
