"""Runs lessons and their solutions at small sizes, on a small phrasebook."""

import json
import runpy
import sys
from pathlib import Path

import pytest
import tensorflow as tf

from kerasseq import phrasebook
from kerasseq.phrasebook import builder, corpus

TUTORIALS = Path(__file__).parents[2] / "tutorials"
SMALL = ("--epochs", 2, "--units", 16, "--embedding-dim", 8, "--batch-size", 32)


def make_small_phrasebook(folder):
    """Prepare a small phrasebook from the same grammar in a folder."""
    sampler = corpus.make_sampler("en_fr", seed=1)
    sizes = {"train": 256, "validation": 32, "test": 32, "long": 8}
    splits = {name: [sampler.sentence(8) for _ in range(size)] for name, size in sizes.items()}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(builder, "make_corpus", lambda config: splits)
        phrasebook.prepare("en_fr", folder)


def run_lesson(name, *arguments):
    """Run a lesson or, as `solutions/<name>`, its solutions as from the command line."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", [f"{name}.py", *map(str, arguments)])
        patch.syspath_prepend(TUTORIALS)
        return runpy.run_path(str(TUTORIALS / f"{name}.py"), run_name="__main__")


def results_of(lesson):
    """Return what a lesson left in `results.json`."""
    return json.loads((lesson["sizes"].run_dir / "results.json").read_text())


def figures_of(lesson):
    """Return the names of the figures that a lesson drew."""
    return {file.name for file in lesson["sizes"].run_dir.glob("*.png")}


def hparams_of(folder):
    """Return settings and scores of all runs below a folder that TensorBoard can compare."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.plugins.hparams import plugin_data_pb2

    runs = []
    for directory in sorted({file.parent for file in folder.rglob("events.out.tfevents.*")}):
        events = EventAccumulator(str(directory)).Reload()
        if not any(tag.startswith("_hparams_") for tag in events.summary_metadata):
            continue
        content = events.PluginTagToContent("hparams")["_hparams_/session_start_info"]
        start = plugin_data_pb2.HParamsPluginData.FromString(content).session_start_info
        kinds = {name: value.WhichOneof("kind") for name, value in start.hparams.items()}
        settings = {name: getattr(start.hparams[name], kind) for name, kind in kinds.items()}
        scores = {
            tag: float(tf.make_ndarray(events.Tensors(tag)[-1].tensor_proto))
            for tag in events.Tags()["tensors"]
            if not tag.startswith("_hparams_")
        }
        runs.append((settings, scores))
    return runs
