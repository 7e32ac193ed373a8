import contextlib
import itertools
import sys
import time

import keras
import numpy as np
import pytest
import tensorflow as tf
from support.memory import peak_memory

from kerasseq import SmoothedCrossentropy, build_seq2seq
from kerasseq.callbacks import Checkpoint, EpochSeeds
from kerasseq.data import buckets, make_batches
from kerasseq.data.buckets import choose_buckets
from kerasseq.data.cleaning import find_usable
from kerasseq.text.processor import END, START, TextProcessor


def sentences(number, seed=0, longest=24):
    """Pairs of like lengths: "w3 w1 …" and "x3 x1 …", all different."""
    rng = np.random.default_rng(seed)
    pairs = []
    for index in range(number):
        words = [str(index), *map(str, rng.integers(0, 50, rng.integers(1, longest)))]
        extra = ["x1"] * int(rng.integers(0, 3))
        pairs.append((" ".join(f"w{w}" for w in words), " ".join([f"x{w}" for w in words] + extra)))
    return pairs


@pytest.fixture(scope="module")
def pairs():
    return sentences(300)


@pytest.fixture(scope="module")
def processors(pairs):
    return [TextProcessor().adapt(texts) for texts in zip(*pairs, strict=True)]


def batches_of(pairs, processors, batch_size=32, **options):
    return make_batches(pairs, *processors, batch_size=batch_size, verbose=False, **options)


def texts_of(batches, processors):
    """Decodes the rows of batches, in their order and without those of padding."""
    rows = []
    for inputs, target_out in batches:
        sources = processors[0].decode(inputs["source"])
        targets = processors[1].decode(target_out)
        rows += [pair for pair in zip(sources, targets, strict=True) if pair != ("", "")]
    return rows


@pytest.mark.parametrize("shuffle", [True, False])
def test_every_pair_comes_once(pairs, processors, shuffle):
    batches = batches_of(pairs, processors, shuffle=shuffle)
    assert sorted(texts_of(batches, processors)) == sorted(pairs)


def test_a_batch_by_hand():
    english, french = TextProcessor().adapt(["a b"]), TextProcessor().adapt(["x y z"])
    batches = batches_of([("a b", "x y z"), ("b", "z")], (english, french), 3, shuffle=False)
    (inputs, target_out), *others = batches
    assert not others
    a, b, x, y, z = 4, 5, 4, 5, 6
    np.testing.assert_array_equal(
        inputs["source"], [[START, a, b, END], [START, b, END, 0], [0, 0, 0, 0]]
    )
    np.testing.assert_array_equal(
        inputs["target_in"], [[START, x, y, z], [START, z, 0, 0], [0, 0, 0, 0]]
    )
    np.testing.assert_array_equal(target_out, [[x, y, z, END], [z, END, 0, 0], [0, 0, 0, 0]])
    assert {part.dtype for part in (*inputs.values(), target_out)} == {tf.int32}


def test_few_shapes_and_a_fixed_batch_size(pairs, processors):
    batches = batches_of(pairs, processors)
    shapes = set()
    for inputs, target_out in batches:
        assert inputs["source"].shape[0] == 32
        assert inputs["target_in"].shape == target_out.shape
        shapes.add((inputs["source"].shape[1], target_out.shape[1]))
    assert 2 <= len(shapes) <= 6
    assert int(batches.cardinality()) == len(batches.plan) == len(list(batches))


def order(batches):
    return [inputs["source"].numpy().tolist() for inputs, _ in batches]


def test_the_order_is_a_function_of_seed_and_epoch(pairs, processors):
    first = batches_of(pairs, processors, seed=1)
    epochs = [order(first) for _ in range(3)]
    assert epochs[0] != epochs[1] != epochs[2] != epochs[0]
    assert [order(batches_of(pairs, processors, seed=1)) for _ in range(2)] == [epochs[0]] * 2
    assert order(batches_of(pairs, processors, seed=2)) != epochs[0]


def test_a_resumed_run_sets_the_epoch(pairs, processors):
    uninterrupted = batches_of(pairs, processors)
    epochs = [order(uninterrupted) for _ in range(4)]
    resumed = batches_of(pairs, processors)
    resumed.plan.epoch = 2
    assert [order(resumed) for _ in range(2)] == epochs[2:]


def test_a_look_at_the_batches_does_not_count_as_an_epoch(pairs, processors):
    batches = batches_of(pairs, processors)
    first = order(batches_of(pairs, processors))
    next(iter(batches))
    assert order(batches.take(len(batches.plan) - 1)) == first[:-1]
    assert batches.plan.epoch == 0
    assert order(batches) == first
    assert batches.plan.epoch == 1


def test_two_passes_at_once_are_one_epoch(pairs, processors):
    batches = batches_of(pairs, processors)
    for (one, _), (other, _) in zip(batches, batches, strict=True):
        np.testing.assert_array_equal(one["source"], other["source"])
    assert batches.plan.epoch == 1


class Reader(keras.Model):
    """Keeps the sources that it is trained on."""

    seen = ()

    def train_step(self, data):
        self.seen = (*self.seen, data[0]["source"].numpy().tolist())
        return {"val_bleu": -float(len(self.seen))}


def make_reader():
    inputs = keras.Input((1,))
    model = Reader(inputs, keras.layers.Dense(1)(inputs))
    model.compile("sgd", run_eagerly=True)
    return model


def look(batches):
    """Look at the batches in every way: one, some, all, and through another dataset."""
    next(iter(batches))
    list(batches.take(2))
    list(batches)
    list(batches.map(lambda inputs, _: inputs["source"]))


@pytest.mark.parametrize("whole_passes", [False, True])
@pytest.mark.parametrize("options", [{}, {"steps_per_epoch": True}])
def test_a_look_does_not_change_the_order_of_training(pairs, processors, whole_passes, options):
    expected = batches_of(pairs, processors)
    expected = [*order(expected), *order(expected), *order(expected)]
    batches = batches_of(pairs, processors)
    glance = look if whole_passes else lambda batches: next(iter(batches))
    seeds = [EpochSeeds(0, batches)] if whole_passes else []
    glance(batches)
    looking = keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: glance(batches))
    options = dict.fromkeys(options, len(batches.plan))
    model = make_reader()
    callbacks = [looking, *seeds]
    model.fit(batches, epochs=2, shuffle=False, verbose=0, callbacks=callbacks, **options)
    model.fit(
        batches,
        epochs=3,
        initial_epoch=2,
        shuffle=False,
        verbose=0,
        callbacks=callbacks,
        **options,
    )
    assert list(model.seen) == expected


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:`val_bleu` is:UserWarning")
def test_killed_and_begun_again_with_looks_the_order_is_the_uninterrupted_one(
    pairs, processors, tmp_path
):
    expected = batches_of(pairs, processors)
    expected = [*order(expected), *order(expected), *order(expected)]
    steps = len(batches_of(pairs, processors).plan)

    class Kill(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            if len(self.model.seen) == steps + 2:  # in the second epoch
                raise KeyboardInterrupt

    def train(callbacks):
        batches, model = batches_of(pairs, processors), make_reader()
        checkpoint = Checkpoint(tmp_path, mode="min")
        done = checkpoint.restore(model, batches)
        look(batches)
        with contextlib.suppress(KeyboardInterrupt):
            model.fit(
                batches.map(lambda inputs, out: (inputs, out)),
                epochs=3,
                initial_epoch=done,
                shuffle=False,
                verbose=0,
                callbacks=[*callbacks, checkpoint],
            )
        return list(model.seen)

    assert train([Kill()])[:steps] + train([]) == expected


def test_fit_takes_one_epoch_a_pass(pairs, processors):
    source = keras.Input((None,), dtype="int32", name="source")
    target_in = keras.Input((None,), dtype="int32", name="target_in")
    embedded = keras.layers.Embedding(len(processors[1]), 4)(target_in)
    model = keras.Model(
        {"source": source, "target_in": target_in},
        keras.layers.Dense(len(processors[1]))(embedded),
    )
    model.compile(loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    batches = batches_of(pairs, processors)
    epochs = []
    note_epoch = keras.callbacks.LambdaCallback(
        on_epoch_end=lambda epoch, logs: epochs.append((epoch, batches.plan.epoch))
    )
    model.fit(batches, epochs=3, shuffle=False, verbose=0, callbacks=[note_epoch])
    assert epochs == [(0, 1), (1, 2), (2, 3)]


def test_the_plan_is_what_the_dataset_yields(pairs, processors):
    batches = batches_of(pairs, processors)
    planned = batches.plan.batches(1)
    list(batches)
    for (rows, source_length, target_length), (inputs, target_out) in zip(
        planned, batches, strict=True
    ):
        assert inputs["source"].shape == (32, source_length)
        assert target_out.shape == (32, target_length)
        sources = [pairs[row][0] if row >= 0 else "" for row in rows]
        assert processors[0].decode(inputs["source"]) == sources


def test_no_shuffle_goes_from_short_to_long_and_keeps_the_order(pairs, processors):
    plan = batches_of(pairs, processors, shuffle=False).plan
    assert [rows.tolist() for rows, *_ in plan.batches(0)] == [
        rows.tolist() for rows, *_ in plan.batches(5)
    ]
    lengths = [source + target for _, source, target in plan.batches(0)]
    assert lengths == sorted(lengths)
    for _, of_length in itertools.groupby(plan.batches(0), key=lambda batch: batch[1:]):
        rows = np.concatenate([rows[rows >= 0] for rows, *_ in of_length])
        assert (np.diff(rows) > 0).all()


def test_a_dataset_of_pairs(pairs, processors):
    dataset = tf.data.Dataset.from_tensor_slices(tuple(map(list, zip(*pairs, strict=True))))
    assert order(batches_of(dataset, processors)) == order(batches_of(pairs, processors))


def test_pairs_with_an_empty_side_are_dropped_as_pairs(capsys):
    pairs = [
        ("", "xin chào"),
        ("hi", ""),
        ("  ", "a"),
        ("a\rb", "c"),
        ("\u200b", "x"),
        ("ok", "được"),
    ]
    processors = [TextProcessor().adapt(texts) for texts in zip(*pairs, strict=True)]
    batches = make_batches(pairs, *processors, batch_size=2)
    assert batches.plan.dropped == {"empty": 4, "longer than 100 tokens": 0}
    assert sorted(texts_of(batches, processors)) == [("a b", "c"), ("ok", "được")]
    printed = capsys.readouterr().out
    assert printed == f"{batches.plan.report}\n"
    assert printed.startswith("2 pairs in 1 batches of 2; dropped: 4 empty, ")


def test_long_pairs_are_dropped_and_reported():
    pairs = [("a " * 2000, "x"), ("a", "x " * 101), ("a " * 100, "x"), ("a", "x")]
    processors = [TextProcessor().adapt(["a"]), TextProcessor().adapt(["x"])]
    plan = batches_of(pairs, processors).plan
    assert plan.dropped == {"empty": 0, "longer than 100 tokens": 2}
    assert "2 longer than 100 tokens" in plan.report
    everything = batches_of(pairs, processors, max_length=None)
    assert max(inputs["source"].shape[1] for inputs, _ in everything) == 2002


def test_find_usable():
    usable, dropped = find_usable(np.array([0, 3, 9, 0, 5]), np.array([3, 0, 1, 9, 5]), 5)
    assert usable.tolist() == [False, False, False, False, True]
    assert dropped == {"empty": 3, "longer than 5 tokens": 1}


def test_the_report_counts_padding():
    pairs = [("a", "x x"), ("a a a", "x x")]
    processors = [TextProcessor().adapt(["a"]), TextProcessor().adapt(["x"])]
    plan = batches_of(pairs, processors, batch_size=4).plan
    # Real tokens 3 + 5 in the sources, 3 + 3 in the targets; the area is 4 * (5 + 3).
    assert f"padding: {1 - 14 / 32:.1%} with the lengths 5/3" in plan.report


def area(shapes, bucket_of, batch_size):
    sizes = np.bincount(bucket_of, minlength=len(shapes))
    return sum(
        -(-size // batch_size) * batch_size * sum(shape)
        for size, shape in zip(sizes, shapes, strict=True)
    )


def test_buckets_hold_their_pairs():
    rng = np.random.default_rng(0)
    source, target = rng.integers(3, 60, 999), rng.integers(2, 40, 999)
    shapes, bucket_of = choose_buckets(source, target, 16, 6)
    assert (source <= np.array(shapes)[bucket_of, 0]).all()
    assert (target <= np.array(shapes)[bucket_of, 1]).all()


def test_buckets_are_the_best_cut():
    rng = np.random.default_rng(1)
    lengths = np.sort(rng.integers(2, 30, 14))
    best = min(
        area(
            [(lengths[stop - 1],) * 2 for stop in (*cuts, 14)],
            np.searchsorted(cuts, np.arange(14), side="right"),
            2,
        )
        for count in range(3)
        for cuts in itertools.combinations(range(1, 14), count)
    )
    assert area(*choose_buckets(lengths, lengths, 2, 3), 2) == best


def test_more_buckets_pad_less_and_few_pairs_take_few():
    rng = np.random.default_rng(0)
    lengths = rng.integers(3, 60, 2000)
    areas = [area(*choose_buckets(lengths, lengths, 32, buckets), 32) for buckets in (1, 2, 6)]
    assert areas[0] > areas[1] > areas[2]
    assert areas[2] < 1.15 * 2 * lengths.sum()
    assert len(choose_buckets(lengths[:20], lengths[:20], 32, 6)[0]) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch_size": 0}, "batch_size=0"),
        ({"batch_size": 2.5}, "batch_size=2.5"),
        ({"buckets": 0}, "buckets=0"),
        ({"seed": -1}, "at least 0. Received: seed=-1"),
        ({"max_length": 1}, "at least one usable pair.*300 pairs.*'longer than 1 tokens': "),
    ],
)
def test_errors(pairs, processors, options, message):
    with pytest.raises(ValueError, match=message):
        batches_of(pairs, processors, **options)


def test_no_pairs(processors):
    with pytest.raises(ValueError, match=r"at least one usable pair.*Received: 0 pairs"):
        batches_of([], processors)


def test_a_processor_that_was_not_adapted(pairs):
    with pytest.raises(ValueError, match="adapt"):
        batches_of(pairs, [TextProcessor(), TextProcessor()])


def test_batches_come_fast(processors):
    batches = batches_of(sentences(6000), processors, batch_size=64)
    next(iter(batches))
    started = time.perf_counter()
    count = sum(1 for _ in batches)
    assert (time.perf_counter() - started) / count < 0.03  # measured: 1.4 ms


def test_the_end_of_an_epoch_waits_for_nothing():
    # With autotuning, giving up an iterator lasts about as long as it was in use.
    processor = TextProcessor().adapt(["a"])
    dataset = make_batches([("a", "a")], processor, processor, verbose=False)
    assert dataset.options().autotune.enabled is False


def test_long_pairs_come_in_smaller_batches():
    text = TextProcessor(level="char").adapt(["ab"])
    pairs = [("a" * n, "b" * n) for n in (3, 4, 5, 6, 400, 400, 500, 500, 3000)]
    batches = batches_of(pairs, [text, text], 4, max_length=None, shuffle=False)
    shapes = [(*inputs["source"].shape, target.shape[1]) for inputs, target in batches]
    # 4 * 512 tokens are 2 pairs of 502 and 501; a pair of more comes alone.
    assert shapes == [(4, 8, 7), (2, 402, 401), (2, 502, 501), (1, 3002, 3001)]
    assert sorted(texts_of(batches, [text, text])) == sorted(pairs)
    assert len(batches.plan) == int(batches.cardinality()) == 4
    assert len({shape[1:] for shape in shapes}) <= 6


def test_ordinary_pairs_come_in_batches_of_the_size_asked_for():
    """Up to a hundred tokens a side, the default, and far beyond."""
    assert buckets.rows_that_fit(64, np.array([1, 203, 512, 513])).tolist() == [64, 64, 64, 63]


@pytest.mark.slow
def test_the_loss_of_a_smaller_batch_is_the_mean_over_its_tokens():
    text = TextProcessor(level="char").adapt(["abc"])
    pairs = [("a" * n, "abc" * (n // 3)) for n in (3, 6, 300, 600)]
    batches = batches_of(pairs, [text, text], 3, max_length=None, shuffle=False)
    model = build_seq2seq(len(text), len(text), embedding_dim=3, units=4)
    model.compile(loss=SmoothedCrossentropy(), jit_compile=False)
    for inputs, target in batches:
        logits = model(inputs).numpy().astype("float64")
        log_probs = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
        chosen = np.take_along_axis(log_probs, target.numpy()[..., None], -1)[..., 0]
        expected = -chosen[target.numpy() != 0].mean()
        assert model.test_on_batch(inputs, target) == pytest.approx(expected, rel=1e-4)
    assert len({target.shape[0] for _, target in batches}) > 1


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="macOS counts in other units")
def test_one_huge_line_costs_nothing_beyond_its_own():
    text = TextProcessor(level="char").adapt(["a b"])
    batches_of([("a b", "a b")], [text, text])
    pairs, before = [("a b", "a b")] * 4095 + [("ab" * 40_000, "a")], peak_memory()
    plan = batches_of(pairs, [text, text], max_length=50).plan
    assert plan.dropped == {"empty": 0, "longer than 50 tokens": 1}
    assert peak_memory() - before < 500e6  # padded to that line: 2.5 GB


def test_texts_are_encoded_in_parts(monkeypatch):
    """Which pairs there are does not depend on how many bytes are encoded at once."""
    pairs = sentences(50)
    processors = [TextProcessor().adapt(texts) for texts in zip(*pairs, strict=True)]
    expected = order(batches_of(pairs, processors))
    parts, encode = [], TextProcessor.encode_ragged

    def spy(self, texts):
        parts.append(len(texts))
        return encode(self, texts)

    monkeypatch.setattr(TextProcessor, "encode_ragged", spy)
    monkeypatch.setattr("kerasseq.data.batches._BYTES", 100)
    assert order(batches_of(pairs, processors)) == expected
    assert sum(parts) == 2 * 50 and 1 <= max(parts) < 50
