"""The splits of the phrasebook."""

import hashlib
import statistics
from collections import Counter

import pytest

from kerasseq.phrasebook import __main__ as command_line
from kerasseq.phrasebook import corpus

SPLITS = ("train", "validation", "test", "long")
# sha256 of the lines "source TAB target" of a split. They change with the grammar, and then the
# version of the data set must change, too.
CHECKSUMS = {
    ("en_fr", "train"): "463fcf63322c24c6",
    ("en_fr", "validation"): "cf2ab64e55a283cf",
    ("en_fr", "test"): "2c012c0cfb591260",
    ("en_fr", "long"): "bdd117923649f82a",
    ("zh_en", "train"): "422d2fa5115a85da",
    ("zh_en", "validation"): "011b9d4b2bea36f2",
    ("zh_en", "test"): "2ffe1a393d79fae7",
    ("zh_en", "long"): "f6c3e333a5f137c6",
}
corpora = {}


@pytest.fixture(scope="module", params=["en_fr", "zh_en"])
def config(request):
    if request.param not in corpora:
        corpora[request.param] = corpus.make_corpus(request.param)
    return request.param


@pytest.fixture
def splits(config):
    return corpora[config]


def test_sizes(splits):
    assert {split: len(pairs) for split, pairs in splits.items()} == {
        "train": 20_000,
        "validation": 1_000,
        "test": 1_000,
        "long": 1_000,
    }


def test_the_same_on_every_machine(config, splits):
    for split in SPLITS:
        lines = "".join(f"{pair.source}\t{pair.target}\n" for pair in splits[split])
        digest = hashlib.sha256(lines.encode()).hexdigest()[:16]
        assert digest == CHECKSUMS[config, split], (config, split, digest)


def test_train_is_mostly_short_with_a_tail(splits):
    lengths = [len(pair.source_tokens) - 1 for pair in splits["train"]]
    assert 8 <= statistics.median(lengths) <= 10
    assert sum(length > 20 for length in lengths) >= 0.15 * len(lengths)
    assert max(lengths) == 40


def test_test_is_even_from_2_to_40(splits):
    counts = Counter(len(pair.source_tokens) - 1 for pair in splits["test"])
    assert sorted(counts) == list(range(2, 41))
    assert all(20 <= counts[length] <= 30 for length in range(4, 41))


def test_long_is_even_from_41_to_80(splits):
    counts = Counter(len(pair.source_tokens) - 1 for pair in splits["long"])
    assert counts == {length: 25 for length in range(41, 81)}


def test_no_sentence_is_in_two_splits_or_twice_in_one(splits):
    sources = [pair.source for pairs in splits.values() for pair in pairs]
    assert len(set(sources)) == len(sources) == 23_000


def test_a_source_has_one_translation(config):
    """Short sentences come again and again; so do the ambiguous ones, if there are any."""
    sampler = corpus.make_sampler(config, seed=77)
    target = {}
    again = 0
    for i in range(12_000):
        pair = sampler.sentence(2 + i % 6)
        again += pair.source in target
        assert target.setdefault(pair.source, pair.target) == pair.target
    assert again > 1_000


def test_words_and_constructions_are_known_from_train(splits):
    def words(pairs, side):
        return Counter(token for pair in pairs for token in getattr(pair, f"{side}_tokens"))

    for side in ("source", "target"):
        known = words(splits["train"], side)
        for split in SPLITS[1:]:
            assert min(known[token] for token in words(splits[split], side)) >= 5
    constructions = {pair.construction for pair in splits["train"]}
    for split in SPLITS[1:]:
        assert {pair.construction for pair in splits[split]} <= constructions


def test_sentences_nest(splits):
    depths = Counter(pair.depth for pair in splits["train"])
    assert depths[1] > 1_000 and depths[2] > 100 and depths[3] > 10


def test_unknown_config():
    with pytest.raises(ValueError, match="Received: config='fr_en'"):
        corpus.make_sampler("fr_en", seed=0)


def test_command_line_prints_pairs(capsys):
    command_line.main(["--config", "zh_en", "--pairs", "3", "--seed", "1"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 12 and lines[0].endswith("。") and "=" in lines[3]
