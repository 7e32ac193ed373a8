"""Many texts through a function of batches: like lengths together, results in order."""

import sys

import numpy as np

from kerasseq.control_tokens import PADDING
from kerasseq.text import TextProcessor


def run_in_batches(run, sources, batch_size, verbose=False):
    """Run a function on batches of like lengths.

    Args:
        run: Function of (ids, rows): an int32 array `(batch, length)`, padded at the end, and the
            places of its rows in `sources`. It returns a sequence of arrays, a row for each row.
        sources: List of id arrays.
        batch_size: Most rows of a batch.
        verbose: Whether to show on standard error how many are done.

    Returns:
        List in the order of `sources`: for each what the arrays have in its row.
    """
    order = np.argsort([len(source) for source in sources], kind="stable")
    results = [None] * len(sources)
    for start in range(0, len(order), batch_size):
        rows = order[start : start + batch_size]
        found = [np.asarray(part) for part in run(pad([sources[row] for row in rows]), rows)]
        for row, *result in zip(rows, *found, strict=True):
            results[row] = result
        if verbose:
            done = min(start + batch_size, len(order))
            end = "\n" if done == len(order) else ""
            print(f"\r{done}/{len(order)}", end=end, file=sys.stderr, flush=True)
    return results


def ids_of(text, texts, tokens):
    """Return one array a text: [START], its ids, [END], without padding.

    Args:
        text: A `TextProcessor`.
        texts: List of str.
        tokens: Their tokens, `text.tokens(texts)`.
    """
    if not texts:
        return []
    ids = text.encode(texts).numpy()
    return [row[: len(one) + 2] for row, one in zip(ids, tokens, strict=True)]


def pad(rows):
    """Return id arrays of different lengths as one int32 array, padded at the end."""
    padded = np.full((len(rows), max(map(len, rows))), PADDING, dtype="int32")
    for row, ids in zip(padded, rows, strict=True):
        row[: len(ids)] = ids
    return padded


def check_texts(model, source_text, target_text):
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
