"""Train a translator from sentence pairs: what lesson 7 and `python -m kerasseq train` do."""

import zlib
from functools import partial
from pathlib import Path
from typing import NamedTuple

import keras

from kerasseq import callbacks
from kerasseq.archive import uncompiled
from kerasseq.arguments import (
    boolean,
    check_options,
    positive,
    positive_integer,
    rate,
    whole_number,
)
from kerasseq.data import make_batches, to_lists
from kerasseq.losses import SmoothedCrossentropy
from kerasseq.metrics import Perplexity
from kerasseq.models import build_attention_seq2seq
from kerasseq.text import TextProcessor
from kerasseq.text_arguments import path
from kerasseq.translator import Translator

_SHOWN, _SHORTEST, _LONGEST = 4, 5, 14  # sentences drawn for TensorBoard, and their words
_BUCKETS = {True: 6, False: 24}  # XLA compiles every shape; without it more of them pad less


class Trained(NamedTuple):
    """What training made.

    Attributes:
        translator: A `Translator` with the averaged weights of the best epoch.
        history: List of dicts, the logs of each epoch: `loss`, `val_perplexity`, `val_bleu`, …
        best_epoch: Its number, from 0.
    """

    translator: Translator
    history: list
    best_epoch: int


OPTIONS = {
    "level": "subword",
    "vocab_size": 8000,
    "joint": True,
    "embedding_dim": 128,
    "units": 256,
    "layers": 1,
    "dropout": 0.3,
    "tie_embeddings": True,
    "label_smoothing": 0.1,
    "batch_size": 64,
    "learning_rate": 0.004,
    "warmup_steps": 400,
    "clipnorm": 1.0,
    "average": 0.998,
    "epochs": 12,
    "patience": 3,
    "seed": 0,
    "jit_compile": False,
}

_CHECKS = {
    **dict.fromkeys(("joint", "tie_embeddings", "jit_compile"), boolean),
    **dict.fromkeys(("dropout", "label_smoothing", "average"), rate),
    **dict.fromkeys(
        ("embedding_dim", "units", "layers", "batch_size", "epochs", "patience"), positive_integer
    ),
    **dict.fromkeys(("learning_rate", "clipnorm"), positive),
    **dict.fromkeys(("warmup_steps", "seed"), partial(whole_number, least=0)),
}


def train_translator(train, validation, run_dir, target_language=None, verbose="auto", **options):
    """Train a translator with attention, and keep the epoch that translates best.

    Ended by whatever, it goes on with the last whole epoch when called again with the same
    arguments, and ends with the weights of a run that was never interrupted.

    Args:
        train, validation: Sentence pairs as from `load_pairs`. On those for validation, BLEU is
            measured after each epoch.
        run_dir: Folder for TensorBoard and for what training needs to go on.
        target_language: Code of the target language, for BLEU as in `kerasseq.bleu`.
        verbose: As in `fit`.
        **options: Instead of the defaults in `OPTIONS`:

            - `level`, `vocab_size`: as in `TextProcessor`.
            - `joint`: whether both languages share one vocabulary.
            - `embedding_dim`, `units`, `layers`, `dropout`, `tie_embeddings`: as in
              `build_attention_seq2seq`.
            - `label_smoothing`: as in `SmoothedCrossentropy`.
            - `batch_size`: pairs a step.
            - `learning_rate`: the highest, of Adam: it is reached after `warmup_steps` and falls
              along a cosine to zero.
            - `warmup_steps`: steps in which it rises; at most a tenth of all.
            - `clipnorm`: most that the gradients of all weights together may measure.
            - `average`: momentum of the moving average of the weights.
            - `epochs`: most passes over the pairs.
            - `patience`: stop after so many epochs without a better BLEU.
            - `seed`: seed of the first weights, of dropout and of the order.
            - `jit_compile`: whether XLA compiles the step: tens of seconds for each shape of a
              batch, which large models win back.

    Returns:
        A `Trained`.

    Raises:
        ValueError: If an argument does not fit, or `run_dir` holds a run with others.
    """
    settings = _check_settings(options)
    folder = Path(path("run_dir", run_dir)) / "checkpoint"
    folder.mkdir(parents=True, exist_ok=True)
    batch_size, epochs, seed = (settings[name] for name in ("batch_size", "epochs", "seed"))
    sides = to_lists(train)
    texts = _learn_texts(sides, settings)
    buckets = _BUCKETS[bool(settings["jit_compile"])]
    batches = make_batches(
        list(zip(*sides, strict=True)), *texts, batch_size, seed, buckets=buckets
    )
    model = _make_model(texts, len(batches) * epochs, settings)

    # The one that learns makes large steps; the one that translates has the average of its weights.
    averaged = uncompiled(model)
    translator = Translator(averaged, *texts)
    run = settings | {"target_language": target_language}
    run |= {"train": _digest(train), "validation": _digest(validation)}
    checkpoint = callbacks.Checkpoint(folder, averaged, patience=settings["patience"], settings=run)
    done = checkpoint.restore(model, batches)
    if done < epochs and not checkpoint.is_over:
        model.fit(
            batches,
            validation_data=make_batches(validation, *texts, batch_size, shuffle=False),
            epochs=epochs,
            initial_epoch=done,
            shuffle=False,  # the batches come shuffled already
            callbacks=[
                callbacks.EpochSeeds(seed),
                *_watch(translator, validation, target_language, str(run_dir)),
                checkpoint,
            ],
            verbose=verbose,
        )
    checkpoint.load_best()
    return Trained(translator, checkpoint.history, checkpoint.best_epoch)


def _check_settings(options):
    """Return all settings, the given options instead of their defaults, if they fit."""
    check_options(options, OPTIONS)
    settings = OPTIONS | options
    return {
        name: _CHECKS[name](name, value) if name in _CHECKS else value
        for name, value in settings.items()
    }


def _digest(pairs):
    """Return a number that changes when the pairs do."""
    sources, targets = to_lists(pairs)
    return zlib.crc32("\n".join([*sources, *targets]).encode("utf-8", "replace"))


def _learn_texts(sides, settings):
    """Return the text processors of source and target, the same one if they are `joint`."""
    vocab_size, level = settings["vocab_size"], settings["level"]
    if settings["joint"]:
        return [TextProcessor(vocab_size, level).adapt([*sides[0], *sides[1]])] * 2
    return [TextProcessor(vocab_size, level).adapt(side) for side in sides]


def _make_model(texts, steps, settings):
    """Return the model, compiled to be trained for `steps` steps with the settings of the run."""
    keras.utils.set_random_seed(settings["seed"])
    sizes = ("embedding_dim", "units", "layers", "dropout", "tie_embeddings")
    model = build_attention_seq2seq(*map(len, texts), **{name: settings[name] for name in sizes})
    warmup_steps = max(1, min(settings["warmup_steps"], steps // 10))
    learning_rate = keras.optimizers.schedules.CosineDecay(
        0.0,
        max(1, steps - warmup_steps),
        warmup_target=settings["learning_rate"],
        warmup_steps=warmup_steps,
    )
    optimizer = keras.optimizers.Adam(
        learning_rate,
        global_clipnorm=settings["clipnorm"],
        use_ema=True,
        ema_momentum=settings["average"],
    )
    loss = SmoothedCrossentropy(settings["label_smoothing"])
    model.compile(optimizer, loss, metrics=[Perplexity()], jit_compile=settings["jit_compile"])
    return model


def _watch(translator, validation, language, run_dir):
    """Return the callbacks that average the weights and show what they say to held-out texts."""
    sources, targets = to_lists(validation)
    words = TextProcessor().tokens(sources)
    shown = [row for row, one in enumerate(words) if _SHORTEST <= len(one) <= _LONGEST][:_SHOWN]
    shown = shown or range(min(_SHOWN, len(sources)))
    some = [[side[row] for row in shown] for side in (sources, targets)]
    return [
        callbacks.AverageWeights(translator.model),
        callbacks.BleuScore(translator, sources, targets, language, run_dir),
        callbacks.AttentionMaps(translator, *some, run_dir),
        callbacks.SampleTranslations(translator, *some, run_dir),
        keras.callbacks.TensorBoard(run_dir),
    ]
