"""Where sentence pairs come from: `load_pairs` and `default_splits`."""

import os
import pathlib

import tensorflow as tf

from kerasseq.checks import check_folder
from kerasseq.data.pairs import as_pairs
from kerasseq.data.splits import Splits, choose_splits, parse_split
from kerasseq.data.text_files import open_text
from kerasseq.data.tfds_sets import TfdsPairs, is_name_of_set

_TFDS = "tfds:"  # before the name of a set, where a folder has that name, too


def load_pairs(dataset, source, target, split="train", data_dir=None):
    """Load sentence pairs from TFDS or from your own text.

    Line ends behind a sentence are removed; nothing else is changed and nothing is shuffled.
    `make_batches` drops pairs that lack a side.

    Args:
        dataset: What to load:

            - `"phrasebook/en_fr"` or `"phrasebook/zh_en"`, which need no network;
            - the name of any translation set of TFDS, `"ted_hrlr_translate/pt_to_en"`;
            - a folder of parallel files, `train.de` and `train.en` and so on, also `.gz`. What
              stands before the language is the split;
            - a file (or a folder that holds one) of tab-separated pairs: `de-en.tsv`, or `fra.txt`
              as manythings.org/anki has it, with English first; also `.gz`. It is split into about
              94 % "train", 3 % "validation" and 3 % "test" by the English sentence.

            A file or folder with the name of a set is an error that says how to name each:
            `"./multi30k"` and `"tfds:multi30k"`. Another file or folder is what its name says.
        source, target: The codes of the two languages, in the direction to translate. "fr", "fra"
            and "fre" are the same.
        split: A split, part, or sum of them: `"train"`, `"train[:10%]"`, `"validation+test"`.
            "validation", "valid", "val" and "dev" are the same.
        data_dir: Folder of TFDS; `None` means TFDS_DATA_DIR or else ~/tensorflow_datasets.

    Returns:
        `tf.data.Dataset` of (source_text, target_text), two scalar strings.

    Raises:
        FileNotFoundError: For a folder or file that does not exist, and for a set of TFDS that is
            not prepared and cannot be downloaded. This comes within seconds.
        ValueError: For names, languages, splits and texts that cannot be used. It names those that
            there are; for files the file and the line.

    Example:
        >>> pairs = load_pairs("phrasebook/en_fr", "en", "fr", split="train[:10%]")
    """
    pairs = _open(dataset, data_dir)
    parts = parse_split(pairs.name, pairs.split_names(source, target), split)
    if isinstance(pairs, TfdsPairs):
        return pairs.load(parts, source, target)
    texts = ([], [])
    for part in parts:
        for own, lines in zip(texts, pairs.read(part.name, source, target), strict=True):
            own.extend(lines[part.slice(len(lines))])
    return tf.data.Dataset.from_tensor_slices(tuple(tf.constant(own, tf.string) for own in texts))


def default_splits(dataset, source, target, data_dir=None):
    """Name the splits to train, validate and test on.

    The set's own are taken where there are any: "test" or else the first that begins so. The others
    become parts of "train", the last 5 % each. Such a part may repeat sentences of the rest, if the
    set holds a sentence more than once.

    Args:
        dataset, source, target, data_dir: As in `load_pairs`.

    Returns:
        `Splits(train, validation, test)`, three texts for `load_pairs`.

    Example:
        >>> default_splits("phrasebook/en_fr", "en", "fr").test
        'test'
    """
    pairs = _open(dataset, data_dir)
    return choose_splits(pairs.name, pairs.split_names(source, target))


def to_lists(pairs):
    """Read all pairs into memory.

    Args:
        pairs: `tf.data.Dataset` of (source_text, target_text), as from `load_pairs`, or a list of
            such pairs of str.

    Returns:
        `(source_texts, target_texts)`, two lists of str of the same length.

    Raises:
        ValueError: If `pairs` is something else.

    Example:
        >>> sources, targets = to_lists(load_pairs("phrasebook/en_fr", "en", "fr", split="test"))
    """
    sides = ([], [])
    for batch in as_pairs(pairs).batch(1024).as_numpy_iterator():  # far faster than one by one
        for side, texts in zip(sides, batch, strict=True):
            side.extend(text.decode("utf-8") for text in texts)
    return sides


def _open(dataset, data_dir):
    if not isinstance(dataset, str | os.PathLike) or not str(dataset):
        raise ValueError(f"`dataset` must be a name or a path. Received: dataset={dataset!r}")
    check_folder("data_dir", data_dir)  # refuses what is none
    if isinstance(dataset, str) and dataset.startswith(_TFDS):
        return TfdsPairs(dataset.removeprefix(_TFDS), data_dir)
    path = pathlib.Path(dataset).expanduser()
    if path.exists():
        is_set = isinstance(dataset, str) and is_name_of_set(dataset)
        if is_set and any(path.glob("**/dataset_info.json")):  # as TFDS prepared it: `data_dir="."`
            return TfdsPairs(dataset, data_dir)
        if is_set:
            raise ValueError(
                f'There are a set of TFDS and a file or folder of this name: "{_TFDS}{dataset}" is '
                f'the set, "./{dataset}" what lies in this folder. Received: dataset={dataset!r}'
            )
        return open_text(path)
    looks_like_path = isinstance(dataset, os.PathLike) or dataset[0] in "./~\\" or path.suffix
    looks_like_path = looks_like_path or dataset[-1] in "/\\"
    if looks_like_path:
        raise FileNotFoundError(
            f"There is no file or folder {path.absolute()}. Received: dataset={str(dataset)!r}"
        )
    return TfdsPairs(dataset, data_dir)


__all__ = ["Splits", "default_splits", "load_pairs"]
