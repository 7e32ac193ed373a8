"""Buckets: few shapes for many lengths, so that little is padded."""

import itertools

import numpy as np

_MOST_STEPS = 200  # number of possible cuts between the shortest and the longest pairs
_MOST_TOKENS = 512  # tokens of a row, both sides together, above which a batch has fewer rows


def rows_that_fit(batch_size, lengths):
    """Return the number of rows of a batch, which is smaller for long texts.

        rows = min(batch_size, ⌊512 · batch_size / length⌋), at least 1

    Args:
        batch_size: Number of rows for lengths of up to 512 tokens.
        lengths: Tokens of a row, source and target together: a number or an integer array.

    Returns:
        The number of rows, in the shape of `lengths`.
    """
    return np.clip(batch_size * _MOST_TOKENS // np.maximum(lengths, 1), 1, batch_size)


def choose_buckets(source_lengths, target_lengths, batch_size, buckets):
    """Choose the shapes of the batches that need the least padding.

    The pairs are sorted by length and cut into buckets. All pairs of a bucket are padded to its
    longest source and its longest target, and the last batch of a bucket is filled up with rows of
    padding. The cuts are chosen to minimize the total area, rows times length, of all batches.

    Args:
        source_lengths, target_lengths: Integer arrays, shape `(pairs,)`.
        batch_size: Number of rows of a batch, as in `rows_that_fit`.
        buckets: Largest number of shapes.

    Returns:
        `(shapes, bucket_of)`: a list of `(source_length, target_length)`, and the bucket of every
        pair, an integer array of shape `(pairs,)`.
    """
    # The length of a pair is its longer side; each side is measured by its mean.
    key = np.maximum(source_lengths / source_lengths.mean(), target_lengths / target_lengths.mean())
    order = np.argsort(key, kind="stable")
    steps = min(_MOST_STEPS, len(order))
    # Cuts are possible only at these edges, so that the search below stays fast.
    edges = np.linspace(0, len(order), steps + 1).round().astype(int)  # (steps + 1,)
    firsts = edges[:-1]
    # The longest source and target between each edge and the next edge: (steps,).
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
    """Return the area of a bucket between every two edges, `(steps + 1, steps + 1)`.

    `areas[i, j]` belongs to a bucket from edge i to edge j; it is infinite for j ≤ i.
    """
    steps = len(source)
    areas = np.full((steps + 1, steps + 1), np.inf)
    for start in range(steps):
        lengths = np.maximum.accumulate(source[start:]) + np.maximum.accumulate(target[start:])
        rows = rows_that_fit(batch_size, lengths)
        batches = -(-(edges[start + 1 :] - edges[start]) // rows)
        areas[start, start + 1 :] = batches * rows * lengths
    return areas


def _cut(areas, buckets):
    """Return the edges of at most `buckets` buckets with the smallest total area.

    Dynamic programming: with A_n(j) the smallest total area of n buckets from edge 0 to edge j,

        A_1(j) = areas[0, j],    A_{n+1}(j) = min_i A_n(i) + areas[i, j]
    """
    smallest = areas[0]  # A_1, (edges,)
    last_cuts = []  # for n = 2, 3, …: the best i of every j
    best, best_count = smallest[-1], 1
    for count in range(2, buckets + 1):
        totals = smallest[:, np.newaxis] + areas  # A_n(i) + areas[i, j], (edges, edges)
        last_cuts.append(totals.argmin(axis=0))
        smallest = totals.min(axis=0)
        if smallest[-1] < best:
            best, best_count = smallest[-1], count
    # From the last edge back: the last cut before an edge is the end of the bucket before.
    cuts = [len(areas) - 1]
    for before in reversed(last_cuts[: best_count - 1]):
        cuts.append(int(before[cuts[-1]]))
    return [0, *reversed(cuts)]
