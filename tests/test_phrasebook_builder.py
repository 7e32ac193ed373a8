"""The TFDS builder of the phrasebook, on a small corpus, and once on the whole."""

import random
import subprocess
import sys

import numpy as np
import pytest
import tensorflow_datasets as tfds

from kerasseq import phrasebook
from kerasseq.phrasebook import builder, corpus
from kerasseq.text.processor import TextProcessor


@pytest.fixture(params=["en_fr", "zh_en"])
def config(request):
    return request.param


@pytest.fixture
def splits(config):
    sampler = corpus.make_sampler(config, seed=1)
    sizes = {"train": 200, "validation": 50, "test": 50, "long": 50}
    return {split: [sampler.sentence(12) for _ in range(size)] for split, size in sizes.items()}


@pytest.fixture
def data_dir(config, splits, tmp_path, monkeypatch):
    """A folder with the prepared data set."""
    monkeypatch.setattr(builder, "make_corpus", lambda config: splits)
    phrasebook.prepare(config, tmp_path)
    return tmp_path


def test_loads_by_name_in_the_direction_of_the_config(config, splits, data_dir):
    data = tfds.load(f"phrasebook/{config}", split="test", as_supervised=True, data_dir=data_dir)
    source, target = next(iter(data.batch(100).as_numpy_iterator()))
    assert [text.decode() for text in source] == [pair.source for pair in splits["test"]]
    assert [text.decode() for text in target] == [pair.target for pair in splits["test"]]


def test_subsplits_and_features(config, data_dir):
    data = tfds.load(f"phrasebook/{config}", split="train[:10%]", data_dir=data_dir)
    assert data.cardinality() == 20
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
    assert len(examples) == 50
    for example, pair in zip(examples, splits["long"], strict=True):
        assert (example.source, example.target) == (pair.source, pair.target)
        np.testing.assert_array_equal(example.sure, np.array(pair.sure))
        np.testing.assert_array_equal(example.possible, np.array(pair.possible))
        assert example[4:] == (pair.construction, pair.distance, pair.depth)


@pytest.mark.slow
def test_alignments_count_the_tokens_of_the_text_processor(config, data_dir):
    text = TextProcessor(level="word")
    for example in phrasebook.load_examples(config, "train", data_dir):
        shape = [len(text.tokens(example.source)), len(text.tokens(example.target))]
        assert example.possible.max(axis=0).tolist() == [size - 1 for size in shape]


def test_preparing_is_quiet(config, splits, monkeypatch, tmp_path, capfd):
    monkeypatch.setattr(builder, "make_corpus", lambda config: splits)
    phrasebook.prepare(config, tmp_path)
    output = "".join(capfd.readouterr())
    assert "phrasebook" not in output.lower() and "it/s" not in output


def test_preparing_draws_no_random_numbers(config, splits, monkeypatch, tmp_path):
    """The first weights of a model do not depend on whether its data were there already."""
    monkeypatch.setattr(builder, "make_corpus", lambda config: splits)
    random.seed(0)
    state = random.getstate()
    phrasebook.prepare(config, tmp_path)
    assert random.getstate() == state


def test_unknown_config():
    with pytest.raises(ValueError, match="Received: config='fr_en'"):
        phrasebook.prepare("fr_en")


@pytest.mark.slow
def test_the_whole_data_set(config, tmp_path):
    prepared = phrasebook.prepare(config, tmp_path)
    sizes = {split: info.num_examples for split, info in prepared.info.splits.items()}
    assert sizes == corpus.SIZES


@pytest.mark.slow
def test_two_processes_may_prepare_at_once(tmp_path):
    program = (
        "import random; random.seed(0)\n"  # as `keras.utils.set_random_seed` does
        "from kerasseq.phrasebook import builder, corpus, load_examples\n"
        "sampler = corpus.make_sampler('en_fr', 1)\n"
        "pairs = [sampler.sentence(8) for _ in range(50)]\n"
        "builder.make_corpus = lambda config: dict.fromkeys(corpus.SIZES, pairs)\n"
        f"assert len(load_examples('en_fr', 'train', {str(tmp_path)!r})) == 50\n"
    )
    processes = [subprocess.Popen([sys.executable, "-c", program]) for _ in range(2)]
    assert [process.wait(timeout=120) for process in processes] == [0, 0]
