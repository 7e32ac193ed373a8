"""Finishes a sentence: a or an, the capital, the period, and word positions."""

from kerasseq.phrasebook.alignment import sentence_pair, word
from kerasseq.phrasebook.spelling import capitalize, choose_articles, join


def finish(phrase, construction, clause=None):
    """Turn a phrase into a `SentencePair`.

    Args:
        phrase: `Phrase` of the whole sentence.
        construction: Name of its main construction.
        clause: The `Clause` whose `distance` counts; `phrase` itself by default.
    """
    whole = phrase + word("。", ".")
    choose_articles(whole.target)
    capitalize(whole.target)
    return sentence_pair(whole, clause or phrase, whole.target, construction, "".join, join)
