"""The benchmarks run, without PyTorch too, and end in one line of JSON; their parts are right."""

import json
import runpy
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture(autouse=True)
def without_torch(monkeypatch):
    """Let the benchmarks be imported anew, where PyTorch is not installed."""
    for file in BENCHMARKS.glob("*.py"):
        monkeypatch.delitem(sys.modules, file.stem, raising=False)
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.syspath_prepend(BENCHMARKS)


# The scripts


def last_line(name, monkeypatch, capsys, *options):
    """Run a benchmark at its tiny size and return what its last line says."""
    arguments = [f"{name}.py", "--quick", "--rounds", "1", *options]
    monkeypatch.setattr(sys, "argv", arguments)
    runpy.run_path(str(BENCHMARKS / f"{name}.py"), run_name="__main__")
    result = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert result.pop("benchmark") == name
    return result


def check(result, measured, absent=()):
    assert set(measured) | set(absent) <= set(result)
    for name in measured:
        assert np.isfinite(result[name]), name
    for name in absent:
        assert result[name] is None, name


@pytest.mark.slow
def test_layers(monkeypatch, capsys):
    result = last_line("layers", monkeypatch, capsys)
    check(result, ["lstm_vs_keras", "rnn_vs_keras"], ["lstm_vs_torch", "rnn_vs_torch"])


@pytest.mark.slow
def test_training(monkeypatch, capsys):
    result = last_line("training", monkeypatch, capsys, "--epoch")
    absent = ["vs_torch", "epoch_vs_torch"]
    check(result, ["vs_portable", "vs_tutorial", "matmul_share"], absent)


@pytest.mark.slow
def test_decoding(monkeypatch, capsys):
    result = last_line("decoding", monkeypatch, capsys)
    check(result, ["traces"], ["greedy64_vs_torch", "greedy1_vs_torch", "beam5_vs_torch"])
    assert result["traces"] == 1


@pytest.mark.slow
def test_scaling(monkeypatch, capsys):
    result = last_line("scaling", monkeypatch, capsys)
    check(result, [f"time_exponent_{size}" for size in ("length", "batch", "vocabulary")])


@pytest.mark.slow
def test_long_texts(monkeypatch, capsys):
    result = last_line("long_texts", monkeypatch, capsys)
    check(result, ["beam5_doubling", "ends_at_once_mb", "huge_line_mb"])


# Timing


@pytest.mark.slow
def test_competitors_take_turns():
    import timing

    calls = []
    functions = {name: lambda name=name: calls.append(name) for name in "abc"}
    seconds = timing.alternate(functions, rounds=2, warm_up=1)
    assert "".join(calls) in ("abccbaabc", "cbaabccba")
    assert {name: len(times) for name, times in seconds.items()} == {"a": 2, "b": 2, "c": 2}


@pytest.mark.slow
def test_each_competes_at_its_best_setting():
    import time

    import timing

    functions = {
        ("ours", "slow"): lambda: time.sleep(0.02),
        ("ours", "fast"): lambda: None,
        ("peer", "only"): lambda: None,
    }
    seconds, best = timing.compete(functions, rounds=3)
    assert best == {"ours": "fast", "peer": "only"}
    assert seconds["ours"].max() < 0.02


def test_ratios_are_taken_within_a_round():
    import timing

    peer, ours = np.array([2.0, 30.0, 4.0]), np.array([1.0, 10.0, 4.0])
    assert timing.median(timing.ratios(peer, ours)) == 2
    assert timing.ratios(None, ours) is None
    assert timing.median(None) is None
    assert timing.quoted(np.array([1.0, 2.0, 3.0, 4.0, 5.0])) == "3 [2, 4]"


def test_exponents_are_the_slopes_of_the_logarithms():
    import scaling

    sizes = np.array([2, 4, 8, 16])
    assert scaling.exponent(sizes, 3 * sizes**2) == 2
    assert scaling.exponent(sizes, sizes - 2) is None  # of 0 there is no logarithm


def test_operations_are_those_of_every_product():
    import training

    import kerasseq

    units, vocabulary, width = 6, 50, training.WIDTH
    model = kerasseq.build_attention_seq2seq(
        vocabulary,
        vocabulary,
        embedding_dim=width,
        units=units,
        attention_units=width,
        tie_embeddings=True,
    )
    # Each entry of a matrix is one multiply-add for each token that meets it.
    entries = {
        weight.path: np.prod(weight.shape) for weight in model.weights if len(weight.shape) == 2
    }
    once_a_sentence = {path for path in entries if "bridge" in path}
    of_source = {path for path in entries if "encoder/" in path or "key_kernel" in path}
    lookups = {"source_embedding/embeddings"}
    elementwise = {path for path in entries if "score_kernel" in path}
    of_target = set(entries) - of_source - once_a_sentence - lookups - elementwise
    source, target = (sum(entries[path] for path in paths) for paths in (of_source, of_target))
    assert training.count_operations(2, 5, units, vocabulary) == 6 * (2 * source + 5 * target)


# Lengths


def test_drawn_lengths_are_padded_like_the_real_ones():
    import lengths

    from kerasseq.data import BatchPlan

    source, target = lengths.draw_lengths(lengths.PAIRS)
    assert abs(source.mean() - 12.61) < 0.1  # Multi30k's own
    assert abs(target.mean() - 13.11) < 0.1
    assert abs(np.corrcoef(source, target)[0, 1] - 0.864) < 0.03
    report = BatchPlan(source + 2, target + 1, 64, 0, True, 6, {}).report
    assert "padding: 14." in report


@pytest.fixture
def corpus():
    import lengths

    return lengths.load_corpus(SimpleNamespace(dataset=None), vocab_size=50, pairs=37)


@pytest.mark.parametrize("cut", ["bucketed", "sorted_by_length"])
def test_batches_hold_every_pair_once(corpus, cut):
    import lengths

    pairs = []
    for source, target_in, target_out in getattr(lengths, cut)(corpus, 8):
        assert (np.count_nonzero(target_in, axis=1) == np.count_nonzero(target_out, axis=1)).all()
        for row, first, rest in zip(source, target_in, target_out, strict=True):
            if row.any():
                ids = [*first[first != 0][:1], *rest[rest != 0]]
                pairs.append((row[row != 0].tolist(), ids))
    expected = [(source.tolist(), target.tolist()) for source, target in zip(*corpus, strict=True)]
    assert sorted(pairs) == sorted(expected)


def test_a_sample_holds_long_and_short_batches():
    import lengths

    batches = [(np.zeros((2, length)), np.zeros((2, 1)), None) for length in range(12)]
    assert [batch[0].shape[1] for batch in lengths.sample(batches[::-1], 3)] == [2, 6, 10]


def test_a_corpus_can_be_read(tmp_path):
    import lengths

    (tmp_path / "train.de").write_text("ja\nein Hund\n")
    (tmp_path / "train.en").write_text("yes\na small dog\n")
    options = SimpleNamespace(dataset=str(tmp_path), source="de", target="en")
    source, target = lengths.load_corpus(options, vocab_size=50)
    assert [len(ids) for ids in source] == [3, 4]
    assert [len(ids) for ids in target] == [3, 5]


# The network in PyTorch


def test_the_network_in_pytorch_is_ours(monkeypatch):
    monkeypatch.delitem(sys.modules, "torch")
    torch = pytest.importorskip("torch")
    import torch_peer

    import kerasseq

    model = kerasseq.build_attention_seq2seq(
        19, 23, embedding_dim=5, units=6, attention_units=7, tie_embeddings=True
    )
    peer = torch_peer.Translator(19, 23, 5, 6, 7)
    peer.load(model)
    source = np.array([[2, 5, 9, 3], [2, 7, 3, 0]])
    target = np.array([[2, 11, 8], [2, 4, 0]])
    ours = model({"source": source, "target_in": target}).numpy()
    theirs = peer(torch.tensor(source), torch.tensor(target)).detach().numpy()
    np.testing.assert_allclose(ours[target != 0], theirs[target != 0], atol=1e-6)
