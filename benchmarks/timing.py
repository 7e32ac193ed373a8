"""Measuring side by side: every competitor in turn, round after round, in one process.

On a shared machine a figure of this minute cannot be compared with one of the next. So all
competitors take turns within each round, every second round in reverse order, and what is quoted
is the median over the rounds of the ratio *within* a round, with its quartiles.
"""

import argparse
import gc
import json
import os
import time

import numpy as np

# PyTorch's threads wait for each other in busy loops. Where anything else runs beside them, they
# take the cores from each other and a training step lasts several times as long.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

try:
    import torch
except ImportError:  # the benchmarks run without; what compares with PyTorch is null
    torch = None

from kerasseq.runtime import keep_memory, start_program

# Else every large tensor of every competitor waits for its pages.
keep_memory()

MATMUL_SIZE = 1024


def parse(description, rounds):
    """Return the parser of a benchmark, with the options that all have."""
    start_program()
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=rounds, help=f"default {rounds}")
    parser.add_argument("--quick", action="store_true", help="tiny sizes: does it run at all?")
    return parser


def add_sizes(parser):
    """Add the options for the sizes to measure, of which the first is the headline."""
    parser.add_argument("--batch", type=int, nargs="+", default=[64, 128], help="default 64 128")
    parser.add_argument("--units", type=int, nargs="+", default=[512, 256], help="default 512 256")


def alternate(functions, rounds, warm_up=1):
    """Run every function once a round and time it.

    Args:
        functions: Dict from a name to a function without arguments, which returns when its work is
            done.
        rounds: Number of rounds that are timed.
        warm_up: Number of rounds before them that are not.

    Returns:
        Dict from the name to the seconds of each round, an array of shape `(rounds,)`.
    """
    names = list(functions)
    seconds = {name: [] for name in names}
    for number in range(-warm_up, rounds):
        gc.collect()
        gc.disable()
        for name in names if number % 2 else reversed(names):
            begin = time.perf_counter()
            functions[name]()
            if number >= 0:
                seconds[name].append(time.perf_counter() - begin)
        gc.enable()
    return {name: np.array(times) for name, times in seconds.items()}


def compete(functions, rounds, trial=1):
    """Find out which setting is best for each competitor, then let those take turns.

    Args:
        functions: Dict from (competitor, setting) to a function as for `alternate`.
        rounds: Number of rounds that are timed.
        trial: Number of rounds, after one more, by which the settings are chosen.

    Returns:
        Dict from the competitor to the seconds of each round, and one to its setting.
    """
    seconds, best = alternate(functions, trial), {}
    for competitor, setting in functions:
        other = best.setdefault(competitor, setting)
        if np.median(seconds[competitor, setting]) < np.median(seconds[competitor, other]):
            best[competitor] = setting
    finalists = {competitor: functions[competitor, best[competitor]] for competitor in best}
    return alternate(finalists, rounds, warm_up=0), best


def in_threads(function):
    """Return settings of a function that runs on PyTorch: on one core, and on all."""

    def on(count):
        def run():
            torch.set_num_threads(count)
            function()

        return run

    return {f"threads: {count}": on(count) for count in {1, os.cpu_count()}}


def ratios(peer, ours):
    """Return how many times faster ours was in each round; None without a peer."""
    return None if peer is None else peer / ours


def median(values, digits=3):
    """Return the median as JSON can hold it, None for None."""
    return None if values is None else float(f"{np.median(values):.{digits}g}")


def quoted(values, scale=1.0, unit=""):
    """Return "median [lower quartile, upper quartile]" as text."""
    if values is None:
        return "not installed"
    low, middle, high = np.percentile(np.asarray(values) * scale, [25, 50, 75])
    return f"{middle:.4g}{unit} [{low:.4g}, {high:.4g}]"


def print_table(header, rows):
    """Print a table in Markdown."""
    rows = [[str(cell) for cell in row] for row in [header, *rows]]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rows.insert(1, ["-" * width for width in widths])
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print("| " + " | ".join(cells) + " |", flush=True)


def print_result(benchmark, **figures):
    """Print the last line: the figures as one line of JSON."""
    print(json.dumps({"benchmark": benchmark, **figures}), flush=True)


def matmul(times=4):
    """Return a function that multiplies float32 matrices of 1024 × 1024 `times` times."""
    import tensorflow as tf

    a = b = tf.random.normal((MATMUL_SIZE, MATMUL_SIZE))
    product = tf.function(tf.matmul)

    def run():
        for _ in range(times):
            product(a, b).numpy()

    return run


def matmul_rate(seconds, times=4):
    """Return the FLOP/s of each round, from the seconds that `matmul` took."""
    return 2 * MATMUL_SIZE**3 * times / seconds
