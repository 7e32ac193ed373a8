"""Multi30k: captions of 30,000 photographs in English, German, French and Czech.

Importing this module registers the TFDS builder `multi30k`, with the configs `de_en`, `fr_en` and
`cs_en`.
"""

from kerasseq.multi30k.builder import Multi30k

__all__ = ["Multi30k"]
