"""Pieces of text that are hard to cut, and what any text is to come back as."""

import unicodedata

import tensorflow as tf

from kerasseq.text.tokenization import normalize

PIECES = [
    *"aN'’.,-:/3١中かé\u0301\u0302 \"(“”„“$€🏽🇫🇷❤\ufe0f?!…\u3000\u200bス\u3099한",
    "n't",
    "'s",
    "'ll",
]
PIECES += ["l'", " '", "' ", "U.S.", "don't", "3.5", " - ", " n't ", "word ", " « "]


def canonical(text):
    """Return what a text is to come back as: NFC, one space for a run of white space."""
    normal = normalize(tf.constant([text.encode("utf-8", "surrogatepass")]), lower=False)
    text = normal.numpy()[0].decode("utf-8")
    runs, run = [], ""
    for character in text:
        if character.isspace():
            run += character
            continue
        runs += [run if unicodedata.category(run[-1:] or "x") == "Zs" and len(run) == 1 else " "]
        runs[-1] = runs[-1] if run else ""
        runs.append(character)
        run = ""
    return "".join(runs[1:])
