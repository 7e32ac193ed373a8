"""Batches of token ids for `fit`."""

import collections

import numpy as np
import tensorflow as tf

from kerasseq.checks import check_boolean, check_positive_integer, check_whole_number
from kerasseq.data.buckets import choose_buckets, rows_that_fit
from kerasseq.data.cleaning import find_usable
from kerasseq.data.pairs import as_pairs
from kerasseq.text.processor import TextProcessor

_TEXTS, _BYTES = 4096, 2**20  # of each side, encoded at once


class BatchPlan:
    """The assignment of pairs to batches, a function of seed and epoch.

    Attributes:
        epoch: Number of the epoch whose order the next pass over the dataset takes. It increases
            when the last batch of a pass is taken; set it when training resumes.
        dropped: Dict from a reason to the number of pairs that were dropped for it.
        report: One line with the numbers of used and dropped pairs and the share of padding.

    Args:
        source_lengths, target_lengths: Integer arrays, shape `(pairs,)`.
        batch_size, seed, shuffle, buckets: As in `make_batches`.
        dropped: Dict, see above.
    """

    def __init__(self, source_lengths, target_lengths, batch_size, seed, shuffle, buckets, dropped):
        self.epoch = 0
        self.dropped = dropped
        self._batch_size, self._seed, self._shuffle = batch_size, seed, shuffle
        self._shapes, bucket_of = choose_buckets(
            source_lengths, target_lengths, batch_size, buckets
        )
        self._sizes = [int(rows_that_fit(batch_size, sum(shape))) for shape in self._shapes]
        self._rows = [np.flatnonzero(bucket_of == index) for index in range(len(self._shapes))]
        self.report = self._describe(source_lengths.sum() + target_lengths.sum())

    def __len__(self):
        # Number of batches; the last batch of each shape may be filled up.
        return sum(
            -(-len(rows) // size) for rows, size in zip(self._rows, self._sizes, strict=True)
        )

    def batches(self, epoch):
        """Return the batches of an epoch in their order.

        Args:
            epoch: Number of the epoch, from 0.

        Returns:
            List of (rows, source_length, target_length). `rows` is an integer array: the numbers of
            the pairs, and −1 for a row of padding. It has `batch_size` elements, fewer for long
            pairs.
        """
        random = np.random.default_rng([self._seed, epoch])
        batches = []
        for rows, shape, size in zip(self._rows, self._shapes, self._sizes, strict=True):
            rows = random.permutation(rows) if self._shuffle else rows
            rows = np.pad(rows, (0, -len(rows) % size), constant_values=-1)
            batches += [(batch, *shape) for batch in rows.reshape(-1, size)]  # (size,) each
        if self._shuffle:
            batches = [batches[index] for index in random.permutation(len(batches))]
        return batches

    def _describe(self, tokens):
        pairs = sum(map(len, self._rows))
        area = sum(rows.size * (source + target) for rows, source, target in self.batches(0))
        dropped = [f"{number:,} {reason}" for reason, number in self.dropped.items()]
        return (
            f"{pairs:,} pairs in {len(self):,} batches of {self._batch_size}; "
            f"dropped: {', '.join(dropped)}; "
            f"padding: {1 - tokens / area:.1%} with the lengths "
            + ", ".join(f"{source}/{target}" for source, target in self._shapes)
        )


def make_batches(
    pairs,
    source_text,
    target_text,
    batch_size=64,
    seed=0,
    *,
    shuffle=True,
    max_length=100,
    buckets=6,
    verbose=True,
):
    """Make batches of ids for `fit`; the pairs of a batch have similar lengths.

    All pairs are encoded once and stay in memory. A batch has `batch_size` rows. Batches of pairs
    with more than 512 tokens have fewer rows, so that no batch has more than `512 * batch_size`
    tokens; a longer pair gets a batch of its own. The last batch of a shape is filled up with rows
    of zeros, which the masks leave out. The batches have at most `buckets` different shapes, since
    TensorFlow traces, and XLA compiles, each shape anew.

    The order is a function of `seed` and the epoch. The first pass over the dataset takes the order
    of epoch 0, the second pass the order of epoch 1, and so on. A pass counts when its last batch
    is taken, so a look at the first batches changes nothing. To resume, set `dataset.plan.epoch`;
    `callbacks.EpochSeeds` and `callbacks.Checkpoint` set it for each epoch of `fit`.

    Args:
        pairs: `tf.data.Dataset` of (source_text, target_text), as from `load_pairs`, or a list of
            such pairs of str.
        source_text, target_text: The adapted `TextProcessor` of each side.
        batch_size: Number of rows of a batch, see above.
        seed: Seed of the order.
        shuffle: Whether to shuffle the pairs within a shape, and the batches. Otherwise the batches
            come from short to long, and the pairs of a shape in the order of `pairs`.
        max_length: Largest number of tokens of a side, `[START]` and `[END]` not counted. Longer
            pairs are dropped, never cut. None keeps all pairs.
        buckets: Largest number of shapes.
        verbose: Whether to print the numbers of used and dropped pairs and the share of padding.

    Returns:
        `tf.data.Dataset` of `({"source", "target_in"}, target_out)`, int32, of the shapes
        `(batch_size, source_length)` and `(batch_size, target_length)`. `source` is `[START] x
        [END]`, `target_in` is `[START] y`, `target_out` is `y [END]`, all padded with 0. The
        cardinality is known, and the attribute `plan` is the `BatchPlan`. A dataset made from this
        dataset by `map` or `take` has no `plan`.

    Raises:
        ValueError: If no pair is left, or an argument does not fit.

    Example:
        >>> from kerasseq import TextProcessor
        >>> pairs = [("Hi!", "Salut !"), ("Go on.", "Continue.")]
        >>> english = TextProcessor().adapt([source for source, _ in pairs])
        >>> french = TextProcessor().adapt([target for _, target in pairs])
        >>> batches = make_batches(pairs, english, french, batch_size=2, verbose=False)
        >>> inputs, target_out = next(iter(batches))
        >>> inputs["source"].shape, target_out.shape
        (TensorShape([2, 5]), TensorShape([2, 3]))
    """
    batch_size = check_positive_integer("batch_size", batch_size)
    buckets = check_positive_integer("buckets", buckets)
    seed = check_whole_number("seed", seed, least=0)
    shuffle = check_boolean("shuffle", shuffle)
    if max_length is not None:
        max_length = check_positive_integer("max_length", max_length)
    for name, text in (("source_text", source_text), ("target_text", target_text)):
        if not isinstance(text, TextProcessor):
            expected = f"`{name}` must be an adapted TextProcessor."
            raise ValueError(f"{expected} Received: {name}={text!r}")
    sources, targets, dropped = _encode(as_pairs(pairs), (source_text, target_text), max_length)
    if not len(sources.lengths):
        raise ValueError(
            "`pairs` must hold at least one usable pair. "
            f"Received: {sum(dropped.values())} pairs, dropped: {dropped}"
        )
    # `target_in` lacks [END] and `target_out` lacks [START]: both are one token shorter.
    plan = BatchPlan(
        sources.lengths, targets.lengths - 1, batch_size, seed, shuffle, buckets, dropped
    )
    if verbose:
        print(plan.report)
    return _as_dataset(plan, sources, targets)


class _Ragged:
    """Rows of ids of different lengths, stored one after the other in one array."""

    def __init__(self, ids, lengths):
        self.ids = ids
        self.lengths = lengths
        self._starts = np.cumsum(lengths) - lengths

    def padded(self, rows, length):
        """Return the rows, shape `(rows, length)`; row number −1 is all zeros."""
        lengths = np.where(rows < 0, 0, self.lengths[rows])
        columns = np.arange(length)
        indices = self._starts[rows][:, np.newaxis] + columns  # (rows, length)
        is_token = columns < lengths[:, np.newaxis]
        return np.where(is_token, self.ids[np.where(is_token, indices, 0)], 0)


def _encode(pairs, processors, max_length):
    """Return both sides of the usable pairs, two `_Ragged`, and the numbers of dropped pairs.

    Dropped pairs are forgotten at once, so a huge line needs memory only while it is encoded.
    """
    ids, lengths, dropped = ([], []), ([], []), collections.Counter()
    for texts in _parts(pairs.batch(_TEXTS)):
        encoded = [text.encode_ragged(side) for text, side in zip(processors, texts, strict=True)]
        counts = [rows.row_lengths().numpy() for rows in encoded]
        # [START] and [END] do not count.
        usable, reasons = find_usable(counts[0] - 2, counts[1] - 2, max_length)
        dropped.update(reasons)
        for side, rows in enumerate(encoded):
            ids[side].append(rows.flat_values.numpy()[np.repeat(usable, counts[side])])
            lengths[side].append(counts[side][usable])
    empty = [np.zeros(0, "int32")]
    sides = [
        _Ragged(np.concatenate(empty + own), np.concatenate(empty + sizes))
        for own, sizes in zip(ids, lengths, strict=True)
    ]
    return *sides, dict(dropped)


def _parts(batches):
    """Yield the batches of texts in parts of about `_BYTES` bytes, or one longer pair."""
    for sides in batches:
        sizes = np.maximum(*(tf.strings.length(side).numpy() for side in sides))
        part_of = np.cumsum(sizes, dtype=np.int64) // _BYTES
        starts = np.flatnonzero(np.diff(part_of, prepend=-1))
        for start, stop in zip(starts, [*starts[1:], len(sizes)], strict=True):
            yield [side[start:stop] for side in sides]


def without_autotune(dataset):
    """Turn off the autotuning of a dataset, which has nothing to tune here.

    In TensorFlow 2.21 the end of an epoch waits for the autotuning, up to the time of the epoch.
    """
    options = tf.data.Options()
    options.autotune.enabled = False
    return dataset.with_options(options)


def _as_dataset(plan, sources, targets):
    def generate():
        epoch = plan.epoch
        for number, (rows, source_length, target_length) in enumerate(plan.batches(epoch), 1):
            source = sources.padded(rows, source_length)
            target = targets.padded(rows, target_length + 1)
            target_out = target[:, 1:]
            # The decoder never reads [END].
            target_in = np.where(target_out != 0, target[:, :-1], 0)
            if number == len(plan):
                plan.epoch = epoch + 1
            yield {"source": source, "target_in": target_in}, target_out

    ids = tf.TensorSpec((None, None), tf.int32)
    dataset = tf.data.Dataset.from_generator(
        generate, output_signature=({"source": ids, "target_in": ids}, ids)
    )
    dataset = dataset.apply(tf.data.experimental.assert_cardinality(len(plan)))
    # Without `prefetch`, which would count a pass before its last batch is taken.
    dataset = without_autotune(dataset)
    dataset.plan = plan
    return dataset
