"""Checks of texts, paths, attention weights and word alignments."""

import collections.abc
import os

import numpy as np

from kerasseq.checks.endless import check_finite


def check_path(name, value):
    """Return a path, str or path-like, as a str; raise ValueError for any other value."""
    value = os.fspath(value) if isinstance(value, os.PathLike) else value
    if not isinstance(value, str) or not value:
        raise ValueError(f"`{name}` must be a path, str or Path. Received: {name}={value!r}")
    return value


def check_folder(name, value):
    """Return the path of a folder as a str, or None; the folder need not exist."""
    if value is not None and os.path.isfile(value := check_path(name, value)):
        raise ValueError(f"`{name}` must be a folder or None. Received: {name}={value!r}")
    return value


def check_texts(name, texts):
    """Return texts as a list of str; raise ValueError for any other value.

    Args:
        name: Name of the argument, for the error.
        texts: List, array, string tensor, generator or dataset of str or UTF-8 bytes.
    """
    expected = f"`{name}` must be a list of str."
    one_text = isinstance(texts, str | bytes) or getattr(texts, "shape", None) == ()
    if one_text or not is_iterable(texts):
        raise ValueError(f"{expected} Received: {name}={texts!r}")
    check_finite(name, texts)
    read = []
    for index, text in enumerate(texts):
        text = text.numpy() if hasattr(text, "numpy") else text  # from a tensor or a dataset
        if not isinstance(text, str | bytes):
            raise ValueError(f"{expected} Received: {name}[{index}]={text!r}")
        read.append(text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text))
    return read


def is_iterable(value):
    """Return whether a value is an iterable other than a dict, whose keys alone would be read."""
    return isinstance(value, collections.abc.Iterable) and not isinstance(
        value, collections.abc.Mapping
    )


def check_matrix(name, value):
    """Return finite numbers as an array of two axes; raise ValueError for any other value."""
    expected = f"`{name}` must be finite numbers of shape (target_length, source_length)."
    try:
        array = np.asarray(value)
    except ValueError as error:  # rows of different lengths
        raise ValueError(f"{expected} Received: {name}={value!r}") from error
    if array.dtype.kind not in "fiub" or array.ndim != 2 or not np.isfinite(array).all():
        raise ValueError(f"{expected} Received: {name}.shape={array.shape}, {name}={value!r}")
    return array


def check_links(name, links, source_length, target_length):
    """Return word links as an integer array `(links, 2)` of (source_index, target_index).

    Args:
        name: Name of the argument, for the error.
        links: List, set or array of pairs; it may be empty.
        source_length, target_length: Numbers of tokens; each index must be smaller. None if they
            are not yet known.
    """
    received = f"Received: {name}={links.tolist() if hasattr(links, 'tolist') else links!r}"
    pairs = f"`{name}` must hold integer pairs (source_index, target_index)"
    try:
        array = np.asarray(list(links) if isinstance(links, set | frozenset) else links)
    except ValueError as error:
        raise ValueError(f"{pairs}. {received}") from error
    if array.size == 0 and array.ndim:
        return np.zeros((0, 2), int)
    if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
        raise ValueError(f"{pairs}. {received}")
    limits = [np.inf if size is None else size for size in (source_length, target_length)]
    if (array < 0).any() or (array >= limits).any():
        raise ValueError(
            f"{pairs} with source_index below {limits[0]} and target_index below {limits[1]}. "
            f"{received}"
        )
    return array
