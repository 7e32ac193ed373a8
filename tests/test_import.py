import re
import subprocess
import sys

import pytest
from support import new_process

import kerasseq

HEAVY = ["matplotlib", "tensorflow_datasets", "sacrebleu", "sentencepiece", "tensorboard"]
HEAVY += ["langcodes"]


@pytest.mark.parametrize("module", HEAVY)
def test_importing_kerasseq_does_not_import(module):
    # Keras itself imports matplotlib where it is installed: these are the modules that came after.
    modules = new_process.results()["modules"]
    assert "kerasseq.layers.cell" in modules
    assert module not in modules


def test_every_public_name_is_listed_once():
    assert len(set(kerasseq.__all__)) == len(kerasseq.__all__)
    assert set(kerasseq.__all__) <= set(dir(kerasseq))


@pytest.mark.slow
def test_tensorboard_starts():
    """TensorBoard 2.20 did not with a setuptools that lacks pkg_resources."""
    command = [sys.executable, "-m", "tensorboard.main", "--version_tb"]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert answer.stdout.strip() >= "2.2"


def test_a_name_that_is_not_there():
    with pytest.raises(AttributeError, match="module 'kerasseq' has no attribute 'GRUCell'"):
        kerasseq.GRUCell  # noqa: B018


@pytest.mark.parametrize("name", ["TextProcessor", "Translator", "load_pairs", "phrasebook"])
def test_without_tensorflow_a_name_says_what_it_needs(name, monkeypatch):
    rooms = ("text", "data", "phrasebook", "translation", "decoding.compiled", "decoding.forced")
    lazy = tuple(f"kerasseq.{room}" for room in rooms)
    for module in [module for module in sys.modules if module.startswith(lazy)]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.delitem(vars(kerasseq), name, raising=False)  # there if it was imported before
    monkeypatch.setitem(sys.modules, "tensorflow", None)
    with pytest.raises(ImportError) as caught:
        getattr(kerasseq, name)
    expected = rf"kerasseq\.{name} needs TensorFlow: .*The layers, .*pip install tensorflow"
    assert re.fullmatch(expected, str(caught.value))
