"""Models on disk hold these ids: they never change, and they are the first of every vocabulary."""

import pytest

import kerasseq
from kerasseq.text.control_tokens import CONTROL_TOKENS, END, PADDING, START, UNKNOWN


def test_the_ids_are_fixed():
    assert (PADDING, UNKNOWN, START, END) == (0, 1, 2, 3)
    names = {PADDING: "[PAD]", UNKNOWN: "[UNK]", START: "[START]", END: "[END]"}
    assert dict(enumerate(CONTROL_TOKENS)) == names


@pytest.mark.parametrize("level", ["word", "char"])
def test_every_vocabulary_begins_with_them(level):
    processor = kerasseq.TextProcessor(level=level).adapt(["[END] [PAD] [START] a"])
    assert tuple(processor.vocabulary[:4]) == CONTROL_TOKENS
    [ids] = processor.encode(["[START] zz [PAD]"]).numpy()
    assert [ids[0], ids[-1]] == [START, END]
    assert not {PADDING, START, END} & set(ids[1:-1])
    assert UNKNOWN in ids
