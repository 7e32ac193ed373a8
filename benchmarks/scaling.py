"""How time and memory of a training step grow: with the source's length, the batch, the vocabulary.

    python benchmarks/scaling.py

One size grows, the others stay as in `BASE`. The exponent b in "grows like size to the power of b"
is the slope of a straight line through the logarithms (least squares): over all sizes, and over the
larger half, where what does not grow counts less. Both builders are measured; what attention itself
costs is the difference. Memory is the peak of one step above what the process held before it.
"""

import ctypes
import functools
import gc
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf
import timing

import kerasseq
from kerasseq.runtime import keep_memory

BASE = {"length": 16, "batch": 32, "vocabulary": 2000}
SIZES = {
    "length": (8, 16, 32, 64, 128, 256),
    "batch": (16, 32, 64, 128, 256),
    "vocabulary": (2000, 4000, 8000, 16000, 32000),
}
TARGET_LENGTH, UNITS, WIDTH = 16, 256, 128
BUILDERS = {
    "without attention": kerasseq.build_seq2seq,
    "with attention": kerasseq.build_attention_seq2seq,
}
CLEAR = Path("/proc/self/clear_refs")  # Linux
M_MMAP_THRESHOLD, M_MMAP_MAX = -3, -4  # from malloc.h
HEADER = ["size", "", "without attention, ms", "with, ms", "attention, ms"]
HEADER += ["without, MB", "with, MB", "attention, MB"]


def main(arguments=None):
    options = timing.parse(__doc__, rounds=7).parse_args(arguments)
    figures, rows, exponents = {}, [], []
    for name, sizes in SIZES.items():
        sizes = np.array(sizes[:2] if options.quick else sizes)
        times, memory = measure(name, sizes, options)
        for index, size in enumerate(sizes):
            row = [*times[:, index] * 1e3, *memory[:, index] / 2**20]
            rows.append([name, size, *(f"{value:.1f}" for value in row)])
        for kind, values in (("time", times), ("memory", memory)):
            for label, series in zip((*BUILDERS, "attention"), values, strict=True):
                half = len(sizes) // 2
                fitted = [exponent(sizes, series), exponent(sizes[half:], series[half:])]
                exponents.append([kind, name, label, *fitted])
            figures[f"{kind}_exponent_{name}"] = exponents[-2][-2]  # with attention
    timing.print_table(HEADER, rows)
    timing.print_table(["exponent of", "in", "", "all sizes", "larger half"], exponents)
    timing.print_result("scaling", **figures)


def measure(name, sizes, options):
    """Return seconds and peak bytes of a step, `(3, sizes)`: without, with, and the difference."""
    functions, peaks = {}, {}
    return_freed_memory()
    for builder in BUILDERS:
        for size in sizes.tolist():
            functions[builder, size] = make_step(builder, options.quick, **BASE | {name: size})
            peaks[builder, size] = peak_memory(functions[builder, size])
    keep_memory()
    seconds = timing.alternate(functions, options.rounds)
    medians = {key: np.median(values) for key, values in seconds.items()}
    found = []
    for values in (medians, peaks):
        pair = [[values[builder, size] for size in sizes.tolist()] for builder in BUILDERS]
        found.append(np.array([*pair, np.subtract(pair[1], pair[0])], float))
    return found


def make_step(builder, quick, length, batch, vocabulary):
    """Return a function that does one training step on sequences of one size."""
    train = make_model(builder, vocabulary, quick)
    batches = iter(as_dataset(batch, length, vocabulary).repeat())
    return lambda: [value.numpy() for value in train(batches).values()]


@functools.cache
def make_model(builder, vocabulary, quick):
    """Return the training step of a new model, compiled as `fit` compiles it, for any shape."""
    width, units = (8, 8) if quick else (WIDTH, UNITS)
    model = BUILDERS[builder](vocabulary, vocabulary, embedding_dim=width, units=units)
    optimizer = keras.optimizers.Adam(clipnorm=1.0)
    model.compile(optimizer, kerasseq.SmoothedCrossentropy(0.1), jit_compile=False)
    model.make_train_function()
    # The graph is made on a small batch: that needs memory of its own.
    model.train_function(iter(as_dataset(1, 2, vocabulary)))
    return model.train_function


def as_dataset(batch, length, vocabulary):
    """Return a dataset of one batch, in which TensorFlow sees no fixed length or batch."""
    random = np.random.default_rng(0)
    source = random.integers(4, vocabulary, (batch, length)).astype("int32")
    target = random.integers(4, vocabulary, (batch, TARGET_LENGTH)).astype("int32")
    real = tf.data.Dataset.from_tensors(({"source": source, "target_in": target}, target))
    empty = tf.zeros((0, 0), tf.int32)
    other = tf.data.Dataset.from_tensors(({"source": empty, "target_in": empty}, empty))
    return real.concatenate(other).take(1)


def return_freed_memory():
    """Let glibc give every freed tensor back at once: what is kept would hide the next peak."""
    if CLEAR.exists():
        ctypes.CDLL(None).mallopt(M_MMAP_MAX, 2**16)
        ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, 2**16)


def peak_memory(function):
    """Return the bytes that a call needs at its peak, on Linux; elsewhere NaN."""
    if not CLEAR.exists():
        return np.nan
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # what is free goes back to the system, to be asked for anew
    CLEAR.write_text("5", "utf-8")  # the peak begins anew
    before = read_status("VmRSS")
    function()
    return read_status("VmHWM") - before


def read_status(name):
    lines = Path("/proc/self/status").read_text("utf-8").splitlines()
    [line] = [line for line in lines if line.startswith(name)]
    return int(line.split()[1]) * 1024


def exponent(sizes, values):
    """Return the slope of log(values) over log(sizes); None if they cannot be fitted."""
    if len(sizes) < 2 or not (np.asarray(values) > 0).all():
        return None
    return round(float(np.polyfit(np.log(sizes), np.log(values), 1)[0]), 3)


if __name__ == "__main__":
    main()
