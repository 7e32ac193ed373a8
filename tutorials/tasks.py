"""Small tasks of which one knows the answer: what lessons 1, 3 and 4 learn.

Each returns NumPy arrays that `fit` takes. Ids count from 1; 0 is padding.
"""

import keras
import numpy as np

import kerasseq

SYMBOLS = 8


def recall(count, lag, seed):
    """Say at the end which symbol came first, `lag` steps ago.

    Args:
        count: Sequences to draw.
        lag: Steps between the symbol and the end, filled with distractors of another alphabet.
        seed: Seed of the draw.

    Returns:
        Ids `(count, lag + 1)`: the symbol is 1 to 8, distractors are 9 to 16. And the symbol,
        counted from 0, `(count,)`.
    """
    random = np.random.default_rng(seed)
    first = random.integers(SYMBOLS, size=(count, 1))
    distractors = random.integers(SYMBOLS, 2 * SYMBOLS, size=(count, lag))
    return np.concatenate([first, distractors], axis=1) + 1, first[:, 0]


def adding(count, length, seed):
    """Add the two marked numbers of a sequence (Hochreiter & Schmidhuber 1997).

    Args:
        count: Sequences to draw.
        length: Steps of a sequence.
        seed: Seed of the draw.

    Returns:
        Float array `(count, length, 2)` of numbers in [0, 1) and marks: one in the first half, one
        in the second. And the sum of the marked numbers, `(count, 1)`; always saying 1 has a mean
        squared error of 1/6.
    """
    random = np.random.default_rng(seed)
    numbers = random.random((count, length))
    half = length // 2
    places = np.stack([random.integers(half, size=count), random.integers(half, length, count)], 1)
    marks = np.zeros((count, length))
    np.put_along_axis(marks, places, 1.0, axis=1)
    sums = np.take_along_axis(numbers, places, axis=1).sum(axis=1, keepdims=True)
    return np.stack([numbers, marks], axis=-1).astype("float32"), sums.astype("float32")


def make_reader(cell, optimizer, classes=SYMBOLS, vocab_size=2 * SYMBOLS + 1):
    """Make a model that reads ids with a cell and says one of a few classes at the end, compiled.

    Args:
        cell: A Keras cell.
        optimizer: A Keras optimizer.
        classes: Number of answers.
        vocab_size: Number of ids, the padding 0 included.

    Returns:
        A `keras.Model` from ids `(batch, length)` to logits `(batch, classes)`.
    """
    ids = keras.Input((None,), dtype="int32")
    numbers = keras.initializers.RandomNormal(stddev=1.0)
    embedded = keras.layers.Embedding(
        vocab_size, 16, embeddings_initializer=numbers, mask_zero=True
    )(ids)
    model = keras.Model(ids, keras.layers.Dense(classes)(kerasseq.RNN(cell)(embedded)))
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer, loss, metrics=["accuracy"], jit_compile=False)
    return model
