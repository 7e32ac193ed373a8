import gzip
import hashlib
import urllib.parse

import pytest
import tensorflow_datasets as tfds
from tensorflow_datasets.core.download import checksums

from kerasseq import load_pairs, multi30k
from kerasseq.data import default_splits

CONFIGS = ("de_en", "fr_en", "cs_en")
LINES = {"de": ["Ein Hund.", "Zwei Männer\u2028\rlaufen."], "en": ["A dog.", "Two men run."]}
SPLITS = ("train", "val", "test_2016_flickr", "test_2017_flickr", "test_2017_mscoco")


class FakeDownloads:
    def download(self, addresses):
        self.addresses = addresses
        return addresses


def addresses_of(config, tmp_path):
    downloads = FakeDownloads()
    builder = multi30k.Multi30k(config=config, data_dir=tmp_path)
    builder._generate_examples = lambda files: files
    builder._split_generators(downloads)
    return downloads.addresses


def test_each_file_has_an_address_and_a_checksum(tmp_path):
    known = multi30k.Multi30k.url_infos
    asked = [addresses_of(config, tmp_path) for config in CONFIGS]
    asked = {address for one in asked for split in one.values() for address in split.values()}
    assert asked == set(known)
    for address, info in known.items():
        assert address.startswith("https://raw.githubusercontent.com/multi30k/dataset/")
        assert info.filename == urllib.parse.urlparse(address).path.split("/")[-1]
        assert len(info.checksum) == 64 and info.size > 5_000


def test_czech_lacks_the_test_sets_of_2017(tmp_path):
    assert set(addresses_of("cs_en", tmp_path)) == {"train", "validation", "test_2016_flickr"}
    assert set(addresses_of("de_en", tmp_path)) == {
        *("train", "validation", "test_2016_flickr", "test_2017_flickr", "test_2017_mscoco")
    }


@pytest.fixture
def data_dir(tmp_path, monkeypatch):
    """A folder of TFDS with small files in the place for manual downloads."""
    manual = tmp_path / "downloads" / "manual"
    manual.mkdir(parents=True)
    infos = {}
    for split in SPLITS:
        for language, lines in LINES.items():
            file = manual / f"{split}.{language}.gz"
            file.write_bytes(gzip.compress("".join(line + "\n" for line in lines).encode()))
            [address] = [one for one in multi30k.Multi30k.url_infos if one.endswith(file.name)]
            content = file.read_bytes()
            infos[address] = checksums.UrlInfo(
                len(content), hashlib.sha256(content).hexdigest(), file.name
            )
    monkeypatch.setattr(multi30k.Multi30k, "url_infos", infos)
    return tmp_path


def test_local_copies_are_prepared_without_a_network(data_dir):
    pairs = load_pairs("multi30k/de_en", "de", "en", "validation", data_dir=data_dir)
    read = [tuple(text.decode() for text in pair) for pair in pairs.as_numpy_iterator()]
    assert read == list(zip(LINES["de"], LINES["en"], strict=True))
    backward = load_pairs("multi30k/de_en", "en", "de", "train", data_dir=data_dir)
    assert next(backward.as_numpy_iterator())[0] == b"A dog."
    splits = default_splits("multi30k/de_en", "de", "en", data_dir=data_dir)
    assert splits == ("train", "validation", "test_2016_flickr")


def test_tfds_loads_it(data_dir):
    data = tfds.load("multi30k/de_en", split="train", as_supervised=True, data_dir=data_dir)
    assert [text.numpy().decode() for text in next(iter(data))] == ["Ein Hund.", "A dog."]


def test_another_file_of_the_name_is_refused(data_dir):
    (data_dir / "downloads" / "manual" / "train.de.gz").write_bytes(gzip.compress(b"other\n"))
    with pytest.raises(
        FileNotFoundError, match=r"multi30k/de_en/1.0.0 is not in .* could not be prepared"
    ):
        load_pairs("multi30k/de_en", "de", "en", data_dir=data_dir)


def test_an_unknown_config_names_those_that_there_are(tmp_path):
    with pytest.raises(ValueError, match=r"multi30k/de_en.*multi30k/cs_en"):
        load_pairs("multi30k/it_en", "it", "en", data_dir=tmp_path)
