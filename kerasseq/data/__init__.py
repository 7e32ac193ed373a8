"""Sentence pairs: where they come from, and batches of them for `fit`."""

from kerasseq.data.sources import Splits, default_splits, load_pairs

__all__ = ["Splits", "default_splits", "load_pairs"]
