"""The splits of the phrasebook and its TFDS builder."""

import hashlib
import statistics
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
import tensorflow_datasets as tfds

from kerasseq import phrasebook
from kerasseq.phrasebook import __main__ as command_line
from kerasseq.phrasebook import builder, corpus
from kerasseq.text import TextProcessor

SPLITS = ("train", "validation", "test", "long")
# sha256 of the lines "source TAB target" of a split. They change with the grammar, and then the
# version of the data set must change, too.
CHECKSUMS = {}
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


@pytest.fixture
def data_dir(config, tmp_path_factory, monkeypatch):
    """A folder with the prepared data set; the corpus is the one made above."""
    monkeypatch.setattr(builder, "make_corpus", corpora.__getitem__)
    folder = tmp_path_factory.getbasetemp() / "tfds"
    phrasebook.prepare(config, folder)
    return folder


def test_loads_by_name_in_the_direction_of_the_config(config, splits, data_dir):
    data = tfds.load(f"phrasebook/{config}", split="test", as_supervised=True, data_dir=data_dir)
    source, target = next(iter(data.batch(1_000).as_numpy_iterator()))
    assert [text.decode() for text in source] == [pair.source for pair in splits["test"]]
    assert [text.decode() for text in target] == [pair.target for pair in splits["test"]]


def test_subsplits_and_features(config, data_dir):
    data = tfds.load(f"phrasebook/{config}", split="train[:10%]", data_dir=data_dir)
    assert data.cardinality() == 2_000
    languages = config.split("_")
    assert set(data.element_spec) == {
        *languages,
        "sure",
        "possible",
        "construction",
        "distance",
        "depth",
    }


def test_load_examples(config, splits, data_dir):
    examples = phrasebook.load_examples(config, "long", data_dir)
    assert len(examples) == 1_000
    for example, pair in zip(examples[:100], splits["long"], strict=False):
        assert (example.source, example.target) == (pair.source, pair.target)
        np.testing.assert_array_equal(example.sure, np.array(pair.sure))
        np.testing.assert_array_equal(example.possible, np.array(pair.possible))
        assert example[4:] == (pair.construction, pair.distance, pair.depth)


def test_alignments_count_the_tokens_of_the_text_processor(config, data_dir):
    text = TextProcessor(level="word")
    for example in phrasebook.load_examples(config, "validation[:200]", data_dir):
        shape = [len(text.tokens(example.source)), len(text.tokens(example.target))]
        assert example.possible.max(axis=0).tolist() == [size - 1 for size in shape]


def test_preparing_is_quiet(config, splits, monkeypatch, tmp_path, capfd):
    few = {split: pairs[:10] for split, pairs in splits.items()}
    monkeypatch.setattr(builder, "make_corpus", lambda config: few)
    phrasebook.prepare(config, tmp_path)
    output = "".join(capfd.readouterr())
    assert "phrasebook" not in output.lower() and "it/s" not in output


def test_unknown_config():
    with pytest.raises(ValueError, match="Received: config='fr_en'"):
        corpus.make_sampler("fr_en", seed=0)
    with pytest.raises(ValueError, match="Received: config='fr_en'"):
        phrasebook.prepare("fr_en")


def test_command_line_prints_pairs(capsys):
    command_line.main(["--config", "zh_en", "--pairs", "3", "--seed", "1"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 12 and lines[0].endswith("。") and "=" in lines[3]


def test_two_processes_may_prepare_at_once(tmp_path):
    program = (
        "from kerasseq.phrasebook import builder, corpus, load_examples\n"
        "sampler = corpus.make_sampler('en_fr', 1)\n"
        "pairs = [sampler.sentence(8) for _ in range(50)]\n"
        "builder.make_corpus = lambda config: dict.fromkeys(corpus.SIZES, pairs)\n"
        f"assert len(load_examples('en_fr', 'train', {str(tmp_path)!r})) == 50\n"
    )
    processes = [subprocess.Popen([sys.executable, "-c", program]) for _ in range(2)]
    assert [process.wait(timeout=120) for process in processes] == [0, 0]
