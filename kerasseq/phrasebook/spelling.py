"""English spelling that depends on the next word, and tokens written as text."""

from itertools import pairwise

# "a" or "an" depends on the first sound. The first letter of these words misleads about it.
AN_BEFORE = ("honest",)
A_BEFORE = ("European",)


def choose_articles(words):
    """Turn the text of each word "a" into "an" before a vowel."""
    for article, following in pairwise(words):
        text = following.text
        vowel = text[0].lower() in "aeiou" or text in AN_BEFORE
        if article.text == "a" and vowel and text not in A_BEFORE:
            article.text = "an"


def capitalize(words):
    """Give the first word a capital letter and leave the other letters as they are."""
    text = words[0].text
    words[0].text = text[0].upper() + text[1:]


def join(tokens):
    """Return English or French tokens as text.

    No space stands before "," "." and "'s", and none after a French apostrophe.
    """
    text = ""
    for token in tokens:
        if text and not text.endswith("'") and token not in {",", ".", "'s"}:
            text += " "
        text += token
    return text
