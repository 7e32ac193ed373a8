"""The splits of the phrasebook: how many sentences, how long, and no sentence in two splits.

| split | sentences | length in source tokens |
|---|---|---|
| train | 20,000 | mostly 2 to 12, with a tail to 40 |
| validation | 1,000 | as train |
| test | 1,000 | from 2 to 40, as even as the language allows |
| long | 1,000 | from 41 to 80, even |

The length does not count the final period. No source sentence is in two splits. Train comes first,
but leaves one in four of the short sentences, of which the language has few, to the other splits.
Every word of the other splits stands at least `MINIMUM_COUNT` times in train, so that these splits
test known words in new sentences.
"""

import hashlib
import math
from collections import Counter
from importlib import import_module

from kerasseq.phrasebook.choice import Choice

CONFIGS = {"en_fr": "english_french", "zh_en": "chinese_english"}
SIZES = {"train": 20_000, "validation": 1_000, "test": 1_000, "long": 1_000}
MINIMUM_COUNT = 5
LONGEST = 40  # source tokens in train
SHORT = 6  # the language has few sentences with at most so many source tokens
# The room of a sentence in words: its weight.
TRAIN_ROOMS = {2: 2, 3: 3, 4: 5, 5: 6, 6: 7, 7: 8, 8: 9, 9: 9, 10: 9, 11: 8, 12: 7, 14: 6, 17: 5}
TRAIN_TAIL = {room: 1 for room in range(21, 42)}
PATIENCE = 2_000  # trials to find the sentences of a length


def make_corpus(config):
    """Return the whole corpus of a config, which is the same on every machine.

    Args:
        config: `"en_fr"` or `"zh_en"`.

    Returns:
        A dict from the name of a split to a list of `SentencePair`.
    """
    train = _like_train(
        make_sampler(config, 1), SIZES["train"], lambda pair: not _is_reserved(pair)
    )
    known = _known_words(train)
    used = {pair.source for pair in train}

    def is_new(pair):
        free = pair.length > SHORT or _is_reserved(pair)
        return free and pair.source not in used and _words(pair) <= known

    validation = _like_train(make_sampler(config, 2), SIZES["validation"], is_new)
    used.update(pair.source for pair in validation)
    test = _even(make_sampler(config, 3), SIZES["test"], range(2, LONGEST + 1), is_new)
    long = _even(make_sampler(config, 4), SIZES["long"], range(LONGEST + 1, 81), is_new)
    return {"train": train, "validation": validation, "test": test, "long": long}


def make_sampler(config, seed):
    """Return an object whose `sentence(room)` draws a `SentencePair` of about `room` tokens."""
    if config not in CONFIGS:
        raise ValueError(
            f"The phrasebook has the configs {', '.join(CONFIGS)}. Received: config={config!r}"
        )
    language_pair = import_module(f"kerasseq.phrasebook.{CONFIGS[config]}.sampler")
    return language_pair.Sampler(Choice(seed))


def _like_train(sampler, size, accept):
    """Return a list of different sentences, most of them short."""
    rooms = TRAIN_ROOMS | TRAIN_TAIL
    pairs = {}
    while len(pairs) < size:
        pair = sampler.sentence(sampler.choice.weighted(rooms))
        if pair.length <= LONGEST and accept(pair):
            pairs.setdefault(pair.source, pair)
    return list(pairs.values())


def _even(sampler, size, lengths, accept):
    """Return a list of different sentences, as many of each length, sorted by length.

    A language has few sentences of two words. So the short lengths come first, and the other
    lengths share what the short lengths could not fill. The longest comes first among these, since
    a sentence is often a little shorter than its room.
    """
    pairs = {length: {} for length in lengths}
    short = [length for length in lengths if length <= SHORT]
    order = short + [length for length in reversed(lengths) if length > SHORT]
    chosen = []
    for i, length in enumerate(order):
        wanted = math.ceil((size - len(chosen)) / (len(order) - i))
        for _ in range(PATIENCE):
            if len(pairs[length]) >= wanted:
                break
            pair = sampler.sentence(length + sampler.choice.integer(0, 2))
            same_length = pairs.get(pair.length, {})
            if pair.length in pairs and len(same_length) < wanted and accept(pair):
                same_length.setdefault(pair.source, pair)
        chosen += list(pairs[length].values())[:wanted]
    return sorted(chosen, key=lambda pair: pair.length)


def _is_reserved(pair):
    """Whether train leaves a short sentence to the other splits: one in four, by its digest."""
    return pair.length <= SHORT and hashlib.sha256(pair.source.encode()).digest()[0] < 64


def _words(pair):
    """Return the words of both sides, each with its side."""
    source = {("source", token) for token in pair.source_tokens}
    return source | {("target", token) for token in pair.target_tokens}


def _known_words(pairs):
    counts = Counter()
    for pair in pairs:
        counts.update(("source", token) for token in pair.source_tokens)
        counts.update(("target", token) for token in pair.target_tokens)
    return {word for word, count in counts.items() if count >= MINIMUM_COUNT}
