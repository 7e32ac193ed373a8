"""Texts and ids as tensors: conversion of what a user may give."""

import numpy as np
import tensorflow as tf

from kerasseq.checks import check_finite, check_texts, is_iterable

EXPECTED_IDS = "`ids` must hold integers of shape (batch, length)."
_BATCH = 4096  # texts per batch of a dataset that has none


def as_tensor(texts):
    """Return a string tensor of shape `(batch,)` for a list of str or one str; keep a tensor."""
    if tf.is_tensor(texts):
        return texts
    if isinstance(texts, str | bytes):
        texts = [texts]
    # A lone surrogate fits no encoding; it becomes a replacement character.
    encoded = [text.encode("utf-8", "surrogatepass") for text in check_texts("texts", texts)]
    return tf.constant(encoded, tf.string, shape=[len(encoded)])


def flat_strings(texts):
    """Return a string tensor of shape `()` or `(batch,)` in shape `(batch,)`."""
    if texts.dtype != tf.string or texts.shape.rank not in (None, 0, 1):
        raise ValueError(
            "`texts` must be strings of shape (batch,). "
            f"Received: texts.shape={texts.shape}, texts.dtype={texts.dtype.name}"
        )
    return tf.reshape(texts, [-1])


def as_dataset(texts):
    """Return a dataset of string tensors, shape `(batch,)`, from an iterable or a dataset."""
    if isinstance(texts, str | bytes):
        check_texts("texts", texts)  # raises: one str is not many texts
    if not isinstance(texts, tf.data.Dataset):
        texts = as_tensor(texts)
        texts = texts[tf.newaxis] if texts.shape.rank == 0 else texts
        texts = tf.data.Dataset.from_tensor_slices(texts)
    check_finite("texts", texts)
    if not isinstance(texts.element_spec, tf.TensorSpec):
        raise ValueError(
            "`texts` must be a dataset of strings, one component only: use "
            "`pairs.map(lambda source, target: source)`. "
            f"Received: element_spec={texts.element_spec}"
        )
    return texts.batch(_BATCH) if texts.element_spec.shape.rank == 0 else texts


def padded(ids):
    """Return lists or arrays of ids, which may differ in length, as one padded tensor."""
    check_finite("ids", ids)
    try:
        rows = [np.asarray(row) for row in ids] if is_iterable(ids) else [np.asarray(ids)]
    except ValueError as error:  # of different depths
        raise ValueError(f"{EXPECTED_IDS} Received: ids={ids!r}") from error
    if any(row.ndim != 1 or (row.size and row.dtype.kind not in "iu") for row in rows):
        raise ValueError(f"{EXPECTED_IDS} Received: ids={ids!r}")
    rows = [row.tolist() for row in rows]
    return tf.ragged.constant(rows, tf.int64, ragged_rank=1).to_tensor()
