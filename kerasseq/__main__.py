"""The command line: train, translate, evaluate and export a translator.

    python -m kerasseq train --dataset multi30k/ --source de --target en --model de-en.kerasseq
    python -m kerasseq translate --model de-en.kerasseq --beam-width 5 < test.de > test.en
    python -m kerasseq evaluate test.en --references reference.en --language en
    python -m kerasseq export --model de-en.kerasseq --folder saved_model/

Each command has a --help.
"""

import argparse
import dataclasses
import os
import re
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow as tf

from kerasseq import bleu, chrf, load_pairs
from kerasseq.checks import check_positive_integer
from kerasseq.data import default_splits
from kerasseq.metrics import paired_bootstrap
from kerasseq.runtime import discard_output, keep_memory, start_program
from kerasseq.text.lines import decode_lines, read_lines
from kerasseq.training import TrainingOptions, train_translator
from kerasseq.translation.file import check_writable
from kerasseq.translation.translator import Translator

_CHUNK = 8  # batches read at once, then sorted by length
_TRAINING = dataclasses.fields(TrainingOptions)
_CHARACTERS = 512  # mean length of a line above which fewer lines are read at once


def main(arguments=None):
    """Run one command; an error ends the program with one sentence."""
    start_program()
    options = _parser().parse_args(arguments)
    keep_memory()
    try:
        options.run(options)
    except BrokenPipeError:  # the reader has closed the pipe, as `head` does
        discard_output()
        sys.exit(1)
    except (ValueError, OSError, tf.errors.OpError) as error:
        sys.exit(f"kerasseq {options.command}: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


def train(options):
    """Train a translator and save it; the same command resumes an interrupted training."""
    corpus = {"dataset": options.dataset, "source": options.source, "target": options.target}
    corpus["data_dir"] = options.data_dir
    splits = default_splits(**corpus)
    pairs = [
        load_pairs(**corpus, split=split or default)
        for split, default in zip((options.train, options.validation), splits[:2], strict=True)
    ]
    training = {field.name: getattr(options, field.name) for field in _TRAINING}
    check_writable(options.model)  # now, not after the training
    trained = train_translator(*pairs, options.run_dir, options.target, verbose=2, **training)
    trained.translator.save(options.model)
    best = trained.history[trained.best_epoch]
    print(f"Best epoch: {trained.best_epoch + 1} with val_bleu {best['val_bleu']:.2f}")
    print(f"Translator: {options.model}")


def translate(options):
    """Translate standard input line by line to standard output, both UTF-8.

    Bytes that are not UTF-8 are read as U+FFFD, so that one bad line does not stop the others.
    """
    check_positive_integer("batch_size", options.batch_size)
    if sys.stdin is None or sys.stdout is None:
        raise ValueError("Standard input and standard output must be open.")
    translator = Translator.load(options.model)
    lines = decode_lines(sys.stdin.buffer, "standard input", errors="replace")
    # At a terminal each line is answered before the next line is read.
    at_once = 1 if options.unbuffered or sys.stdin.isatty() else _CHUNK * options.batch_size
    done = 0
    for chunk in _chunks(lines, at_once):
        translations = translator.translate(
            chunk,
            beam_width=options.beam_width,
            length_penalty=options.length_penalty,
            replace_unknown=options.replace_unknown,
            batch_size=options.batch_size,
            keep_attention=False,
        )
        for translation in translations:
            line = re.sub(r"[\r\n]+", " ", translation.text)
            sys.stdout.buffer.write(line.encode("utf-8") + b"\n")
        sys.stdout.buffer.flush()
        done += len(chunk)
        if sys.stderr.isatty():
            print(f"\r{done} lines", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print(file=sys.stderr)


def _chunks(lines, most):
    """Yield lists of at most `most` lines; a list of long lines has fewer."""
    chunk, characters = [], 0
    for line in lines:
        chunk.append(line)
        characters += len(line)
        if len(chunk) == most or characters >= most * _CHARACTERS:
            yield chunk
            chunk, characters = [], 0
    if chunk:
        yield chunk


def evaluate(options):
    """Print BLEU and chrF of one system, or compare two systems by a paired bootstrap.

    The files are UTF-8, also `.gz`. A line that is not UTF-8 is an error.
    """
    references = read_lines(options.references)
    systems = {file: read_lines(file) for file in options.translations}
    for file, hypotheses in systems.items():
        print(file)
        for name, score in (
            ("BLEU", bleu(hypotheses, references, options.language)),
            ("chrF", chrf(hypotheses, references)),
        ):
            print(f"  {name} {score.score:.2f} ({score.signature})")
    if len(systems) == 2:
        print("Paired bootstrap, 1000 samples:")
        for comparison in paired_bootstrap(*systems.values(), references, options.language):
            difference = comparison.system - comparison.baseline
            print(f"  {comparison.metric} {difference:+.2f}, p = {comparison.p_value:.3f}")


def export(options):
    """Write a SavedModel, which runs without kerasseq."""
    translator = Translator.load(options.model)
    translator.export(options.folder, options.beam_width, options.length_penalty)
    print(f"SavedModel: {options.folder}")


def _parser():
    parser = argparse.ArgumentParser(
        prog="python -m kerasseq",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)

    def command(run, example):
        added = commands.add_parser(
            run.__name__,
            help=run.__doc__,
            description=run.__doc__,
            epilog=f"Example: {example}",
        )
        added.set_defaults(run=run)
        return added.add_argument

    _add_train(command(train, "train --dataset phrasebook/en_fr --source en --target fr"))
    add = command(translate, "translate --model translator.kerasseq --beam-width 5 < in > out")
    _add_search(add)
    add("--replace-unknown", action="store_true", help="replace [UNK] by the source word")
    add("--batch-size", type=int, default=64, help="lines translated at once (default: 64)")
    add("--unbuffered", action="store_true", help="write each line before reading the next line")
    add = command(evaluate, "evaluate first.en second.en --references reference.en --language en")
    add("translations", nargs="+", help="one or two files of translations, one per line")
    add("--references", required=True, help="file of references, one per line")
    add("--language", help="language code of the references; by default their script decides")
    add = command(export, "export --model translator.kerasseq --folder saved_model/")
    _add_search(add)
    add("--folder", required=True, help="folder to write")
    return parser


def _add_train(add):
    add("--dataset", required=True, help="name of a TFDS data set, or a folder or file of pairs")
    add("--source", required=True, help="code of the source language")
    add("--target", required=True, help="code of the target language")
    add("--data-dir", help="folder of prepared TFDS data sets")
    add("--train", help="split to train on (default: the training split of the data set)")
    add("--validation", help="split to measure BLEU on after each epoch")
    add(
        "--run-dir",
        default="runs/train",
        help="folder for TensorBoard logs and checkpoints (default: runs/train)",
    )
    add(
        "--model",
        default="translator.kerasseq",
        help="file for the translator (default: translator.kerasseq)",
    )
    for field in _TRAINING:
        kind = {"type": field.type}
        if field.type is bool:
            kind = {"action": argparse.BooleanOptionalAction}
        text = f"{field.metadata['help']} (default: {field.default})"
        add("--" + field.name.replace("_", "-"), default=field.default, help=text, **kind)


def _add_search(add):
    add("--model", required=True, help="file written by `train` or Translator.save")
    add(
        "--beam-width",
        type=int,
        default=5,
        help="hypotheses per sentence; 1 is greedy search (default: 5)",
    )
    add(
        "--length-penalty",
        type=float,
        default=1.0,
        help="larger values favor longer translations (default: 1)",
    )


if __name__ == "__main__":
    main()
