"""Few shapes for many lengths: which pairs are padded to which lengths."""

import itertools

import numpy as np

_MOST_STEPS = 200  # cuts tried between the shortest and the longest pairs
_MOST_TOKENS = 512  # of a row, on both sides together, from which on a batch has fewer rows


def rows_that_fit(batch_size, lengths):
    """Return how many rows a batch has, so that long texts do not make it as much larger.

    Args:
        batch_size: Rows where no row has more than 512 tokens.
        lengths: Tokens of a row, source and target together: a number or an integer array.

    Returns:
        The number, or integers of the shape of `lengths`: at least 1, and else as many rows as have
        no more tokens in sum than `batch_size` rows of 512.
    """
    return np.clip(batch_size * _MOST_TOKENS // np.maximum(lengths, 1), 1, batch_size)


def choose_buckets(source_lengths, target_lengths, batch_size, buckets):
    """Choose shapes so that little is padded.

    The pairs are put in order of their length and cut into stretches. A stretch is padded to its
    longest source and longest target, and its last batch is filled up with rows of padding; among
    all ways to cut, the one with the smallest area of all batches is found, by dynamic programming.

    Args:
        source_lengths, target_lengths: Integer arrays, shape `(pairs,)`.
        batch_size: Rows of a batch, as in `rows_that_fit`.
        buckets: Most shapes to choose.

    Returns:
        List of `(source_length, target_length)`, and the bucket of every pair, an integer array of
        shape `(pairs,)`.
    """
    key = np.maximum(source_lengths / source_lengths.mean(), target_lengths / target_lengths.mean())
    order = np.argsort(key, kind="stable")
    steps = min(_MOST_STEPS, len(order))
    edges = np.linspace(0, len(order), steps + 1).round().astype(int)
    firsts = edges[:-1]
    source = np.maximum.reduceat(source_lengths[order], firsts)
    target = np.maximum.reduceat(target_lengths[order], firsts)
    cuts = _cut(_areas(edges, source, target, batch_size), buckets)
    bucket_of = np.empty(len(order), int)
    shapes = []
    for bucket, (start, stop) in enumerate(itertools.pairwise(cuts)):
        bucket_of[order[edges[start] : edges[stop]]] = bucket
        shapes.append((int(source[start:stop].max()), int(target[start:stop].max())))
    return shapes, bucket_of


def _areas(edges, source, target, batch_size):
    """Return the area of a bucket from every edge to every other; infinite if not behind it."""
    steps = len(source)
    areas = np.full((steps + 1, steps + 1), np.inf)
    for start in range(steps):
        lengths = np.maximum.accumulate(source[start:]) + np.maximum.accumulate(target[start:])
        rows = rows_that_fit(batch_size, lengths)
        batches = -(-(edges[start + 1 :] - edges[start]) // rows)
        areas[start, start + 1 :] = batches * rows * lengths
    return areas


def _cut(areas, buckets):
    """Find the edges of at most `buckets` stretches whose areas are smallest in sum."""
    least, before = areas[0], []
    best, last = least[-1], 0
    for count in range(1, buckets):
        total = least[:, np.newaxis] + areas  # (last edge but one, last edge)
        before.append(total.argmin(axis=0))
        least = total.min(axis=0)
        if least[-1] < best:
            best, last = least[-1], count
    cuts = [len(areas) - 1]
    for edges in reversed(before[:last]):
        cuts.append(int(edges[cuts[-1]]))
    return [0, *reversed(cuts)]
