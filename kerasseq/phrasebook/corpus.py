"""The splits of the phrasebook: how many sentences, how long, and none in two of them.

| split | sentences | length in source tokens |
|---|---|---|
| train | 20,000 | mostly 2 to 12, with a tail to 40 |
| validation | 1,000 | as train |
| test | 1,000 | as even as the language allows from 2 to 40 |
| long | 1,000 | even from 41 to 80 |

The final period is not counted. No source sentence is in two splits: train is drawn first, but
leaves one in four of the short sentences, of which there are few, to the others. Every word of the
other splits stands at least `MINIMUM_COUNT` times in train: they ask for known words in new
sentences.
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
SHORT = 6  # so many tokens or fewer, and the sentences of the language can be counted
# Words that a sentence is given room for: weight.
TRAIN_ROOMS = {2: 2, 3: 3, 4: 5, 5: 6, 6: 7, 7: 8, 8: 9, 9: 9, 10: 9, 11: 8, 12: 7, 14: 6, 17: 5}
TRAIN_TAIL = {room: 1 for room in range(21, 42)}
PATIENCE = 2_000


def make_corpus(config):
    """Write the whole corpus of a config.

    Args:
        config: `"en_fr"` or `"zh_en"`.

    Returns:
        A dict from split name to a list of `SentencePair`. The same on every machine.
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
    """Draw different sentences, most of them short."""
    rooms = TRAIN_ROOMS | TRAIN_TAIL
    pairs = {}
    while len(pairs) < size:
        pair = sampler.sentence(sampler.choice.weighted(rooms))
        if pair.length <= LONGEST and accept(pair):
            pairs.setdefault(pair.source, pair)
    return list(pairs.values())


def _even(sampler, size, lengths, accept):
    """Draw different sentences, as many of each length, and sorts them by length.

    A language has few sentences of two words: what a length cannot fill, the others share. They
    are filled from the longest down, as a sentence comes out a little shorter than its room.
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
    """Whether a short sentence is kept out of train: one in four, by a digest of its source."""
    return pair.length <= SHORT and hashlib.sha256(pair.source.encode()).digest()[0] < 64


def _words(pair):
    """Return the words of both sides, told apart by language."""
    source = {("source", token) for token in pair.source_tokens}
    return source | {("target", token) for token in pair.target_tokens}


def _known_words(pairs):
    counts = Counter()
    for pair in pairs:
        counts.update(("source", token) for token in pair.source_tokens)
        counts.update(("target", token) for token in pair.target_tokens)
    return {word for word, count in counts.items() if count >= MINIMUM_COUNT}
