"""Train a translator on sentence pairs, for lesson 7 and `python -m kerasseq train`."""

import dataclasses
import functools
import zlib
from pathlib import Path
from typing import NamedTuple

import keras

from kerasseq import callbacks
from kerasseq.checks import (
    check_boolean,
    check_one_of,
    check_options,
    check_path,
    check_positive,
    check_positive_integer,
    check_rate,
    check_vocabulary_size,
    check_whole_number,
)
from kerasseq.data import make_batches, to_lists
from kerasseq.losses import SmoothedCrossentropy
from kerasseq.metrics import Perplexity
from kerasseq.models.seq2seq import build_attention_seq2seq
from kerasseq.text.processor import TextProcessor
from kerasseq.translation.file import copy_without_optimizer
from kerasseq.translation.translator import Translator

# TensorBoard shows so many sentences, of so many words at least and at most.
_SHOWN, _SHORTEST, _LONGEST = 4, 5, 14
# Number of batch shapes, with XLA and without: many shapes need less padding, but XLA compiles
# every shape.
_BUCKETS = {True: 6, False: 24}


class Trained(NamedTuple):
    """The result of a training.

    Attributes:
        translator: A `Translator` with the averaged weights of the best epoch.
        history: List of dicts, the logs of each epoch: `loss`, `val_perplexity`, `val_bleu`, …
        best_epoch: Number of the best epoch, from 0.
    """

    translator: Translator
    history: list
    best_epoch: int


def _option(default, check, meaning, **limits):
    """Return a dataclass field: its default, its check, and one line for `--help`."""
    metadata = {"check": functools.partial(check, **limits), "help": meaning}
    return dataclasses.field(default=default, metadata=metadata)


@dataclasses.dataclass
class TrainingOptions:
    """The options of `train_translator` and of `python -m kerasseq train`.

    Each field has a default, a check and a help text. The command line and the documentation read
    all three from here, so a new option is one new field.

    Raises:
        ValueError: If an option does not fit.

    Example:
        >>> TrainingOptions(units=512).epochs
        12
    """

    level: str = _option(
        "subword", check_one_of, "word, char or subword", allowed=("word", "char", "subword")
    )
    vocab_size: int = _option(8000, check_vocabulary_size, "largest number of tokens to keep")
    joint: bool = _option(True, check_boolean, "one vocabulary for both languages")
    embedding_dim: int = _option(128, check_positive_integer, "width of the embeddings")
    units: int = _option(256, check_positive_integer, "width of the decoder state")
    layers: int = _option(1, check_positive_integer, "recurrent layers of encoder and decoder")
    dropout: float = _option(0.3, check_rate, "dropout rate on embeddings and readout")
    tie_embeddings: bool = _option(
        True, check_boolean, "use the target embedding also as output matrix"
    )
    label_smoothing: float = _option(
        0.1, check_rate, "share of the target probability that is spread over all tokens"
    )
    batch_size: int = _option(64, check_positive_integer, "sentence pairs per step")
    learning_rate: float = _option(
        0.004, check_positive, "peak learning rate of Adam, before a cosine decay to zero"
    )
    warmup_steps: int = _option(
        400, check_whole_number, "warm-up steps, at most 10 percent of all steps", least=0
    )
    clipnorm: float = _option(1.0, check_positive, "largest global norm of the gradients")
    average: float = _option(0.998, check_rate, "momentum of the moving average of the weights")
    epochs: int = _option(12, check_positive_integer, "largest number of passes over the pairs")
    patience: int = _option(
        3, check_positive_integer, "epochs without a better BLEU before training stops"
    )
    seed: int = _option(
        0, check_whole_number, "random seed of initial weights, dropout and order", least=0
    )
    jit_compile: bool = _option(
        False, check_boolean, "compile the training step with XLA: pays for large models"
    )

    def __post_init__(self):
        for field in dataclasses.fields(self):
            value = field.metadata["check"](field.name, getattr(self, field.name))
            setattr(self, field.name, value)


def train_translator(train, validation, run_dir, target_language=None, verbose="auto", **options):
    """Train a translator with attention, and keep the epoch with the best BLEU.

    After an interruption, call the function again with the same arguments: training resumes after
    the last complete epoch and ends with the weights of an uninterrupted run.

    Args:
        train, validation: Sentence pairs as from `load_pairs`. BLEU is measured on the validation
            pairs after each epoch.
        run_dir: Folder for TensorBoard logs and checkpoints.
        target_language: Code of the target language, for BLEU as in `kerasseq.bleu`.
        verbose: As in `fit`.
        **options: Fields of `TrainingOptions`.

    Returns:
        A `Trained`.

    Raises:
        ValueError: If an argument does not fit, or `run_dir` holds a run with other arguments.
    """
    check_options(options, [field.name for field in dataclasses.fields(TrainingOptions)])
    options = TrainingOptions(**options)
    folder = Path(check_path("run_dir", run_dir)) / "checkpoint"
    folder.mkdir(parents=True, exist_ok=True)
    sides = to_lists(train)
    validation_sides = to_lists(validation)
    texts = _learn_texts(sides, options)
    batches = make_batches(
        list(zip(*sides, strict=True)),
        *texts,
        options.batch_size,
        options.seed,
        buckets=_BUCKETS[options.jit_compile],
    )
    model = _make_model(texts, len(batches) * options.epochs, options)

    # The optimizer trains `model`. `averaged` holds the moving average of the weights, which
    # translates better; validation and checkpoints use it.
    averaged = copy_without_optimizer(model)
    translator = Translator(averaged, *texts)
    run = dataclasses.asdict(options) | {
        "target_language": target_language,
        "train": _digest(sides),
        "validation": _digest(validation_sides),
    }
    checkpoint = callbacks.Checkpoint(folder, averaged, patience=options.patience, settings=run)
    done = checkpoint.restore(model, batches)
    if done < options.epochs and not checkpoint.is_over:
        pairs = list(zip(*validation_sides, strict=True))
        model.fit(
            batches,
            validation_data=make_batches(pairs, *texts, options.batch_size, shuffle=False),
            epochs=options.epochs,
            initial_epoch=done,
            shuffle=False,  # `batches` has an order of its own in every epoch
            callbacks=[
                callbacks.EpochSeeds(options.seed),
                *_watch(translator, validation_sides, target_language, str(run_dir)),
                checkpoint,
            ],
            verbose=verbose,
        )
    checkpoint.load_best()
    return Trained(translator, checkpoint.history, checkpoint.best_epoch)


def _digest(sides):
    """Return a checksum of sources and targets."""
    sources, targets = sides
    return zlib.crc32("\n".join([*sources, *targets]).encode("utf-8", "replace"))


def _learn_texts(sides, options):
    """Return the text processors of source and target; with `joint`, both are one object."""
    vocab_size, level = options.vocab_size, options.level
    if options.joint:
        return [TextProcessor(vocab_size, level).adapt([*sides[0], *sides[1]])] * 2
    return [TextProcessor(vocab_size, level).adapt(side) for side in sides]


def _make_model(texts, steps, options):
    """Return the compiled model; the learning rate falls to zero in `steps` steps."""
    keras.utils.set_random_seed(options.seed)
    model = build_attention_seq2seq(
        *map(len, texts),
        embedding_dim=options.embedding_dim,
        units=options.units,
        layers=options.layers,
        dropout=options.dropout,
        tie_embeddings=options.tie_embeddings,
    )
    warmup_steps = max(1, min(options.warmup_steps, steps // 10))
    learning_rate = keras.optimizers.schedules.CosineDecay(
        0.0,
        max(1, steps - warmup_steps),
        warmup_target=options.learning_rate,
        warmup_steps=warmup_steps,
    )
    optimizer = keras.optimizers.Adam(
        learning_rate,
        global_clipnorm=options.clipnorm,
        use_ema=True,
        ema_momentum=options.average,
    )
    loss = SmoothedCrossentropy(options.label_smoothing)
    model.compile(optimizer, loss, metrics=[Perplexity()], jit_compile=options.jit_compile)
    return model


def _watch(translator, sides, language, run_dir):
    """Return the callbacks that average the weights and log translations of the validation set."""
    sources, targets = sides
    lengths = map(len, TextProcessor().tokens(sources))
    rows = [row for row, length in enumerate(lengths) if _SHORTEST <= length <= _LONGEST][:_SHOWN]
    rows = rows or range(min(_SHOWN, len(sources)))
    examples = [[side[row] for row in rows] for side in (sources, targets)]
    return [
        callbacks.AverageWeights(translator.model),
        callbacks.BleuScore(translator, sources, targets, language, run_dir),
        callbacks.AttentionMaps(translator, *examples, run_dir),
        callbacks.SampleTranslations(translator, *examples, run_dir),
        keras.callbacks.TensorBoard(run_dir),
    ]
