"""Attention between words, from attention between subwords or characters."""

import difflib

import numpy as np

from kerasseq.text.processor import TextProcessor


def in_words(translation, source_text, target_text):
    """Return a `Translation` whose tokens are words, for a model of subwords or characters.

    The weight of a source token is split among the words in the token. The weights of a target word
    are the mean of the weights of its tokens. Both count by bytes. A row that summed to 1 still
    sums to 1.

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
        # [START] and [END] are words of their own: (source words, source tokens).
        shares = np.zeros((len(source_words) + 2, weights.shape[1]), int)
        shares[0, 0] = shares[-1, -1] = 1
        shares[1:-1, 1:-1] = source_shares
        weights = _between_words(weights, target_shares, shares)
    source_words = ["[START]", *source_words, "[END]"]
    return translation._replace(
        tokens=target_words, source_tokens=source_words, attention_weights=weights
    )


def _cut(text, tokens):
    """Return the words of a text, and the bytes that each word has in each token."""
    if text.level == "word":
        return tokens, np.eye(len(tokens), dtype=int)
    surfaces = text.surfaces(tokens)
    words = TextProcessor().tokens(b"".join(surfaces).decode("utf-8", "replace"))
    return words, share_of_words(surfaces, words)


def share_of_words(surfaces, words):
    """Return the number of bytes that each word has in each token.

    A space belongs to the word after the space; spaces at the end belong to the last word.

    Args:
        surfaces: List of bytes, the text of each token, spaces included.
        words: List of str, the words of the same text, none empty.

    Returns:
        Integer array `(words, tokens)`. A word that is in no token has a row of zeros.

    Example:
        >>> share_of_words([b"un", b"lock", b" it"], ["unlock", "it"])
        array([[2, 4, 0],
               [0, 0, 3]])
    """
    shares = np.zeros((len(words), len(surfaces)), int)
    data = b"".join(surfaces)
    if not words or not data:
        return shares
    # A byte that is not part of a character becomes a surrogate, so that the bytes still add up.
    text = data.decode("utf-8", "surrogateescape")
    sizes = [len(character.encode("utf-8", "surrogateescape")) for character in text]
    word_of_byte = np.repeat(_word_of_characters(text, words), sizes)
    token_of_byte = np.repeat(np.arange(len(surfaces)), [len(surface) for surface in surfaces])
    np.add.at(shares, (word_of_byte, token_of_byte), 1)
    return shares


def _word_of_characters(text, words):
    """Return the index of the word that each character belongs to, `(characters,)`."""
    letters = "".join(words)
    word_of_letter = np.repeat(np.arange(len(words)), [len(word) for word in words])
    word_of_character = np.full(len(text), -1)  # −1: not yet known
    visible = [index for index, character in enumerate(text) if not character.isspace()]
    if "".join(text[index] for index in visible) == letters:
        word_of_character[visible] = word_of_letter
    else:  # some bytes are not text, or normalization has joined letters
        matcher = difflib.SequenceMatcher(None, text, letters, autojunk=False)
        for begin, letter, size in matcher.get_matching_blocks():
            word_of_character[begin : begin + size] = word_of_letter[letter : letter + size]
    # From the end: an unknown character, a space as a rule, belongs to the word after it.
    following = len(words) - 1
    for index in range(len(text) - 1, -1, -1):
        if word_of_character[index] >= 0:
            following = word_of_character[index]
        word_of_character[index] = following
    return word_of_character


def _between_words(weights, target_shares, source_shares):
    """Return attention weights between words.

    Args:
        weights: Between tokens, `(target tokens, source tokens)`.
        target_shares, source_shares: As from `share_of_words`, `(words, tokens)`.

    Returns:
        Array `(target words, source words)`.
    """
    # A row of `rows` is a mean over tokens; a column of `columns` splits a token among words.
    rows = target_shares / np.maximum(target_shares.sum(axis=1, keepdims=True), 1)
    columns = source_shares / np.maximum(source_shares.sum(axis=0, keepdims=True), 1)
    return (rows @ weights @ columns.T).astype(weights.dtype)
