"""What all lessons share: options, the run folder, and what a lesson leaves behind.

A lesson imports this module first: it starts TensorFlow without its talk about missing GPUs.
"""

import argparse
import contextlib
import json
import os
import runpy
import sys
import tempfile
import time
from pathlib import Path

import numpy as np


@contextlib.contextmanager
def _quiet_start():
    """Discard what C++ writes to standard error before it knows of a log level."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    with tempfile.TemporaryFile() as sink:
        sys.stderr.flush()
        kept = os.dup(2)
        os.dup2(sink.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)


with _quiet_start():
    import tensorflow as tf

    tf.config.list_physical_devices()

import keras
from tensorboard.plugins.hparams import api as hparams

from kerasseq.plotting import figure_to_array
from kerasseq.runtime import keep_memory, start_program

keep_memory()
start_program()


def options(name, description, goes_on=False, **defaults):
    """Read the command line over the lesson's block of sizes.

    In a notebook, where there is no command line, the block is what counts.

    Args:
        name: The lesson's, `runs/<name>` is its run folder.
        description: One sentence for `--help`.
        goes_on: Whether a run takes up what an earlier one left in its folder.
        **defaults: The sizes by name; `batch_size=64` becomes `--batch-size`. The type of an option
            is that of its default; None stands for an optional str.

    Returns:
        Namespace of the sizes, `run_dir` and `seed` among them, and `started`, the time.
    """
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    for size, default in ({"seed": 0, "run_dir": f"runs/{name}"} | defaults).items():
        flag = _flag(size)
        if isinstance(default, list):
            kind, word = (type(default[0]), "NUMBER") if default else (str, "TEXT")
            parser.add_argument(
                flag, nargs="*", type=kind, default=default, metavar=word, help=f"{word.lower()}s"
            )
        elif isinstance(default, bool):
            parser.add_argument(flag, action=argparse.BooleanOptionalAction, default=default)
        else:
            kind = str if default is None else type(default)
            help_text = {"run_dir": "folder for logs, figures and results"}.get(size, kind.__name__)
            parser.add_argument(
                flag, type=kind, default=default, metavar=kind.__name__.upper(), help=help_text
            )
    sizes = parser.parse_args([] if _in_notebook() else None)
    sizes.started = time.monotonic()
    sizes.run_dir = _make_folder(sizes.run_dir, clean=not goes_on)
    return sizes


def _make_folder(folder, clean):
    """Make the run folder, or stop and say why; clean, it has nothing of an earlier run."""
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        sys.exit(f"The run folder {folder} cannot be written: {error.strerror}. Try --run-dir.")
    events = "events.out.tfevents.*"
    patterns = (events, f"*/{events}", f"recall/**/{events}", "*.png", "results.json")
    for file in (file for pattern in patterns if clean for file in folder.glob(pattern)):
        file.unlink()  # two runs in one folder would draw two curves as one
    return folder


def show(figure, sizes, name):
    """Save a figure as PNG and for TensorBoard, and say where; in a notebook it is displayed."""
    file = sizes.run_dir / f"{name}.png"
    figure.savefig(file, dpi=150)
    with tf.summary.create_file_writer(str(sizes.run_dir / "figures")).as_default(step=0):
        tf.summary.image(name, figure_to_array(figure)[None])
    print(f"Figure: {file}")
    if _in_notebook():
        from IPython.display import Image, display

        display(Image(file))


def log_run(folder, settings, **scores):
    """Write what a run was and what it reached, for TensorBoard's page HParams.

    Args:
        folder: Where the run logs.
        settings: Dict from a name to a str or a number.
        **scores: Floats.
    """
    with tf.summary.create_file_writer(str(folder)).as_default(step=0):
        hparams.hparams(settings)
        for name, score in scores.items():
            tf.summary.scalar(name, score)


class MovingLine(keras.callbacks.Callback):
    """One line that moves while a model is trained and then goes away, for many short runs.

    Args:
        name: What is being trained.
    """

    def __init__(self, name):
        super().__init__()
        self.name = name

    def on_epoch_begin(self, epoch, logs=None):
        self.epoch = epoch

    def on_train_batch_end(self, batch, logs=None):
        if batch % 10 == 0 and _someone_watches():
            steps = self.params["steps"]
            done = (self.epoch * steps + batch) / (self.params["epochs"] * steps)
            line = f"{self.name}: {done:4.0%}, loss {logs['loss']:.3f}"
            print(f"\r{line:79}", end="", flush=True)

    def on_train_end(self, logs=None):
        if _someone_watches():
            print(f"\r{'':79}", end="\r", flush=True)


@contextlib.contextmanager
def keep_what_is_trained(translator, file):
    """Save the translator when training is over, also if Ctrl-C ends it early."""
    try:
        yield
    except KeyboardInterrupt:
        translator.save(file)
        sys.exit(f"\nStopped. What is trained so far is kept in {file}.")
    translator.save(file)


def seeds(sizes):
    """Yield the seed of each of `sizes.seeds` runs, after Keras has been given it."""
    for seed in range(sizes.seed, sizes.seed + sizes.seeds):
        keras.utils.set_random_seed(seed)
        yield seed


def mean_and_spread(shares):
    """Return the mean of shares in percent, of several runs with their standard deviation."""
    mean, spread = 100 * np.mean(shares), 100 * np.std(shares)
    return f"{mean:.1f} %" if len(shares) == 1 else f"{mean:.1f} ± {spread:.1f} %"


def bleu_by_length(lengths, texts, references, language):
    """Return BLEU by the length of the source: 5 to 10 words, 11 to 20 and so on.

    Args:
        lengths: Integer array, the words of each source.
        texts, references: Lists of str, the translations and what they should be.
        language: Code of the target language.

    Returns:
        Dict from (shortest, longest) to BLEU; groups without a sentence are left out.
    """
    import kerasseq

    scores = {}
    for shortest, longest in ((5, 10), (11, 20), (21, 30), (31, 40)):
        inside = [row for row, length in enumerate(lengths) if shortest <= length <= longest]
        if inside:
            some = [[side[row] for row in inside] for side in (texts, references)]
            scores[shortest, longest] = kerasseq.bleu(*some, language).score
    return scores


def run(lesson, **sizes):
    """Run another lesson with other sizes, as from the command line, and return its names."""
    given_sizes = {name: value for name, value in sizes.items() if value is not None}
    arguments = [str(part) for name, value in given_sizes.items() for part in (_flag(name), value)]
    given, sys.argv = sys.argv, [f"{lesson}.py", *arguments]
    stdin, sys.stdin = sys.stdin, None  # nobody is asked for sentences
    try:
        return runpy.run_path(str(Path(__file__).with_name(f"{lesson}.py")), run_name="__main__")
    finally:
        sys.argv, sys.stdin = given, stdin


def _flag(name):
    return "--" + name.replace("_", "-")


def read_results(sizes, name):
    """Return what another lesson left behind beside this one's run folder, or None."""
    file = sizes.run_dir.parent / name / "results.json"
    return json.loads(file.read_text("utf-8")) if file.is_file() else None


def verbosity():
    """Return what `fit` calls verbose: a moving bar in a terminal, a line an epoch elsewhere."""
    return 1 if _someone_watches() else 2


def _someone_watches():
    return sys.stdout.isatty() or _in_notebook()


def _in_notebook():
    kernel = sys.modules.get("ipykernel.kernelapp")
    return kernel is not None and kernel.IPKernelApp.initialized()


def sentences(given, prompt):
    """Yield the given sentences, then what a reader types until an empty line."""
    yield from given
    if sys.stdin is None or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return
    print("Type a sentence; an empty line ends.")
    with contextlib.suppress(EOFError, KeyboardInterrupt):
        while line := input(prompt).strip():
            yield line


def write_results(sizes, **results):
    """Write what was measured to `results.json` in the run folder, and say where."""
    results |= {"seconds": round(time.monotonic() - sizes.started, 1), "seed": sizes.seed}
    file = sizes.run_dir / "results.json"
    file.write_text(json.dumps(results, indent=2, ensure_ascii=False) + "\n", "utf-8")
    print(f"Results: {file}")
