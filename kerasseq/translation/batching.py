"""Run a function over texts in batches of similar length."""

import sys

import numpy as np

from kerasseq.data.buckets import rows_that_fit
from kerasseq.text.control_tokens import PADDING
from kerasseq.text.processor import TextProcessor


def run_in_batches(run, sources, batch_size, verbose=False, sizes=None):
    """Run a function on batches of like lengths.

    Args:
        run: Function of (ids, rows): an int32 array `(batch, length)`, padded at the end, and the
            places of its rows in `sources`. It returns a sequence of arrays, a row for each row.
        sources: List of id arrays.
        batch_size: Most rows of a batch. Of long texts it has fewer, see `rows_that_fit`.
        verbose: Whether to show on standard error how many are done.
        sizes: For each how many tokens `run` deals with; by default those of the source.

    Returns:
        List in the order of `sources`: for each what the arrays have in its row.
    """
    sizes = np.array([len(source) for source in sources] if sizes is None else sizes, int)
    order = np.argsort(sizes, kind="stable")
    results, done = [None] * len(sources), 0
    while done < len(order):
        rows = order[done : done + batch_size]
        fits = np.arange(len(rows)) < rows_that_fit(batch_size, sizes[rows])
        rows = rows[fits]
        found = [np.asarray(part) for part in run(pad([sources[row] for row in rows]), rows)]
        for row, *result in zip(rows, *found, strict=True):
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
    """Refuse text processors that do not fit the model; one may have been adapted anew since.

    Raises:
        ValueError: If one is no `TextProcessor`, or has another number of ids than the model.
    """
    for side, text in (("source", source_text), ("target", target_text)):
        if not isinstance(text, TextProcessor):
            expected = f"`{side}_text` must be an adapted TextProcessor."
            raise ValueError(f"{expected} Received: {side}_text={text!r}")
        size = model.get_layer(f"{side}_embedding").input_dim
        if len(text) != size:
            raise ValueError(
                f"The model has {size} {side} ids, the text processor must have as many. "
                f"Received: len({side}_text)={len(text)}"
            )
