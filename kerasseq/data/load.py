"""Load sentence pairs from TFDS or from files: `load_pairs`, `default_splits`, `to_lists`."""

import os
import pathlib

import tensorflow as tf

from kerasseq.checks import check_folder
from kerasseq.data.pairs import as_pairs
from kerasseq.data.splits import Splits, choose_splits, parse_split
from kerasseq.data.text_files import open_text
from kerasseq.data.tfds_sets import TfdsPairs, is_name_of_set

_TFDS = "tfds:"  # prefix of a TFDS name, for a data set and a folder of the same name


def load_pairs(dataset, source, target, split="train", data_dir=None):
    """Load sentence pairs from TFDS or from your own text files.

    Line breaks at the end of a sentence are removed. The texts are not changed otherwise and not
    shuffled. `make_batches` drops pairs with an empty side.

    Args:
        dataset: Name or path of the data set:

            - `"phrasebook/en_fr"` or `"phrasebook/zh_en"`, which need no network;
            - the name of any translation data set of TFDS, `"ted_hrlr_translate/pt_to_en"`;
            - a folder of parallel files such as `train.de` and `train.en`, also `.gz`. The name
              before the language is the split;
            - a file of tab-separated pairs, or a folder with one such file: `de-en.tsv`, or
              `fra.txt` of manythings.org/anki with English first; also `.gz`. The English sentence
              decides the split: about 94 % "train", 3 % "validation" and 3 % "test".

            If a TFDS data set and a file or folder have the same name, an error says how to name
            each: `"tfds:multi30k"` and `"./multi30k"`.
        source, target: Codes of the two languages, in the direction of translation. "fr", "fra" and
            "fre" are the same language.
        split: A split, a part of a split, or a sum of both: `"train"`, `"train[:10%]"`,
            `"validation+test"`. "validation", "valid", "val" and "dev" are the same split.
        data_dir: Folder of TFDS. None means the environment variable TFDS_DATA_DIR or, without it,
            ~/tensorflow_datasets.

    Returns:
        `tf.data.Dataset` of (source_text, target_text), two scalar strings.

    Raises:
        FileNotFoundError: If a file or folder does not exist, or a TFDS data set is not prepared
            and cannot be downloaded. The error comes within seconds.
        ValueError: If a name, language, split or text does not fit. The message lists the allowed
            values or, for a file, says the file and the line.

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
    """Return the splits for training, validation and test.

    The data set's own splits are used if they exist; the test split is "test" or else the first
    split whose name begins with "test". A missing split is replaced by a part of "train", the last
    5 % each. Such a part may share sentences with the rest if the data set repeats sentences.

    Args:
        dataset, source, target, data_dir: As in `load_pairs`.

    Returns:
        `Splits(train, validation, test)`, three str for the argument `split` of `load_pairs`.

    Example:
        >>> default_splits("phrasebook/en_fr", "en", "fr").test
        'test'
    """
    pairs = _open(dataset, data_dir)
    return choose_splits(pairs.name, pairs.split_names(source, target))


def to_lists(pairs):
    """Return all pairs as two lists.

    Args:
        pairs: `tf.data.Dataset` of (source_text, target_text), as from `load_pairs`, or a list of
            such pairs of str.

    Returns:
        `(source_texts, target_texts)`, two lists of str of the same length.

    Raises:
        ValueError: If `pairs` has another form.

    Example:
        >>> sources, targets = to_lists(load_pairs("phrasebook/en_fr", "en", "fr", split="test"))
    """
    sides = ([], [])
    for batch in as_pairs(pairs).batch(1024).as_numpy_iterator():  # far faster than single pairs
        for side, texts in zip(sides, batch, strict=True):
            side.extend(text.decode("utf-8") for text in texts)
    return sides


def _open(dataset, data_dir):
    if not isinstance(dataset, str | os.PathLike) or not str(dataset):
        raise ValueError(f"`dataset` must be a name or a path. Received: dataset={dataset!r}")
    check_folder("data_dir", data_dir)
    if isinstance(dataset, str) and dataset.startswith(_TFDS):
        return TfdsPairs(dataset.removeprefix(_TFDS), data_dir)
    path = pathlib.Path(dataset).expanduser()
    if path.exists():
        is_set = isinstance(dataset, str) and is_name_of_set(dataset)
        # A folder that TFDS has prepared lies in its `data_dir`, such as ".".
        if is_set and any(path.glob("**/dataset_info.json")):
            return TfdsPairs(dataset, data_dir)
        if is_set:
            raise ValueError(
                "`dataset` is the name of a TFDS data set and of a file or folder: use "
                f'"{_TFDS}{dataset}" or "./{dataset}". Received: dataset={dataset!r}'
            )
        return open_text(path)
    looks_like_path = isinstance(dataset, os.PathLike) or dataset[0] in "./~\\" or path.suffix
    looks_like_path = looks_like_path or dataset[-1] in "/\\"
    if looks_like_path:
        raise FileNotFoundError(
            f"`dataset` does not exist: {path.absolute()}. Received: dataset={str(dataset)!r}"
        )
    return TfdsPairs(dataset, data_dir)


__all__ = ["Splits", "default_splits", "load_pairs"]
