"""Scores of translations, of alignments and of the prediction of the next token."""

from kerasseq.metrics.alignment import alignment_error_rate
from kerasseq.metrics.corpus import Score, bleu, chrf
from kerasseq.metrics.paired import Comparison, paired_bootstrap
from kerasseq.metrics.tokens import Perplexity, TokenAccuracy

__all__ = [
    "Comparison",
    "Perplexity",
    "Score",
    "TokenAccuracy",
    "alignment_error_rate",
    "bleu",
    "chrf",
    "paired_bootstrap",
]
