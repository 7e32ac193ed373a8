import logging
import random
import time
from unittest import mock

import pytest
import requests
import tensorflow as tf
import tensorflow_datasets as tfds
from tensorflow_datasets.core.download import downloader

from kerasseq import runtime
from kerasseq.data import default_splits, load_pairs, network
from kerasseq.data.tfds_sets import TfdsPairs

tfds.disable_progress_bar()
SENTENCES = [("one", "un"), ("two", "deux"), ("three", "trois"), ("four", "quatre")] * 5


class _Tiny(tfds.core.GeneratorBasedBuilder):
    VERSION = tfds.core.Version("1.0.0")

    def _split_generators(self, dl_manager):
        return {"train": self._generate_examples(20), "valid": self._generate_examples(4)}


class TinyPairs(_Tiny):
    """French first in `supervised_keys`; sentences end in line feeds."""

    def _info(self):
        languages = tfds.features.Translation(("en", "fr"))
        return tfds.core.DatasetInfo(builder=self, features=languages, supervised_keys=("fr", "en"))

    def _generate_examples(self, size):
        for key, (english, french) in enumerate(SENTENCES[:size]):
            yield key, {"en": f"{english}\n", "fr": f"{french}\r\n"}


class TinyTalks(_Tiny):
    """Many languages, of which a sentence may lack some, as in ted_multi_translate."""

    def _info(self):
        languages = tfds.features.TranslationVariableLanguages(("de", "en", "fr"))
        return tfds.core.DatasetInfo(
            builder=self,
            features=tfds.features.FeaturesDict(
                {"translations": languages, "talk_name": tfds.features.Text()}
            ),
        )

    def _generate_examples(self, size):
        texts = {"de": "eins", "en": "one", "fr": ["un", "une"]}
        rows = [texts, {"de": "zwei", "en": "two"}, {"de": "drei", "en": "three", "fr": "__NULL__"}]
        for key, row in enumerate([*rows, {"fr": "quatre", "en": "four\n"}]):
            yield key, {"translations": row, "talk_name": "talk"}


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory):
    return tmp_path_factory.mktemp("tfds")


def read(*args, **kwargs):
    pairs = load_pairs(*args, **kwargs)
    return [tuple(text.decode() for text in row) for row in pairs.as_numpy_iterator()]


def test_the_direction_is_as_asked_and_line_ends_are_removed(data_dir):
    rows = read("tiny_pairs", "en", "fr", data_dir=data_dir)
    assert sorted(rows) == sorted(SENTENCES)
    assert sorted(read("tiny_pairs", "fra", "eng", data_dir=data_dir)) == sorted(
        row[::-1] for row in SENTENCES
    )


def test_preparing_draws_no_random_numbers(tmp_path):
    random.seed(0)
    state = random.getstate()
    read("tiny_pairs", "en", "fr", data_dir=tmp_path)
    assert random.getstate() == state


def test_parts_and_sums(data_dir):
    rows = read("tiny_pairs", "en", "fr", data_dir=data_dir)
    assert read("tiny_pairs", "en", "fr", "train[:10%]", data_dir) == rows[:2]
    assert len(read("tiny_pairs", "en", "fr", "train[18:]+validation", data_dir)) == 2 + 4
    assert int(load_pairs("tiny_pairs", "en", "fr", "train[5:]", data_dir).cardinality()) == 15


def test_default_splits(data_dir):
    splits = default_splits("tiny_pairs", "en", "fr", data_dir=data_dir)
    assert splits == ("train[:95%]", "valid", "train[95%:]")


def test_variable_languages_keep_the_sentences_that_have_both(data_dir):
    rows = read("tiny_talks", "fr", "en", data_dir=data_dir)
    assert sorted(rows) == [("quatre", "four"), ("un", "one")]
    assert len(read("tiny_talks", "de", "en", data_dir=data_dir)) == 3


def test_data_dir_from_the_environment(data_dir, monkeypatch):
    read("tiny_pairs", "en", "fr", data_dir=data_dir)
    monkeypatch.setattr(tfds.core.constants, "DATA_DIR", str(data_dir))
    monkeypatch.setattr(TinyPairs, "_generate_examples", None)  # prepared data only
    assert len(read("tiny_pairs", "en", "fr")) == 20


def mocked(name, source, target, split="train", **features):
    """Loads a real TFDS set whose rows are the given ones."""

    def rows(self, *args, **kwargs):
        return tf.data.Dataset.from_tensor_slices(features)

    with (
        tfds.testing.mock_data(as_dataset_fn=rows),
        mock.patch.object(TfdsPairs, "split_names", lambda *_: ["train", "valid"]),
    ):
        return read(name, source, target, split)


@pytest.mark.parametrize(
    ("name", "source", "target", "columns"),
    [
        ("ted_hrlr_translate/pt_to_en", "pt", "en", ("pt", "en")),
        ("ted_hrlr_translate/pt_to_en", "eng", "por", ("en", "pt")),
        ("ted_hrlr_translate/aztr_to_en", "en", "az_tr", ("en", "az_tr")),
        ("opus/medical", "en", "de", ("en", "de")),
        ("wmt14_translate/de-en", "en", "de", ("en", "de")),
        ("para_crawl/enfr", "fr", "en", ("fr", "en")),
        ("flores/neen", "ne", "en", ("ne", "en")),
        ("tatoeba/tatoeba_fr", "fr", "en", ("source_sentence", "target_sentence")),
        ("tatoeba/tatoeba_fr", "en", "fr", ("target_sentence", "source_sentence")),
        ("bucc/bucc_de", "en", "de", ("target_sentence", "source_sentence")),
        ("mtnt/en-fr", "fr", "en", ("dst", "src")),
        ("mtnt/fr-en", "fr", "en", ("src", "dst")),
    ],
)
def test_the_columns_of_real_sets(name, source, target, columns):
    features = dict(zip(columns, (["a\n", "b"], ["A\n", "B"]), strict=True))
    assert mocked(name, source, target, **features) == [("a", "A"), ("b", "B")]


def test_ted_multi_translate():
    language = tf.ragged.constant([["en", "fr"], ["de", "en"], ["en", "fr"]])
    translation = tf.ragged.constant([["one", "un"], ["zwei", "two"], ["__NULL__", "trois"]])
    features = {"translations": {"language": language, "translation": translation}}
    assert mocked("ted_multi_translate", "fr", "en", **features) == [("un", "one")]


def no_answer(*args, **kwargs):
    raise requests.ConnectionError("no network")


@pytest.mark.parametrize("name", ["ted_hrlr_translate/pt_to_en", "ted_multi_translate"])
def test_a_set_that_cannot_be_downloaded_fails_at_once(name, tmp_path, monkeypatch):
    monkeypatch.setattr(requests, "head", no_answer)
    before = downloader._open_url
    started = time.perf_counter()
    with pytest.raises(FileNotFoundError) as caught:
        load_pairs(name, "pt", "en", data_dir=tmp_path)
    assert time.perf_counter() - started < 10
    message = str(caught.value)
    for part in (name, f"{tmp_path} ", "phontron.com", "downloads/manual", "phrasebook/en_fr"):
        assert part in message
    assert len(message) < 600
    assert downloader._open_url is before
    assert caught.value.__suppress_context__


def test_a_host_that_answers_is_downloaded_from_as_ever(monkeypatch):
    asked = []
    monkeypatch.setattr(requests, "head", lambda host, **_: asked.append(host))
    opened = mock.Mock(return_value="response")
    monkeypatch.setattr(downloader, "_open_url", opened)
    with network.fail_fast():
        for _ in range(2):
            assert downloader._open_url("https://a.org/b?c", verify=True) == "response"
    opened.assert_called_with("https://a.org/b?c", verify=True)
    assert asked == ["https://a.org"]


def test_a_host_that_never_answers_is_given_up(monkeypatch):
    monkeypatch.setattr(network, "_SECONDS", 0.05)
    monkeypatch.setattr(requests, "head", lambda *_, **__: time.sleep(5))
    with network.fail_fast(), pytest.raises(ConnectionError, match=r"a\.org/b .*no answer"):
        downloader._open_url("https://a.org/b")


def test_files_in_downloads_manual_need_no_network(tmp_path, monkeypatch):
    monkeypatch.setattr(requests, "head", no_answer)
    manual = tmp_path / "downloads" / "manual"
    manual.mkdir(parents=True)
    infos = {}
    builder = tfds.builder("tatoeba/tatoeba_fr", data_dir=tmp_path)
    for url in builder.url_infos:
        if ".fra-eng." in url:
            file = manual / url.rpartition("/")[2]
            file.write_text("".join(f"{file.suffix} {i}\n" for i in range(1000)))
            infos[url] = tfds.core.download.checksums.compute_url_info(file)
    with mock.patch.object(type(builder), "url_infos", infos):
        rows = read("tatoeba/tatoeba_fr", "en", "fr", data_dir=tmp_path)
    assert len(rows) == 1000
    assert sorted(rows)[0] == (".eng 0", ".fra 0")


def test_the_log_level_is_restored():
    logger = logging.getLogger("absl")
    level = logger.level
    with runtime.quiet():
        assert not logger.isEnabledFor(logging.WARNING)
    assert logger.level == level


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("ted_hrlr", "Similar names: ted_hrlr_translate[.,].*dataset='ted_hrlr'"),
        ("zzzzzz", "existing file or folder.*no similar name.*dataset='zzzzzz'"),
        ("opus/de-en", "'opus/medical', 'opus/law'.*dataset='opus/de-en'"),
        ("wmt_translate", "can only be instantiated with.*dataset='wmt_translate'"),
        ("Bad Name!", "dataset='Bad Name!'"),
        ("mnist", "two languages.*mnist with the features .'image', 'label'"),
        ("ted_hrlr_translate/pt_to_en", "`source`.*.'en', 'pt'.*source='de'"),
        ("tatoeba/tatoeba_fr", "`source`.*.'en', 'fr'.*source='de'"),
        ("ted_multi_translate", "`source`.*.'ar', .*source='xx'"),
    ],
)
def test_names_and_languages_that_do_not_exist(name, message, tmp_path):
    source = "xx" if name == "ted_multi_translate" else "de"
    with pytest.raises(ValueError, match=message) as caught:
        load_pairs(name, source, "en", data_dir=tmp_path)
    assert len(str(caught.value)) < 700


def test_a_split_that_does_not_exist(data_dir):
    with pytest.raises(ValueError, match=r"\['train', 'valid'\].*split='test'"):
        load_pairs("tiny_pairs", "en", "fr", split="test", data_dir=data_dir)


def test_phrasebook_needs_no_network(tmp_path):
    phrasebook = pytest.importorskip("kerasseq.phrasebook")
    prepare = mock.Mock(return_value=tfds.builder("tiny_pairs", data_dir=tmp_path))
    with mock.patch.object(phrasebook, "prepare", prepare, create=True):
        assert len(read("phrasebook/en_fr", "fr", "en", data_dir=tmp_path)) == 20
    prepare.assert_called_once_with("en_fr", tmp_path)
