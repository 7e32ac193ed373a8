"""Sentence pairs from text files: parallel files or one table of pairs."""

import pathlib
import re
import zlib

from kerasseq.data.find_languages import CODE, find_languages
from kerasseq.text.languages import canonical
from kerasseq.text.lines import read_lines

_PARALLEL = re.compile(rf"(?P<split>.+)\.(?P<language>{CODE})")
# "pt-br" is two languages, Portuguese and Breton; "pt-BR" is Portuguese in Brazil. So a script or a
# region must have capitals.
_COLUMN = r"(?i:[a-z]{2,3})([-_][A-Z][a-z]{3})?([-_]([A-Z]{2}|[0-9]{3}))?"
_TABLE = re.compile(rf"((?P<first>{_COLUMN})[-_])?(?P<second>{_COLUMN})\.(?i:(tsv|txt)(\.gz)?)")
_PERCENT = {"train": 94, "validation": 3, "test": 3}


class ParallelFiles:
    """A folder of files with one sentence per line, such as `train.de` and `train.en`, also `.gz`.

    The name before the language is the split. Line 7 of one file is the translation of line 7 of
    the other file.

    Args:
        folder: The folder.
    """

    def __init__(self, folder):
        self.name = str(folder)
        self._files = {}
        for file in sorted(folder.iterdir()):
            match = _PARALLEL.fullmatch(file.name.removesuffix(".gz"))
            if match and file.is_file():
                self._files.setdefault(match["split"], {}).setdefault(match["language"], file)
        # A file such as README.md looks like a file in a language "md", but it stands alone.
        self._files = {split: files for split, files in self._files.items() if len(files) > 1}
        self.languages = sorted({code for files in self._files.values() for code in files})

    def split_names(self, source, target):
        source, target = find_languages(self.name, self.languages, source, target)
        return [
            split for split, files in self._files.items() if source in files and target in files
        ]

    def read(self, split, source, target):
        """Return the lines of both languages, two lists of the same length."""
        codes = find_languages(self.name, self.languages, source, target)
        files = [self._files[split][code] for code in codes]
        lines = [read_lines(file) for file in files]
        if len(lines[0]) != len(lines[1]):
            raise ValueError(
                "Parallel files must have equally many lines. Received: "
                + ", ".join(
                    f"{file} has {len(own)}" for file, own in zip(files, lines, strict=True)
                )
            )
        return lines


class Table:
    """A file with one pair per line, the two sentences separated by a tab, also `.gz`.

    The name states the languages of the two columns: `de-en.tsv`, `zh_Hant-en.tsv`. A name with one
    language, `fra.txt`, means English and then this language, as in the files of
    manythings.org/anki and Tatoeba. Further columns are not read.

    A table has no splits. The checksum of the English sentence, or of the first sentence without
    English, puts a pair into "train" (94 %), "validation" (3 %) or "test" (3 %). So all
    translations of a sentence are in one split, in both directions.

    Args:
        file: The file.
    """

    def __init__(self, file):
        match = _TABLE.fullmatch(file.name)
        if match is None:
            raise ValueError(
                "The name of a table of sentence pairs must state the languages: de-en.tsv, "
                f"pt_BR-en.tsv, or fra.txt for English and French. Received: {file}"
            )
        self.name = str(file)
        self._file = file
        self._columns = [(match["first"] or "en").lower(), match["second"].lower()]
        self.languages = sorted(self._columns)

    def split_names(self, source, target):
        find_languages(self.name, self.languages, source, target)
        return list(_PERCENT)

    def read(self, split, source, target):
        """Return the sentences of both languages, two lists of the same length."""
        codes = find_languages(self.name, self.languages, source, target)
        rows = [
            self._cut(number, line) for number, line in enumerate(read_lines(self._file), start=1)
        ]
        key = next((i for i, code in enumerate(self._columns) if canonical(code) == "en"), 0)
        rows = [row for row in rows if _split_of(row[key]) == split]
        return [[row[self._columns.index(code)] for row in rows] for code in codes]

    def _cut(self, number, line):
        cells = line.split("\t")
        if len(cells) < 2 and line.strip():
            raise ValueError(
                "Every line must hold two sentences with a tab between them. "
                f"Received: {self.name}, line {number}: {line[:80]!r}"
            )
        return cells[:2] if len(cells) > 1 else ["", ""]


def _split_of(sentence):
    place = zlib.crc32(sentence.strip().encode("utf-8")) % 100
    for split, percent in _PERCENT.items():
        if place < percent:
            return split
        place -= percent


def open_text(path):
    """Return the sentence pairs of a file or folder, a `ParallelFiles` or a `Table`."""
    path = pathlib.Path(path)
    if path.is_file():
        return Table(path)
    parallel = ParallelFiles(path)
    if parallel.languages:
        return parallel
    tables = [file for file in sorted(path.iterdir()) if _TABLE.fullmatch(file.name)]
    if len(tables) != 1:
        raise ValueError(
            "A folder of sentence pairs must hold parallel files such as train.de and train.en, or "
            f"one table such as de-en.tsv or fra.txt. Received: {path.absolute()} with "
            f"{sorted(file.name for file in path.iterdir())[:10]}"
        )
    return Table(tables[0])
