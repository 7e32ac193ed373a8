"""Batches of token ids whose lengths are those of a real corpus, Multi30k from German to English.

How much is padding, and how long the loops over time run, depends on the lengths of the sentences.
Those of Multi30k's 29,000 training pairs, in the words of `kerasseq.TextProcessor`, are described
well by a log-normal distribution in two dimensions: batches of 64 in the six shapes of
`kerasseq.make_batches` hold 14.4 % padding with the real lengths, 14.5 % with drawn ones.

With `--dataset FOLDER --source de --target en` the corpus is read instead.
"""

import numpy as np

from kerasseq import TextProcessor, load_pairs
from kerasseq.data import BatchPlan

PAIRS = 29_000
# Words a sentence: mean and standard deviation of the logarithm; least and most.
SOURCE = (2.481, 0.326), (2, 45)
TARGET = (2.528, 0.298), (4, 41)
CORRELATION = 0.854
START, END = 2, 3


def add_options(parser):
    """Add the options by which a real corpus is chosen."""
    parser.add_argument("--dataset", help="folder of train.de, train.en …; default: drawn lengths")
    parser.add_argument("--source", default="de")
    parser.add_argument("--target", default="en")


def draw_lengths(pairs, seed=0):
    """Return the numbers of words of source and target, two integer arrays."""
    random = np.random.default_rng(seed)
    covariance = [[1, CORRELATION], [CORRELATION, 1]]
    normal = random.multivariate_normal([0, 0], covariance, pairs).T
    drawn = []
    for z, ((mean, deviation), (least, most)) in zip(normal, (SOURCE, TARGET), strict=True):
        drawn.append(np.clip(np.exp(mean + deviation * z).round(), least, most).astype(int))
    return drawn


def load_corpus(options, vocab_size, pairs=None):
    """Return the sources and the targets: two lists of id arrays, from [START] to [END]."""
    pairs = pairs or PAIRS
    if options.dataset is None:
        random = np.random.default_rng(1)
        return [
            [np.r_[START, random.integers(4, vocab_size, length), END] for length in lengths]
            for lengths in draw_lengths(pairs)
        ]
    texts = load_pairs(options.dataset, options.source, options.target).take(pairs)
    corpus = []
    for side in zip(*texts.as_numpy_iterator(), strict=True):
        sentences = [text.decode() for text in side]
        ids = TextProcessor(vocab_size).adapt(sentences).encode(sentences).numpy()
        corpus.append([row[row != 0] for row in ids])
    return corpus


def bucketed(corpus, batch_size, buckets=6):
    """Return the batches of an epoch of `kerasseq.make_batches`.

    Returns:
        List of (source, target_in, target_out), int32 arrays `(batch_size, length)`.
    """
    lengths = [np.array([len(ids) for ids in side]) for side in corpus]
    plan = BatchPlan(lengths[0], lengths[1] - 1, batch_size, 0, True, buckets, {})
    batches = []
    for rows, *shape in plan.batches(epoch=0):
        source, target = ([side[row] for row in rows if row >= 0] for side in corpus)
        batches.append(_batch(source, target, shape, batch_size))
    return batches


def one_of_each_shape(batches):
    """Return a batch of each shape."""
    return list({tuple(ids.shape for ids in batch): batch for batch in batches}.values())


def sample(batches, count):
    """Return `count` batches, long and short ones in the proportion in which there are."""
    batches = sorted(batches, key=lambda batch: (batch[0].shape[1], batch[1].shape[1]))
    return [batches[int((number + 0.5) * len(batches) / count)] for number in range(count)]


def sorted_by_length(corpus, batch_size, seed=0):
    """Return batches of neighbours in length, each as long as its longest pair, in random order."""
    sources, targets = corpus
    order = sorted(range(len(sources)), key=lambda row: (len(targets[row]), len(sources[row])))
    batches = []
    for start in range(0, len(order), batch_size):
        rows = order[start : start + batch_size]
        source, target = ([side[row] for row in rows] for side in corpus)
        shape = max(map(len, source)), max(map(len, target)) - 1
        batches.append(_batch(source, target, shape, len(rows)))
    return [batches[index] for index in np.random.default_rng(seed).permutation(len(batches))]


def _batch(sources, targets, shape, batch_size):
    source_length, target_length = shape
    return (
        pad(sources, source_length, batch_size),
        pad([ids[:-1] for ids in targets], target_length, batch_size),
        pad([ids[1:] for ids in targets], target_length, batch_size),
    )


def pad(rows, length, batch_size=None):
    """Return id arrays as one int32 array `(batch_size, length)`, zeros behind and below."""
    padded = np.zeros((batch_size or len(rows), length), "int32")
    for row, ids in zip(padded, rows, strict=False):
        row[: len(ids)] = ids
    return padded


def real_tokens(batches):
    """Return the numbers of real tokens in the sources and in the targets."""
    return tuple(sum(np.count_nonzero(batch[side]) for batch in batches) for side in (0, 2))
