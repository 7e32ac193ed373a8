"""The phrasebook: a parallel corpus written by a grammar, with gold word alignments.

Importing this module registers the TFDS builder `phrasebook`, with the configs `en_fr` and
`zh_en`. `python -m kerasseq.phrasebook` prints sentence pairs.
"""

from kerasseq.phrasebook.builder import Example, Phrasebook, load_examples, prepare

__all__ = ["Example", "Phrasebook", "load_examples", "prepare"]
