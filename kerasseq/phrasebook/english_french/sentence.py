"""Finishes a sentence: a or an, French spelling, capitals, the period, and word positions."""

from itertools import pairwise

from kerasseq.phrasebook.alignment import SentencePair, links, word
from kerasseq.phrasebook.english_french.french import join, spell

# Words whose first letter misleads about the sound that "a" or "an" depends on.
AN_BEFORE = ("honest",)
A_BEFORE = ("European",)


def finish(phrase, construction, clause=None):
    """Turns a phrase into a `SentencePair`.

    Args:
        phrase: `Phrase` of the whole sentence.
        construction: Name of its main construction.
        clause: The `Clause` whose `distance` counts; `phrase` itself by default.
    """
    clause = clause or phrase
    whole = phrase + word(".", ".")
    choose_articles(whole.source)
    target = spell(whole.target)
    whole.source[0].text = capitalized(whole.source[0].text)
    target[0].text = capitalized(target[0].text)
    source_tokens = tuple(source.text for source in whole.source)
    target_tokens = tuple(target_word.text for target_word in target)
    sure, possible = links(whole.source, target)
    position = {id(source): i for i, source in enumerate(whole.source)}
    distance = position[id(clause.finite)] - position[id(clause.head)] - 1
    return SentencePair(
        join(source_tokens),
        join(target_tokens),
        source_tokens,
        target_tokens,
        sure,
        possible,
        construction,
        distance,
        whole.depth,
    )


def choose_articles(words):
    """Turns "a" into "an" before a vowel."""
    for article, following in pairwise(words):
        text = following.text
        vowel = text[0].lower() in "aeiou" or text in AN_BEFORE
        if article.text == "a" and vowel and text not in A_BEFORE:
            article.text = "an"


def capitalized(text):
    """Returns a text with its first letter a capital, the rest as it was."""
    return text[0].upper() + text[1:]
