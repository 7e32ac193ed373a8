"""French spelling across words: elision, contraction, and forms that a following vowel changes."""

from kerasseq.phrasebook.alignment import TargetWord

ASPIRATED_H = ("héros",)
VOWELS = "aàâeéèêëiîïoôœuùûyh"
BEFORE_VOWEL = {
    "le": "l'",
    "la": "l'",
    "je": "j'",
    "de": "d'",
    "ne": "n'",
    "que": "qu'",
    "ce": "cet",
    "ma": "mon",
    "sa": "son",
}
CONTRACTED = {("de", "le"): "du", ("de", "les"): "des", ("à", "le"): "au", ("à", "les"): "aux"}


def starts_with_vowel(text):
    """Whether a word is spoken with a vowel first, so that "le" before it becomes "l'"."""
    return text[0].lower() in VOWELS and text.lower() not in ASPIRATED_H


def spell(words):
    """Apply contraction and elision to a finished list of words.

    "de" + "le" + "cabinet" becomes "du" + "cabinet", which keeps the sure link of "de" and takes
    those of "le" as possible ones; "le" + "homme" becomes "l'" + "homme".

    Args:
        words: List of `TargetWord`.

    Returns:
        A new list of `TargetWord`, one a token.
    """
    spelled = []
    for i, word in enumerate(words):
        text = word.text
        if text in BEFORE_VOWEL and starts_with_vowel(words[i + 1].text):
            text = BEFORE_VOWEL[text]
        contracted = CONTRACTED.get((spelled[-1].text, text)) if spelled else None
        if contracted:
            spelled[-1] = _contract(contracted, spelled[-1], word)
        else:
            spelled.append(TargetWord(text, word.sure, word.possible))
    return spelled


def _contract(text, first, second):
    second_sure = () if second.sure is None else (second.sure,)
    possible = (*first.possible, *second_sure, *second.possible)
    return TargetWord(text, first.sure or second.sure, possible)
