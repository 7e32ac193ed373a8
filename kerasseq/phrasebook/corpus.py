"""The splits of the phrasebook: how many sentences, how long, and none in two of them.

| split | sentences | length in source tokens |
|---|---|---|
| train | 20,000 | mostly 2 to 12, with a tail to 40 |
| validation | 1,000 | as train |
| test | 1,000 | as even as the language allows from 2 to 40 |
| long | 1,000 | even from 41 to 80 |

The final period is not counted. A sentence belongs to train or to the other splits by a digest of
its source text, so no source sentence is in both. Every word of the other splits has been seen at
least `MINIMUM_COUNT` times in train: they ask for known words in new sentences.
"""

import hashlib
import math
from collections import Counter
from importlib import import_module

from kerasseq.phrasebook.choice import Choice

CONFIGS = {"en_fr": "english_french", "zh_en": "chinese_english"}
SIZES = {"train": 20_000, "validation": 1_000, "test": 1_000, "long": 1_000}
MINIMUM_COUNT = 5
LONGEST = 40
# Words that a sentence is given room for: weight.
TRAIN_ROOMS = {2: 3, 3: 4, 4: 6, 5: 8, 6: 9, 7: 9, 8: 9, 9: 9, 10: 8, 11: 7, 12: 6, 14: 5, 17: 4}
TRAIN_TAIL = {room: 0.75 for room in range(20, 41)}
EVEN_LENGTHS = {"test": range(2, 41), "long": range(41, 81)}
PATIENCE = 2_000


def make_corpus(config):
    """Writes the whole corpus of a config.

    Args:
        config: `"en_fr"` or `"zh_en"`.

    Returns:
        A dict from split name to a list of `SentencePair`. The same on every machine.
    """
    train = _like_train(make_sampler(config, seed=1), SIZES["train"], _is_train)
    known = _known_words(train)

    def is_held_out(pair):
        return not _is_train(pair) and _words(pair) <= known

    validation = _like_train(make_sampler(config, seed=2), SIZES["validation"], is_held_out)
    used = {pair.source for pair in validation}
    corpus = {"train": train, "validation": validation}
    for seed, (split, lengths) in enumerate(EVEN_LENGTHS.items(), start=3):
        sampler = make_sampler(config, seed)
        corpus[split] = _even(
            sampler,
            SIZES[split],
            lengths,
            lambda pair: is_held_out(pair) and pair.source not in used,
        )
    return corpus


def make_sampler(config, seed):
    """Returns an object whose `sentence(room)` draws a `SentencePair` of about `room` tokens."""
    if config not in CONFIGS:
        raise ValueError(
            f"The phrasebook has the configs {', '.join(CONFIGS)}. Received: config={config!r}"
        )
    language_pair = import_module(f"kerasseq.phrasebook.{CONFIGS[config]}.sampler")
    return language_pair.Sampler(Choice(seed))


def _like_train(sampler, size, accept):
    """Draws different sentences, most of them short."""
    rooms = TRAIN_ROOMS | TRAIN_TAIL
    pairs = {}
    while len(pairs) < size:
        pair = sampler.sentence(sampler.choice.weighted(rooms))
        if pair.length <= LONGEST and accept(pair):
            pairs.setdefault(pair.source, pair)
    return list(pairs.values())


def _even(sampler, size, lengths, accept):
    """Draws different sentences, as many of each length.

    A language has few sentences of two words: what a length cannot fill, the longer ones share.
    """
    pairs = {length: {} for length in lengths}
    chosen = []
    for i, length in enumerate(lengths):
        wanted = math.ceil((size - len(chosen)) / (len(lengths) - i))
        for _ in range(PATIENCE):
            if len(pairs[length]) >= wanted:
                break
            pair = sampler.sentence(length + sampler.choice.integer(0, 2))
            same_length = pairs.get(pair.length, {})
            if len(same_length) < wanted and pair.length in pairs and accept(pair):
                same_length.setdefault(pair.source, pair)
        chosen += list(pairs[length].values())[:wanted]
    return chosen


def _is_train(pair):
    """Whether a sentence may be in train: three in four of those up to 40 tokens."""
    return pair.length <= LONGEST and hashlib.sha256(pair.source.encode()).digest()[0] >= 64


def _words(pair):
    """Returns the words of both sides, told apart by language."""
    source = {("source", token) for token in pair.source_tokens}
    return source | {("target", token) for token in pair.target_tokens}


def _known_words(pairs):
    counts = Counter()
    for pair in pairs:
        counts.update(("source", token) for token in pair.source_tokens)
        counts.update(("target", token) for token in pair.target_tokens)
    return {word for word, count in counts.items() if count >= MINIMUM_COUNT}
