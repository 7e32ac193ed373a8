"""Training the translator with attention: real target tokens a second.

    python benchmarks/training.py [--epoch] [--dataset FOLDER --source de --target en]

The competitors: `kerasseq.build_attention_seq2seq`; the same without the written-out backward pass
("portable"); the network of TensorFlow's tutorial; the same network as ours in PyTorch. All train
with Adam on the same batches, those with Keras through `fit`, and each counts at its best: Keras
with XLA or without, PyTorch on one core or on all. The first epoch, in which graphs are made and
compiled, is reported apart. With `--epoch` ours and PyTorch also train on all pairs once, each with
batches as suit it best: ours those of `make_batches` in 16 shapes, PyTorch batches of neighbors in
length, which are hardly padded.

`matmul_share` is how near ours comes to multiplying matrices all the time. A real token needs, with
u units, embeddings of width e, attention of width a and V words, forward (in multiply-adds)

    source:  2 · 4 · u/2 · (e + u/2) + u a                  two LSTMs of u/2 units, keys
    target:  4 u (e + u + u) + u a + (2 u + e) e + e V      LSTM, query, readout, logits

times 2 operations, times 3 for forward and backward. The rest is below 1 % and left out. The share
is these operations over the time, over the rate of a product of 1024 × 1024 in the same round.
"""

import functools
import itertools
import os
import time

import keras
import lengths
import tensorflow as tf
import timing
import tutorial_peer
from timing import torch

import kerasseq
from kerasseq import bptt
from kerasseq.data.batches import without_autotune

WIDTH = 256  # of embeddings, attention and readout
PARTS = 20  # of an epoch
BUCKETS = 16  # shapes of our batches in it: more are less padding and more to compile
PEERS = ["portable", "tutorial", "torch"]
HEADER = [
    "batch",
    "units",
    "competitor",
    "at its best",
    "compile, s",
    "target tokens/s",
    "ours is faster",
]


def main(arguments=None):
    parser = timing.parse(__doc__, rounds=5)
    parser.add_argument("--batches", type=int, default=6, help="batches a turn; default 6")
    parser.add_argument("--epoch", action="store_true", help="train on all pairs once, too")
    parser.add_argument("--skip-xla", action="store_true", help="it takes minutes to compile")
    timing.add_sizes(parser)
    lengths.add_options(parser)
    options = parser.parse_args(arguments)
    options.vocabulary = 50 if options.quick else 7500
    if options.quick:
        options.batch, options.units, options.skip_xla = [8], [16], True
    sizes = list(itertools.product(options.batch, options.units))
    corpus = lengths.load_corpus(options, options.vocabulary, 100 if options.quick else None)
    rows, headline = [], {}
    for batch_size, units in sizes:
        batches = lengths.sample(lengths.bucketed(corpus, batch_size), options.batches)
        figures = measure(batches, units, options, rows)
        headline = headline or figures
    timing.print_table(HEADER, rows)
    xla = headline["xla"]
    epoch = measure_epoch(corpus, *sizes[0], xla, options) if options.epoch else None
    timing.print_result(
        "training",
        **{f"vs_{peer}": timing.median(headline[peer]) for peer in PEERS},
        epoch_vs_torch=timing.median(epoch),
        matmul_share=timing.median(headline["matmul_share"]),
    )


def measure(batches, units, options, rows):
    """Let all compete on the same batches; add to the table; return ratios and `matmul_share`."""
    functions, compiling = {}, {}
    for competitor in ("ours", "portable", "tutorial"):
        for setting in ("XLA off",) if options.skip_xla else ("XLA off", "XLA on"):
            begin = time.perf_counter()
            run = make_keras(competitor, units, options.vocabulary, setting)
            functions[competitor, setting] = functools.partial(run, as_dataset(batches))
            functions[competitor, setting]()
            compiling[competitor, setting] = time.perf_counter() - begin
    if torch:
        run = functools.partial(make_torch(units, options.vocabulary), batches)
        for setting, function in timing.in_threads(run).items():
            functions["torch", setting] = function
    functions["matmul", None] = timing.matmul()
    seconds, best = timing.compete(functions, options.rounds)
    source_tokens, target_tokens = lengths.real_tokens(batches)
    found = {"xla": best["ours"]}
    for name in ("ours", *PEERS):
        found[name] = timing.ratios(seconds.get(name), seconds["ours"])
        setting = best.get(name)
        compiled = f"{compiling[name, setting]:.1f}" if (name, setting) in compiling else None
        row = [len(batches[0][0]), units, name, setting, compiled]
        speed = target_tokens / seconds[name] if name in seconds else None
        rows.append([*row, timing.quoted(speed), timing.quoted(found[name])])
    rate = timing.matmul_rate(seconds["matmul"])
    operations = count_operations(source_tokens, target_tokens, units, options.vocabulary)
    found["matmul_share"] = operations / seconds["ours"] / rate
    print(
        f"batch {len(batches[0][0])}, {units} units: {rate.mean() / 1e9:.0f} GFLOP/s in matrix "
        f"products, of which ours reaches {timing.quoted(found['matmul_share'])}",
        flush=True,
    )
    return found


def count_operations(source_tokens, target_tokens, units, vocabulary):
    """Return the floating point operations of a training step; the formula stands at the top."""
    source = 4 * units * (WIDTH + units // 2) + units * WIDTH
    target = 4 * units * (WIDTH + 2 * units) + units * WIDTH
    target += (2 * units + WIDTH) * WIDTH + WIDTH * vocabulary
    return 3 * 2 * (source_tokens * source + target_tokens * target)


def make_keras(competitor, units, vocabulary, setting):
    """Return a function that trains a new model for one epoch of a dataset."""
    jit_compile = setting == "XLA on"
    with bptt.enabled(competitor != "portable"):
        if competitor == "tutorial":
            model = tutorial_peer.build(vocabulary, vocabulary, WIDTH, units)
            model.compile("adam", tutorial_peer.masked_loss, jit_compile=jit_compile)
        else:
            model = kerasseq.build_attention_seq2seq(
                vocabulary,
                vocabulary,
                embedding_dim=WIDTH,
                units=units,
                attention_units=WIDTH,
                tie_embeddings=True,
            )
            loss = kerasseq.SmoothedCrossentropy(0.1)
            model.compile(keras.optimizers.Adam(clipnorm=1.0), loss, jit_compile=jit_compile)

    def run(dataset):
        with bptt.enabled(competitor != "portable"):  # it counts when `fit` first traces
            model.fit(dataset, verbose=0, shuffle=False)

    return run


def make_torch(units, vocabulary):
    """Return a function that trains a new PyTorch model on batches."""
    import torch_peer

    model = torch_peer.Translator(vocabulary, vocabulary, WIDTH, units, WIDTH)
    train = torch_peer.make_training_step(model)

    def run(batches):
        for batch in batches:
            train(*(torch.from_numpy(ids).long() for ids in batch))

    return run


def as_dataset(batches):
    """Return the batches as a dataset for `fit`."""
    ids = tf.TensorSpec((None, None), tf.int32)
    dataset = tf.data.Dataset.from_generator(
        lambda: (({"source": source, "target_in": t_in}, out) for source, t_in, out in batches),
        output_signature=({"source": ids, "target_in": ids}, ids),
    )
    dataset = dataset.apply(tf.data.experimental.assert_cardinality(len(batches)))
    return without_autotune(dataset.prefetch(2))


def measure_epoch(corpus, batch_size, units, xla, options):
    """Return PyTorch's time over ours for all pairs, the two in turns part by part."""
    if not torch:
        return None
    torch.set_num_threads(os.cpu_count())
    ours, peer = (
        make_keras("ours", units, options.vocabulary, xla),
        make_torch(units, options.vocabulary),
    )
    batches = {
        "ours": lengths.bucketed(corpus, batch_size, BUCKETS),
        "torch": lengths.sorted_by_length(corpus, batch_size),
    }
    run = {"ours": lambda part: ours(as_dataset(part)), "torch": peer}
    count = min(PARTS, *map(len, batches.values()))
    functions = {}
    for name, own in batches.items():
        begin = time.perf_counter()
        run[name](lengths.one_of_each_shape(own) if name == "ours" else own[:1])
        print(f"{name}: graphs made in {time.perf_counter() - begin:.1f} s", flush=True)
        parts = iter([own[part::count] for part in range(count)])
        functions[name] = lambda name=name, parts=parts: run[name](next(parts))
    seconds = timing.alternate(functions, rounds=count, warm_up=0)
    for name, parts in seconds.items():
        print(f"one epoch, {name}: {parts.sum():.1f} s", flush=True)
    return seconds["torch"].sum() / seconds["ours"].sum()


if __name__ == "__main__":
    main()
