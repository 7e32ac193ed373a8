"""The examples in the docstrings run and show what they say."""

import doctest
import importlib
import pkgutil

import keras
import numpy as np
import pytest
import tensorflow as tf

import kerasseq
from kerasseq import data, decoding, models, nfc, phrasebook, plotting, views

NAMES = {"keras": keras, "ops": keras.ops, "np": np, "tf": tf, "kerasseq": kerasseq}
for module in (kerasseq, data, decoding, models, nfc, phrasebook, plotting, views):
    NAMES |= {name: getattr(module, name) for name in dir(module) if not name.startswith("_")}

MODULES = sorted(
    name
    for _, name, _ in pkgutil.walk_packages(kerasseq.__path__, "kerasseq.")
    if not name.endswith("__main__")
)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    module = importlib.import_module(name)
    results = doctest.testmod(module, extraglobs=NAMES, optionflags=FLAGS)
    assert results.failed == 0


def test_every_public_name_has_an_example():
    public = {name: getattr(kerasseq, name) for name in kerasseq.__all__}
    without = [n for n, o in public.items() if callable(o) and ">>>" not in (o.__doc__ or "")]
    assert without == ["Translation"]  # a record, shown where it is made
