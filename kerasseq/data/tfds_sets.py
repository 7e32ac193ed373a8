"""Sentence pairs from TensorFlow Datasets (TFDS)."""

import difflib
import importlib
import re

import tensorflow as tf

from kerasseq.data.find_languages import CODE, find_languages
from kerasseq.data.network import fail_fast
from kerasseq.runtime import keep_random_state, quiet

_OWN = ("phrasebook", "multi30k")  # registered with TFDS by the import of kerasseq.phrasebook, …
_NAME = re.compile(r"(?P<set>[a-z]\w*)(:[\d.]+)?(/[\w.:-]+)?")


class TfdsPairs:
    """A translation data set of TFDS, which is downloaded and prepared if necessary.

    Args:
        name: As in `tfds.load`: `"ted_hrlr_translate/pt_to_en"`.
        data_dir: Folder of the prepared data sets. None means TFDS_DATA_DIR or
            ~/tensorflow_datasets.
    """

    def __init__(self, name, data_dir=None):
        self.name = name
        self._builder = find_builder(name, data_dir)
        with quiet():
            features = self._builder.info.features
        self._features = dict(features)
        self._codes = getattr(features, "languages", None)  # of a `Translation`
        self.languages = self._find_languages()
        if len(self.languages) < 2:
            raise ValueError(
                "A translation data set must have texts in two languages. "
                f"Received: {name} with the features {sorted(self._features)}"
            )

    def split_names(self, source, target):
        find_languages(self.name, self.languages, source, target)
        prepare(self._builder)
        return list(self._builder.info.splits)

    def load(self, parts, source, target):
        """Return a `tf.data.Dataset` of (source_text, target_text) of the given `Part`s."""
        codes = find_languages(self.name, self.languages, source, target)
        dataset = read_parts(self._builder, parts)
        if (name := self._variable_feature()) is not None:
            return _choose_languages(dataset.map(lambda example: example[name]), codes)
        columns = self._named_columns() or {code: code for code in codes}
        keys = [columns[code] for code in codes]
        return dataset.map(lambda example: tuple(_strip(example[key]) for key in keys))

    def _find_languages(self):
        if (name := self._variable_feature()) is not None:
            return self._features[name].languages or []
        if columns := self._named_columns():
            return sorted(columns)
        return self._codes or sorted(
            name
            for name, feature in self._features.items()
            if type(feature).__name__ == "Text" and re.fullmatch(CODE, name)
        )

    def _variable_feature(self):
        """Return the name of the feature that holds a sentence in many languages, or None."""
        kind = "TranslationVariableLanguages"
        names = [n for n, feature in self._features.items() if type(feature).__name__ == kind]
        return names[0] if names else None

    def _named_columns(self):
        """Return a dict from language to feature for data sets whose features name no language."""
        config = self._builder.info.config_name or ""
        if {"source_sentence", "target_sentence"} <= self._features.keys():  # tatoeba_fr, bucc_de
            return {config.rpartition("_")[2]: "source_sentence", "en": "target_sentence"}
        if {"src", "dst"} <= self._features.keys():  # mtnt/en-fr
            first, _, second = config.partition("-")
            return {first: "src", second: "dst"}
        return None


def read_parts(builder, parts):
    """Return the `Part`s of a prepared data set as a `tf.data.Dataset`."""
    split = "+".join(map(str, parts))
    try:
        return builder.as_dataset(split=split)
    except ValueError as error:
        raise ValueError(f"`split` must hold an example. Received: split={split!r}") from error


def _strip(text):
    return tf.strings.regex_replace(text, r"[\r\n]+$", "")


def _choose_languages(dataset, codes):
    """Return the pairs of two languages; of several sentences in a language, the first.

    An example without one of the languages is left out.
    """

    def texts(translations):
        for code in codes:
            of_language = translations["translation"][translations["language"] == code]
            yield of_language[of_language != "__NULL__"]

    dataset = dataset.map(lambda translations: tuple(texts(translations)))
    dataset = dataset.filter(lambda source, target: (tf.size(source) > 0) & (tf.size(target) > 0))
    return dataset.map(lambda source, target: (_strip(source[0]), _strip(target[0])))


def is_name_of_set(name):
    """Return whether TFDS has a data set of this name, "phrasebook/en_fr" but not "phrasebook/"."""
    match = _NAME.fullmatch(name)
    if match is None or match["set"] in _OWN:
        return match is not None
    import tensorflow_datasets as tfds

    return match["set"] in tfds.list_builders(with_community_datasets=False)


def find_builder(name, data_dir=None):
    """Return the TFDS builder of a data set; an error suggests similar names."""
    import tensorflow_datasets as tfds

    set_name, _, config = name.partition("/")
    if set_name in _OWN:
        module = importlib.import_module(f"kerasseq.{set_name}")
        if set_name == "phrasebook":
            return module.prepare(config, data_dir)
    try:
        with quiet():
            return tfds.builder(name, data_dir=data_dir)
    except tfds.core.DatasetNotFoundError:
        known = dict.fromkeys([*_OWN, *tfds.list_builders()])
        alike = difflib.get_close_matches(set_name, known)
        hint = f"Similar names: {', '.join(alike)}" if alike else "TFDS has no similar name"
        raise ValueError(
            "`dataset` must be a data set of TFDS, or an existing file or folder. "
            f"{hint}. Received: dataset={name!r}"
        ) from None
    except (AssertionError, TypeError, ValueError) as error:
        configs = _config_names(set_name)
        hint = f"{set_name} has {configs}" if configs else _shorten(error)
        raise ValueError(
            f"`dataset` cannot be built by TFDS: {hint}. Received: dataset={name!r}"
        ) from error


def _config_names(set_name):
    import tensorflow_datasets as tfds

    try:
        return [f"{set_name}/{config}" for config in tfds.builder_cls(set_name).builder_configs]
    except ValueError:
        return []


def _shorten(error):
    text = " ".join(str(error).split('}": ', 1)[-1].split())
    return text.removesuffix(".") if len(text) < 200 else f"{text[:200]} …"


def prepare(builder):
    """Download and prepare a data set if necessary; raise FileNotFoundError if this fails."""
    import tensorflow_datasets as tfds

    if builder.is_prepared():
        return
    try:
        with quiet(), fail_fast(), keep_random_state():
            builder.download_and_prepare()
    except (
        OSError,
        AssertionError,  # files that must be downloaded by hand are missing
        tfds.core.download.DownloadError,
        tfds.core.download.download_manager.NonMatchingChecksumError,
    ) as error:
        folder = builder.data_path.parents[1 + (builder.builder_config is not None)]
        raise FileNotFoundError(
            f"The data set {builder.info.full_name} is not in {folder} and could not be prepared: "
            f"{_shorten(error)}. Call again with a network, or put its downloads into "
            f'{folder / "downloads" / "manual"}. "phrasebook/en_fr" needs no network.'
        ) from None
