"""Which sentence pairs are fit for training."""

import numpy as np


def find_usable(source_lengths, target_lengths, max_length=None):
    """Find the pairs to keep. A pair is dropped as a whole, never one side of it.

    Args:
        source_lengths, target_lengths: Integer arrays, shape `(pairs,)`: the tokens of each text. A
            text of white space alone has none.
        max_length: Most tokens that a side may have; `None` means any number.

    Returns:
        Boolean array, shape `(pairs,)`, True where the pair is kept, and a dict from the reason to
        the number of pairs dropped for it.

    Example:
        >>> find_usable(np.array([2, 0, 9]), np.array([3, 1, 2]), max_length=5)[1]
        {'empty': 1, 'longer than 5 tokens': 1}
    """
    empty = np.minimum(source_lengths, target_lengths) == 0
    usable, dropped = ~empty, {"empty": int(empty.sum())}
    if max_length is not None:
        long = ~empty & (np.maximum(source_lengths, target_lengths) > max_length)
        usable &= ~long
        dropped[f"longer than {max_length} tokens"] = int(long.sum())
    return usable, dropped
