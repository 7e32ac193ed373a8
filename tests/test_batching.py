import numpy as np
import pytest

from kerasseq import TextProcessor
from kerasseq.translation.batching import encode_rows, pad, run_in_batches


@pytest.mark.parametrize("batch_size", [1, 2, 3, 10])
def test_results_come_in_order_and_batches_hold_like_lengths(batch_size):
    sources = [np.full(length, index + 1) for index, length in enumerate([5, 1, 3, 5, 2])]
    shapes = []

    def run(ids, rows):
        shapes.append(ids.shape)
        assert [row[0] for row in ids] == [row + 1 for row in rows]
        return ids.sum(axis=1), rows

    found = run_in_batches(run, sources, batch_size)
    assert found == [[5, 0], [2, 1], [9, 2], [20, 3], [10, 4]]
    assert max(rows for rows, _ in shapes) <= batch_size
    assert [length for _, length in shapes] == sorted(length for _, length in shapes)


def test_nothing_in_nothing_out():
    assert run_in_batches(None, [], 3) == []
    assert encode_rows(None, []) == ([], [])


def test_ids_have_no_padding():
    text = TextProcessor().adapt(["a b c"])
    texts = ["b a c", "", "zzz"]
    ids, tokens = encode_rows(text, texts)
    assert tokens[0] == ["[START]", "b", "a", "c", "[END]"]
    assert [row.tolist() for row in ids] == [
        [2, 5, 4, 6, 3],
        [2, 3],
        [2, 1, 3],
    ]


def test_padding_is_zeros_at_the_end():
    padded = pad([np.array([7, 8]), np.array([9])])
    assert padded.tolist() == [[7, 8], [9, 0]] and padded.dtype == np.int32


@pytest.mark.parametrize("sizes", [None, [9, 600, 5000, 3, 1025, 700]])
def test_long_texts_come_in_smaller_batches(sizes):
    lengths = [9, 600, 5000, 3, 1025, 700]
    sources, batches = [np.full(length, length) for length in lengths], []

    def run(ids, rows):
        batches.append(rows.tolist())
        return (ids[:, 0],)

    found = run_in_batches(run, sources, 4, sizes=sizes)
    assert found == [[length] for length in lengths]
    # 4 * 512 tokens are 3 rows of 600, but no 2 of 1,025; what is longer comes alone.
    assert batches == [[3, 0, 1], [5], [4], [2]]
    assert all(len(rows) * max(lengths[row] for row in rows) <= 4 * 512 for rows in batches[:-1])


def test_progress_counts_what_is_done(capsys):
    run_in_batches(lambda ids, rows: (rows,), [np.ones(n) for n in (1, 900, 2000)], 2, True)
    assert capsys.readouterr().err.split("\r")[1:] == ["1/3", "2/3", "3/3\n"]
