"""The words of the phrasebook: one table for each word class, read into plain records."""

import csv
from importlib import resources


def read_table(language_pair, table):
    """Read a lexicon table.

    Args:
        language_pair: Folder name, `"english_french"` or `"chinese_english"`.
        table: Name of the table, such as `"nouns"`.

    Returns:
        A list of dicts from column name to text, in the order of the file.
    """
    path = resources.files("kerasseq.phrasebook") / language_pair / f"{table}.tsv"
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
