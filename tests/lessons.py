"""Runs lessons and their solutions at small sizes, on a small phrasebook."""

import json
import runpy
import sys
from pathlib import Path

import pytest

from kerasseq import phrasebook
from kerasseq.phrasebook import builder, corpus

TUTORIALS = Path(__file__).parents[1] / "tutorials"
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
