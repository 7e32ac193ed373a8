"""The paired bootstrap by sacreBLEU: is one system better than another, or was it luck?"""

from typing import NamedTuple

from kerasseq.checks import check_positive_integer
from kerasseq.metrics.corpus import check_corpus, make_bleu


class Comparison(NamedTuple):
    """Two systems on the same sentences, and the probability of their difference by chance.

    Attributes:
        metric: "BLEU" or "chrF2".
        baseline, system: The score of each, 0 to 100.
        p_value: The probability of a difference of this size if neither system were better.
        signature: How the score was computed.
    """

    metric: str
    baseline: float
    system: float
    p_value: float
    signature: str


def paired_bootstrap(baseline, system, references, language=None, samples=1000):
    """Compare two systems by BLEU and chrF on corpora drawn at random from the same sentences.

    Args:
        baseline, system: Lists of str, the translations of each system.
        references: As in `kerasseq.bleu`.
        language: As in `kerasseq.bleu`.
        samples: Number of corpora to draw. The seed is fixed.

    Returns:
        List of two `Comparison`: of BLEU, then of chrF.

    Raises:
        ValueError: As `kerasseq.bleu`.

    Example:
        >>> reference = ["the cat sat on the mat", "the dog barks"]
        >>> bleu, chrf = paired_bootstrap(["a cat sits", "dogs"], reference, reference)
        >>> bleu.system
        100.0

    References:
        - Koehn (2004), Statistical significance tests for machine translation evaluation.
    """
    from sacrebleu.metrics import CHRF
    from sacrebleu.significance import PairedTest

    systems = []
    for name, hypotheses in (("baseline", baseline), ("system", system)):
        hypotheses, columns = check_corpus(hypotheses, references)
        systems.append((name, hypotheses))
    metrics = {"BLEU": make_bleu(language, columns), "chrF2": CHRF()}
    samples = check_positive_integer("samples", samples)
    signatures, results = PairedTest(systems, metrics, columns, "bs", samples)()
    comparisons = []
    for name in metrics:
        # sacreBLEU may return 100.00000000000004.
        scores = [min(result.score, 100.0) for result in results[name]]
        p_value = results[name][1].p_value if scores[0] != scores[1] else 1.0
        comparisons.append(Comparison(name, *scores, p_value, str(signatures[name])))
    return comparisons
