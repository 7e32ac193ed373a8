"""Finishes a sentence: a or an, French spelling, capitals, the period, and word positions."""

from kerasseq.phrasebook.alignment import sentence_pair, word
from kerasseq.phrasebook.english_french.french import spell
from kerasseq.phrasebook.spelling import capitalize, choose_articles, join


def finish(phrase, construction, clause=None):
    """Turn a phrase into a `SentencePair`.

    Args:
        phrase: `Phrase` of the whole sentence.
        construction: Name of its main construction.
        clause: The `Clause` whose `distance` counts; `phrase` itself by default.
    """
    whole = phrase + word(".", ".")
    choose_articles(whole.source)
    target = spell(whole.target)
    capitalize(whole.source)
    capitalize(target)
    return sentence_pair(whole, clause or phrase, target, construction, join, join)
