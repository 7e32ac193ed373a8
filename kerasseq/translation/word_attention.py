"""Attention between words, from attention between subwords or characters."""

import difflib

import numpy as np

from kerasseq.text.processor import TextProcessor


def in_words(translation, source_text, target_text):
    """Return a `Translation` with words for tokens, whatever those of the model are.

    What a token looks at is split among the words that stand in it, and a word looks where its
    tokens look on average, both in proportion to their bytes. Rows that summed to 1 still do.

    Args:
        translation: A `Translation`.
        source_text, target_text: The `TextProcessor` of each side.
    """
    if source_text.level == target_text.level == "word":
        return translation
    source_words, source_shares = _cut(source_text, translation.source_tokens[1:-1])
    target_words, target_shares = _cut(target_text, translation.tokens)
    weights = translation.attention_weights
    if weights is not None:
        shares = np.zeros((len(source_words) + 2, weights.shape[1]), int)
        shares[0, 0] = shares[-1, -1] = 1  # [START] and [END]
        shares[1:-1, 1:-1] = source_shares
        weights = _between_words(weights, target_shares, shares)
    source_words = ["[START]", *source_words, "[END]"]
    return translation._replace(
        tokens=target_words, source_tokens=source_words, attention_weights=weights
    )


def _cut(text, tokens):
    """Return the words of a text, and how many bytes of each stand in each of its tokens."""
    if text.level == "word":
        return tokens, np.eye(len(tokens), dtype=int)
    surfaces = text.surfaces(tokens)
    words = TextProcessor().tokens(b"".join(surfaces).decode("utf-8", "replace"))
    return words, share_of_words(surfaces, words)


def share_of_words(surfaces, words):
    """Return how many bytes of each word stand in each token.

    A space belongs to the word behind it, the last ones to the last word.

    Args:
        surfaces: List of bytes: what each token stands for in the text, spaces included.
        words: List of str: the words of the same text, none empty.

    Returns:
        Integer array `(words, tokens)`. A word that is not found in the tokens has a row of zeros.
    """
    found = np.zeros((len(words), len(surfaces)), int)
    data = b"".join(surfaces)
    if not words or not data:
        return found
    # A byte that is no character becomes a surrogate, and the count stays right.
    text = data.decode("utf-8", "surrogateescape")
    sizes = [len(one.encode("utf-8", "surrogateescape")) for one in text]
    word_of_byte = np.repeat(_word_of_characters(text, words), sizes)
    token_of_byte = np.repeat(np.arange(len(surfaces)), [len(surface) for surface in surfaces])
    np.add.at(found, (word_of_byte, token_of_byte), 1)
    return found


def _word_of_characters(text, words):
    """Return the index of the word that each character belongs to."""
    word_of_letter = np.repeat(np.arange(len(words)), [len(word) for word in words])
    owners = np.full(len(text), -1)
    letters = "".join(words)
    solid = [place for place, character in enumerate(text) if not character.isspace()]
    if "".join(text[place] for place in solid) == letters:
        owners[solid] = word_of_letter
    else:  # bytes that are no text, or letters that became one
        matcher = difflib.SequenceMatcher(None, text, letters, autojunk=False)
        for begin, letter, size in matcher.get_matching_blocks():
            owners[begin : begin + size] = word_of_letter[letter : letter + size]
    following = len(words) - 1
    for place in range(len(text) - 1, -1, -1):
        following = owners[place] if owners[place] >= 0 else following
        owners[place] = following
    return owners


def _between_words(weights, target_shares, source_shares):
    """Return attention weights between words, from weights between tokens and their shares."""
    rows = target_shares / np.maximum(target_shares.sum(axis=1, keepdims=True), 1)
    columns = source_shares / np.maximum(source_shares.sum(axis=0, keepdims=True), 1)
    return (rows @ weights @ columns.T).astype(weights.dtype)
