"""The phrasebook as a TensorFlow Datasets builder that needs no download."""

import contextlib
import io
from typing import ClassVar, NamedTuple

import numpy as np
import tensorflow_datasets as tfds

from kerasseq.checks import check_folder, check_one_of
from kerasseq.phrasebook.corpus import CONFIGS, SIZES, make_corpus
from kerasseq.runtime import keep_random_state, quiet

DESCRIPTION = """
A parallel corpus written by a synchronous grammar: grammatical sentences, each with its one right
translation and the gold alignment of its words. Sentences are 2 to 80 words long. `sure` and
`possible` are pairs (source index, target index) that count word-level tokens from 0; `sure` is
part of `possible`, and each target word has at most one sure source word (Och and Ney, 2003).
`construction` names the main construction; `distance` is the number of source tokens between the
head of the main clause's subject and its finite verb; `depth` is the depth of clause nesting.
"""
CITATION = """
@misc{kerasseq_phrasebook,
  title = {The kerasseq phrasebook: a parallel corpus with gold word alignments},
  author = {{The kerasseq authors}},
  note = {Version 1.0.0},
}
"""


class Phrasebook(tfds.core.GeneratorBasedBuilder):
    """Sentence pairs from a synchronous grammar, with gold word alignments.

    The two texts are two features and not one `tfds.features.Translation`, so that
    `as_supervised=True` gives (source, target) in the direction of the config.

    Example:
        >>> import kerasseq.phrasebook, tensorflow_datasets as tfds
        >>> data = tfds.load("phrasebook/en_fr", split="train", as_supervised=True)
    """

    VERSION = tfds.core.Version("1.0.0")
    RELEASE_NOTES: ClassVar = {"1.0.0": "First release."}
    BUILDER_CONFIGS: ClassVar = [
        tfds.core.BuilderConfig(name="en_fr", description="English to French."),
        tfds.core.BuilderConfig(name="zh_en", description="Chinese to English."),
    ]

    def _info(self):
        source, target = languages(self.builder_config.name)
        alignment = tfds.features.Tensor(shape=(None, 2), dtype=np.int32)
        return tfds.core.DatasetInfo(
            builder=self,
            description=DESCRIPTION,
            features=tfds.features.FeaturesDict(
                {
                    source: tfds.features.Text(),
                    target: tfds.features.Text(),
                    "sure": alignment,
                    "possible": alignment,
                    "construction": tfds.features.Text(),
                    "distance": np.int32,
                    "depth": np.int32,
                }
            ),
            supervised_keys=(source, target),
            citation=CITATION,
            license="Apache-2.0",
            # The order of a split is part of the corpus.
            disable_shuffling=True,
        )

    def _split_generators(self, dl_manager):
        corpus = make_corpus(self.builder_config.name)
        return {split: self._generate_examples(corpus[split]) for split in SIZES}

    def _generate_examples(self, pairs):
        source, target = languages(self.builder_config.name)
        for key, pair in enumerate(pairs):
            yield (
                key,
                {
                    source: pair.source,
                    target: pair.target,
                    "sure": np.array(pair.sure, np.int32).reshape(-1, 2),
                    "possible": np.array(pair.possible, np.int32).reshape(-1, 2),
                    "construction": pair.construction,
                    "distance": pair.distance,
                    "depth": pair.depth,
                },
            )


def languages(config):
    """Return the source and the target language of a config: ("en", "fr") for "en_fr"."""
    source, target = config.split("_")
    return source, target


class Example(NamedTuple):
    """One sentence pair.

    Args:
        source: Source text.
        target: Target text.
        sure: Integer array (links, 2) of (source index, target index).
        possible: Integer array (links, 2); contains `sure`.
        construction: Name of the main construction.
        distance: Source tokens between the main subject's head and its finite verb.
        depth: Depth of clause nesting.
    """

    source: str
    target: str
    sure: np.ndarray
    possible: np.ndarray
    construction: str
    distance: int
    depth: int


def prepare(config, data_dir=None):
    """Write the data set to disk if it is not there yet, without the messages of TFDS.

    Args:
        config: `"en_fr"` or `"zh_en"`.
        data_dir: Folder of TFDS data sets. Defaults to TFDS' own.

    Returns:
        The TFDS builder, prepared.

    Raises:
        ValueError: If `config` is unknown, or if `data_dir` is not a folder.
    """
    check_one_of("config", config, CONFIGS)
    data_dir = check_folder("data_dir", data_dir)
    with _quiet(), keep_random_state():
        builder = Phrasebook(config=config, data_dir=data_dir)
        try:
            builder.download_and_prepare()
        except OSError:
            # Another process may have written the same data set first.
            builder = Phrasebook(config=config, data_dir=data_dir)
            if not builder.is_prepared():
                raise
    return builder


def load_examples(config, split="test", data_dir=None):
    """Load sentence pairs with their gold alignments.

    Args:
        config: `"en_fr"` or `"zh_en"`.
        split: `"train"`, `"validation"`, `"test"`, `"long"`, or a part such as `"train[:10%]"`.
        data_dir: Folder of TFDS data sets. Defaults to TFDS' own.

    Returns:
        A list of `Example`.

    Raises:
        ValueError: If `config` or `split` is unknown, or if `data_dir` is not a folder.

    Example:
        >>> from kerasseq.phrasebook import load_examples
        >>> load_examples("en_fr", "test[:1]")[0].construction
        'intransitive'
    """
    check_one_of("config", config, CONFIGS)
    builder = prepare(config, data_dir)
    source, target = languages(config)
    return [
        Example(
            row[source].decode(),
            row[target].decode(),
            row["sure"],
            row["possible"],
            row["construction"].decode(),
            int(row["distance"]),
            int(row["depth"]),
        )
        for row in tfds.as_numpy(_read_split(builder, split))
    ]


def _read_split(builder, split):
    """Return the dataset of a split; raise ValueError if `split` names none."""
    try:
        # TFDS reads None as "every split" and returns a dict.
        if not isinstance(split, str):
            raise TypeError("split")
        return builder.as_dataset(split=split)
    except (TypeError, ValueError, AttributeError) as error:
        raise ValueError(
            f"`split` must be one of {list(SIZES)} or a part such as 'train[:10%]'. "
            f"Received: split={split!r}"
        ) from error


@contextlib.contextmanager
def _quiet():
    """Hide the messages, progress bars and warnings of TFDS, but no exception."""
    hidden = io.StringIO()
    with quiet(), contextlib.redirect_stdout(hidden), contextlib.redirect_stderr(hidden):
        yield
