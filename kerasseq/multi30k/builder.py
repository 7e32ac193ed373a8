"""Multi30k as a TensorFlow Datasets builder."""

import gzip
from typing import ClassVar

import tensorflow_datasets as tfds

from kerasseq.text.lines import decode_lines

# The files of one commit. `checksums.tsv` beside this module holds their checksums.
_COMMIT = "a3d2e0d26b56f3846f66a952536ffed4e401d05a"
_ADDRESS = f"https://raw.githubusercontent.com/multi30k/dataset/{_COMMIT}/data/task1/raw"
_FILES = {
    "train": "train",
    "validation": "val",
    "test_2016_flickr": "test_2016_flickr",
    "test_2017_flickr": "test_2017_flickr",
    "test_2017_mscoco": "test_2017_mscoco",
}
_NOT_IN_CZECH = {"test_2017_flickr", "test_2017_mscoco"}

DESCRIPTION = """
Multi30k: English captions of the photographs of Flickr30k, and translations into German, French
and Czech by people. Each caption is one untokenized sentence of about 13 words. There are 29,000
pairs for training, 1,014 for validation, 1,000 in each of the Flickr test sets of 2016 and 2017,
and 461 captions of MSCOCO with ambiguous verbs (2017). Czech has no test set of 2017.
"""
LICENSE = (
    "The captions are those of Flickr30k, whose terms allow non-commercial research and education."
)
CITATION = """
@inproceedings{elliott-etal-2016-multi30k,
  title = {Multi30{K}: Multilingual {E}nglish-{G}erman Image Descriptions},
  author = {Elliott, Desmond and Frank, Stella and Sima'an, Khalil and Specia, Lucia},
  booktitle = {Proceedings of the 5th Workshop on Vision and Language},
  year = {2016},
  doi = {10.18653/v1/W16-3210},
}
@inproceedings{elliott-etal-2017-findings,
  title = {Findings of the Second Shared Task on Multimodal Machine Translation and Multilingual
           Image Description},
  author = {Elliott, Desmond and Frank, Stella and Barrault, Lo{\\"i}c and Bougares, Fethi and
            Specia, Lucia},
  booktitle = {Proceedings of the Second Conference on Machine Translation},
  year = {2017},
  doi = {10.18653/v1/W17-4718},
}
@inproceedings{barrault-etal-2018-findings,
  title = {Findings of the Third Shared Task on Multimodal Machine Translation},
  author = {Barrault, Lo{\\"i}c and Bougares, Fethi and Specia, Lucia and Lala, Chiraag and
            Elliott, Desmond and Frank, Stella},
  booktitle = {Proceedings of the Third Conference on Machine Translation},
  year = {2018},
  doi = {10.18653/v1/W18-6402},
}
"""


class Multi30k(tfds.core.GeneratorBasedBuilder):
    """Captions in two languages, in the order of the files.

    Without a network, the builder takes copies of the files (`train.de.gz` and so on) from
    `manual_dir`, by default `<data_dir>/downloads/manual`, and verifies their checksums.

    Example:
        >>> import kerasseq.multi30k, tensorflow_datasets as tfds
        >>> list(tfds.builder("multi30k/de_en").info.features)
        ['de', 'en']
    """

    VERSION = tfds.core.Version("1.0.0")
    RELEASE_NOTES: ClassVar = {"1.0.0": "First release."}
    BUILDER_CONFIGS: ClassVar = [
        tfds.core.BuilderConfig(name="de_en", description="German and English."),
        tfds.core.BuilderConfig(name="fr_en", description="French and English."),
        tfds.core.BuilderConfig(name="cs_en", description="Czech and English."),
    ]

    def _info(self):
        languages = tuple(self.builder_config.name.split("_"))
        return tfds.core.DatasetInfo(
            builder=self,
            description=DESCRIPTION,
            features=tfds.features.Translation(languages=languages),
            supervised_keys=languages,
            homepage="https://github.com/multi30k/dataset",
            citation=CITATION,
            license=LICENSE,
            disable_shuffling=True,
        )

    def _split_generators(self, dl_manager):
        languages = self.builder_config.name.split("_")
        missing = _NOT_IN_CZECH if "cs" in languages else set()
        addresses = {
            split: {language: f"{_ADDRESS}/{file}.{language}.gz" for language in languages}
            for split, file in _FILES.items()
            if split not in missing
        }
        files = dl_manager.download(addresses)
        return {split: self._generate_examples(files[split]) for split in addresses}

    def _generate_examples(self, files):
        texts = [self._read(file) for file in files.values()]
        for key, pair in enumerate(zip(*texts, strict=True)):
            yield key, dict(zip(files, pair, strict=True))

    def _read(self, file):
        with file.open("rb") as opened, gzip.open(opened) as lines:
            return list(decode_lines(lines, file))
