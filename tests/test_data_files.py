import gzip

import pytest

from kerasseq.data import Splits, default_splits, load_pairs, to_lists
from kerasseq.data.find_languages import find_languages
from kerasseq.data.splits import choose_splits, parse_split
from kerasseq.data.text_files import Table


def write(folder, **files):
    """Writes files; `train_de` becomes train.de."""
    for name, text in files.items():
        data = text if isinstance(text, bytes) else text.encode("utf-8")
        (folder / name.replace("__", ".")).write_bytes(data)
    return folder


def read(*args, **kwargs):
    pairs = load_pairs(*args, **kwargs)
    rows = [tuple(text.decode() for text in row) for row in pairs.as_numpy_iterator()]
    assert int(pairs.cardinality()) == len(rows)
    return rows


@pytest.fixture
def parallel(tmp_path):
    numbers = "\n".join(map(str, range(20)))
    write(tmp_path, train__de=f"{numbers}\n", val__de="a\nb", test_2017__de="x\n")
    write(tmp_path, train__en=numbers.replace("1", "one "), val__en="A\nB\n", test_2017__en="X")
    write(tmp_path, test_2016__de="y\n", test_2016__en="Y\n", test_2017__fr="z\n")
    return write(tmp_path, README__md="# read", LICENSE="free")


def test_parallel_files(parallel):
    rows = read(parallel, "de", "en")
    assert len(rows) == 20 and rows[:2] == [("0", "0"), ("1", "one ")]
    assert read(str(parallel), "en", "de", split="val") == [("A", "a"), ("B", "b")]


def test_to_lists_gives_the_texts_of_each_side_in_order(parallel):
    assert to_lists(load_pairs(parallel, "en", "de", split="val")) == (["A", "B"], ["a", "b"])
    assert to_lists(load_pairs(parallel, "en", "de", split="val").take(0)) == ([], [])


@pytest.mark.parametrize("name", ["validation", "valid", "val", "dev"])
def test_the_names_of_validation_are_the_same(parallel, name):
    assert read(parallel, "de", "en", split=name) == [("a", "A"), ("b", "B")]


@pytest.mark.parametrize(
    ("split", "expected"),
    [
        ("train[:10%]", ["0", "1"]),
        ("train[:3]", ["0", "1", "2"]),
        ("train[90%:]", ["18", "19"]),
        ("train[-1:]", ["19"]),
        ("train[25%:35%]", ["5", "6"]),
        ("train[:1]+test_2016 + val[1:]", ["0", "y", "b"]),
        ("train[18:100]", ["18", "19"]),
    ],
)
def test_parts_and_sums_of_splits(parallel, split, expected):
    assert [source for source, _ in read(parallel, "de", "en", split=split)] == expected


def test_gzip_is_read(tmp_path):
    write(tmp_path, dev__fr__gz=gzip.compress("été\nà\n".encode()), dev__en="summer\nto\n")
    assert read(tmp_path, "fra", "eng", split="validation") == [("été", "summer"), ("à", "to")]


def test_a_lone_carriage_return_does_not_shift_the_lines(tmp_path):
    write(tmp_path, train__en="\ufeffone\r\ntwo\rstill two\nthree\n", train__fr="1\n2\n3")
    assert read(tmp_path, "en", "fr") == [("one", "1"), ("two\rstill two", "2"), ("three", "3")]


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("ceb", "ceb"),
        ("EN", "en"),
        ("eng_Latn", "en"),
        ("zh-yue", "yue"),
        ("pt_BR", "pt-br"),
        ("zh_Hant_TW", "zh-hant-tw"),
        ("es-419", "es-419"),
    ],
)
def test_files_in_any_language_are_found(tmp_path, code, wanted):
    write(tmp_path, **{"train__de": "eins", f"train__{code}": "one"})
    assert read(tmp_path, "de", wanted) == [("eins", "one")]


@pytest.mark.parametrize(
    ("name", "languages"),
    [
        ("de-en.tsv", ["de", "en"]),
        ("DE-EN.TSV", ["de", "en"]),
        ("ceb.txt", ["ceb", "en"]),
        ("pt-br.tsv", ["br", "pt"]),
        ("pt_BR-en.tsv", ["en", "pt_br"]),
        ("en-pt-BR.tsv", ["en", "pt-br"]),
        ("zh-Hant-TW_en.txt.gz", ["en", "zh-hant-tw"]),
        ("eng_Latn-fra_Latn.tsv", ["eng_latn", "fra_latn"]),
        ("zh_Hant.tsv", ["en", "zh_hant"]),
    ],
)
def test_the_name_of_a_table_tells_its_languages(tmp_path, name, languages):
    (tmp_path / name).touch()
    assert Table(tmp_path / name).languages == languages


@pytest.mark.parametrize("name", ["en-pt-br.tsv", "en-fr-de.tsv", "pairs.txt", "en.csv"])
def test_the_name_of_a_table_must_tell_its_languages(tmp_path, name):
    with pytest.raises(ValueError, match=f"must state the languages.*{name}"):
        Table(tmp_path / name)


TABLE = "Hi.\t嗨。\tCC-BY\nHi.\t你好。\tCC-BY\n" + "".join(
    f"Row {i}\t行{i}\tx\n" for i in range(1000)
)


def test_table_with_english_first(tmp_path):
    write(tmp_path, cmn__txt__gz=gzip.compress(TABLE.encode()), _about__txt="About")
    train, validation, test = (
        read(tmp_path, "zh", "en", split=split) for split in ("train", "validation", "test")
    )
    written = [tuple(line.split("\t")[1::-1]) for line in TABLE.splitlines()]
    assert sorted(train + validation + test) == sorted(written)
    assert 920 < len(train) < 960 and 10 < len(validation) < 50 and 10 < len(test) < 50


def test_table_keeps_the_translations_of_a_sentence_together(tmp_path):
    lines = [f"Row {i // 5}\t{i}\n" for i in range(1000)]
    file = write(tmp_path, eng_fra__txt="".join(lines)) / "eng_fra.txt"
    parts = {}
    for split in ("train", "validation", "test"):
        for english, _ in read(file, "en", "fr", split=split):
            parts.setdefault(english, set()).add(split)
        assert read(file, "fr", "en", split=split) == [
            row[::-1] for row in read(file, "en", "fr", split=split)
        ]
    assert all(len(splits) == 1 for splits in parts.values())


def test_split_of_a_table_never_changes(tmp_path):
    file = write(tmp_path, **{"de-en__tsv": "eins\tone\nzwei\ttwo\ndrei\tthree\nvier\tfour\n"})
    assert read(file, "de", "en", split="validation+test") == []
    assert read(file / "de-en.tsv", "en", "de", split="train[1:3]") == [
        ("two", "zwei"),
        ("three", "drei"),
    ]


def test_default_splits_of_files(parallel, tmp_path):
    assert default_splits(parallel, "de", "en") == Splits("train", "val", "test_2016")
    table = tmp_path / "table"
    table.mkdir()
    write(table, fra__txt="Hi.\tSalut.\n")
    assert default_splits(table, "en", "fr") == ("train", "validation", "test")


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["train"], ("train[:90%]", "train[90%:95%]", "train[95%:]")),
        (["train", "valid"], ("train[:95%]", "valid", "train[95%:]")),
        (["train", "test_b", "test_a"], ("train[:95%]", "train[95%:]", "test_a")),
        (["train", "dev", "test_a", "test"], ("train", "dev", "test")),
    ],
)
def test_default_splits_fill_what_is_missing(names, expected):
    assert choose_splits("set", names) == expected


def test_parts_can_be_written_for_tfds():
    parts = parse_split("set", ["train", "valid"], "train[:10%] + dev[-5:] + train[3:]+valid")
    assert [str(part) for part in parts] == ["train[:10%]", "valid[-5:]", "train[3:]", "valid"]


def test_wrong_languages_and_splits_name_those_that_exist(parallel):
    with pytest.raises(ValueError, match=r"`target`.*\['de', 'en', 'fr'\].*target='es'"):
        load_pairs(parallel, "de", "es")
    with pytest.raises(ValueError, match=r"two languages.*source='de', target='deu'"):
        load_pairs(parallel, "de", "deu")
    with pytest.raises(ValueError, match=r"'test_2016', 'test_2017', 'train', 'val'.*split='test'"):
        load_pairs(parallel, "de", "en", split="test")
    with pytest.raises(ValueError, match=r"`split`.*\['test_2017'\].*split='train'"):
        load_pairs(parallel, "de", "fr", split="train")


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (("no", "en"), ("no", "en")),
        (("nob", "eng"), ("nb", "en")),
        (("cmn", "zho"), ("cmn", "zh")),
        (("az_tr", "fr-ca"), ("az_tr", "fr-ca")),
        (("zh_CN", "calv"), ("zh-cn", "calv")),
    ],
)
def test_languages_are_found_as_the_set_writes_them(wanted, found):
    languages = ["no", "nb", "en", "cmn", "zh", "zh-cn", "az_tr", "calv", "fr-ca", "fr"]
    assert find_languages("set", languages, *wanted) == found


@pytest.mark.parametrize("split", ["train[", "train[a:b]", "", None, "train[5]", "train,val"])
def test_a_split_that_cannot_be_read(parallel, split):
    with pytest.raises(ValueError, match="parts and sums"):
        load_pairs(parallel, "de", "en", split=split)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "must hold parallel files.*with \\[\\]"),
        ({"train__de": "a\n"}, r"must hold parallel files.*\['train.de'\]"),
        ({"fra__txt": "a\tb\n", "deu__txt": "a\tb\n"}, "one table"),
        ({"train__de": "a\nb\n", "train__en": "a\n"}, r"train\.de has 2, .*train\.en has 1"),
        ({"train__de": b"a\nb\n\xff\n", "train__en": "a\nb\nc\n"}, r"UTF-8.*train\.de, line 3"),
        ({"train__de__gz": b"no", "train__en": "a\n"}, r"whole.*train\.de\.gz"),
        (
            {"train__de__gz": gzip.compress(b"a\n" * 999)[:-9], "train__en": "a\n"},
            r"whole.*train\.de\.gz",
        ),
        ({"de-en__tsv": "a\tb\nno tab\n"}, "tab between.*de-en.tsv, line 2: 'no tab'"),
    ],
)
def test_bad_files(tmp_path, files, message):
    with pytest.raises(ValueError, match=message):
        load_pairs(write(tmp_path, **files), "de", "en")


def test_a_table_must_tell_its_languages(tmp_path):
    with pytest.raises(ValueError, match=r"must state the languages.*sentences\.tsv"):
        load_pairs(write(tmp_path, sentences__tsv="a\tb\n") / "sentences.tsv", "de", "en")


@pytest.mark.parametrize("name", ["nowhere", "nowhere.tsv"])
def test_what_does_not_exist_is_named(tmp_path, name):
    with pytest.raises(FileNotFoundError, match=f"{tmp_path / name}"):
        load_pairs(str(tmp_path / name), "de", "en")


@pytest.mark.parametrize("dataset", [None, 3, ""])
def test_dataset_must_be_a_name_or_path(dataset):
    with pytest.raises(ValueError, match="name or a path"):
        load_pairs(dataset, "de", "en")


@pytest.mark.parametrize("name", ["phrasebook/en_fr", "multi30k", "ted_hrlr_translate/pt_to_en"])
def test_a_set_and_a_folder_of_one_name_must_be_told_apart(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / name
    folder.mkdir(parents=True)
    write(folder, train__en="one\n", train__fr="un\n")
    with pytest.raises(ValueError, match=f'use "tfds:{name}" or "./{name}". Received: dataset='):
        load_pairs(name, "en", "fr")
    for spelling in (f"./{name}", f"{name}/", folder, str(folder)):
        assert read(spelling, "en", "fr") == [("one", "un")]


def test_what_tfds_prepared_in_the_working_directory_is_the_set(data_dir, monkeypatch):
    monkeypatch.chdir(data_dir)
    assert (data_dir / "phrasebook" / "en_fr").is_dir()
    assert len(load_pairs("phrasebook/en_fr", "en", "fr", "test", data_dir=".")) == 32


def test_a_set_may_be_named_with_tfds_before_it(data_dir, tmp_path, monkeypatch):
    (tmp_path / "phrasebook" / "en_fr").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    splits = default_splits("tfds:phrasebook/en_fr", "en", "fr", data_dir=data_dir)
    assert splits == ("train", "validation", "test")


def test_a_folder_whose_name_is_no_set_needs_no_more(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_texts").mkdir()
    write(tmp_path / "my_texts", train__en="one\n", train__fr="un\n")
    assert read("my_texts", "en", "fr") == [("one", "un")]
