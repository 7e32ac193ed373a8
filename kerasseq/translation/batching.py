"""Run a function over texts in batches of similar length."""

import sys

import numpy as np

from kerasseq.data.buckets import rows_that_fit
from kerasseq.text.control_tokens import PADDING
from kerasseq.text.processor import TextProcessor


def run_in_batches(run, sources, batch_size, verbose=False, sizes=None):
    """Run a function on batches of sources of similar length.

    Args:
        run: Function of (ids, rows): an int32 array `(batch, length)`, padded at the end, and the
            indices of its rows in `sources`. The function returns a sequence of arrays, each with
            `batch` rows.
        sources: List of id arrays.
        batch_size: Largest number of rows of a batch. Long texts come in smaller batches, see
            `rows_that_fit`.
        verbose: Whether to show progress on standard error.
        sizes: Number of tokens that `run` handles for each source. Default: the source length.

    Returns:
        List in the order of `sources`: for each source its row of every array.
    """
    sizes = np.array([len(source) for source in sources] if sizes is None else sizes, int)
    order = np.argsort(sizes, kind="stable")
    results, done = [None] * len(sources), 0  # number of finished sources
    while done < len(order):
        rows = order[done : done + batch_size]
        fits = np.arange(len(rows)) < rows_that_fit(batch_size, sizes[rows])
        rows = rows[fits]
        arrays = [np.asarray(array) for array in run(pad([sources[row] for row in rows]), rows)]
        for row, *result in zip(rows, *arrays, strict=True):
            results[row] = result
        done += len(rows)
        if verbose:
            end = "\n" if done == len(order) else ""
            print(f"\r{done}/{len(order)}", end=end, file=sys.stderr, flush=True)
    return results


def encode_rows(text, texts):
    """Return the ids and the tokens of texts, without padding.

    Args:
        text: A `TextProcessor`.
        texts: List of str.

    Returns:
        `(ids, tokens)`: for each text an id array and a list of str, from `[START]` to `[END]`.
    """
    if not texts:
        return [], []
    ids, tokens = text.encode_with_tokens(texts)
    rows = np.split(ids.flat_values.numpy(), ids.row_splits.numpy()[1:-1])
    return rows, [[token.decode("utf-8") for token in row] for row in tokens.to_list()]


def pad(rows):
    """Return id arrays of different lengths as one int32 array, padded at the end."""
    padded = np.full((len(rows), max(map(len, rows))), PADDING, dtype="int32")
    for row, ids in zip(padded, rows, strict=True):
        row[: len(ids)] = ids
    return padded


def check_text_processors(model, source_text, target_text):
    """Raise ValueError if the text processors do not fit the model.

    A text processor that fitted once may have been adapted again since.

    Raises:
        ValueError: If a value is not a `TextProcessor`, or its number of ids is not the model's.
    """
    for side, text in (("source", source_text), ("target", target_text)):
        if not isinstance(text, TextProcessor):
            expected = f"`{side}_text` must be an adapted TextProcessor."
            raise ValueError(f"{expected} Received: {side}_text={text!r}")
        size = model.get_layer(f"{side}_embedding").input_dim
        if len(text) != size:
            raise ValueError(
                f"`{side}_text` must have as many ids as the model has {side} ids, {size}. "
                f"Received: len({side}_text)={len(text)}"
            )
