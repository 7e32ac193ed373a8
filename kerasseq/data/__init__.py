"""Sentence pairs: load them from TFDS or files, and make batches for `fit`."""

from kerasseq.data.batches import BatchPlan, make_batches
from kerasseq.data.load import Splits, default_splits, load_pairs, to_lists

__all__ = ["BatchPlan", "Splits", "default_splits", "load_pairs", "make_batches", "to_lists"]
