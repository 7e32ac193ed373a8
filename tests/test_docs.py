"""The pages in docs/ are true: their models train, and their tests and arguments exist."""

import ast
import inspect
import re
from pathlib import Path

import keras
import numpy as np
import pytest

import kerasseq

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


# docs/models.md


def run_block(title):
    """Run the code below a heading of models.md by itself and return the names that it leaves."""
    section = (DOCS / "models.md").read_text().split(f"\n## {title}\n")[1].split("\n## ")[0]
    [code] = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    names = {}
    exec(compile(code, title, "exec"), names)
    return names


@pytest.mark.slow
def test_one_answer_a_sequence():
    names = run_block("1. One answer a sequence")
    ids, labels = names["sentences"](1000, longest=20)
    assert 0.4 < labels.mean() < 0.6
    assert (np.sort(ids)[:, -1] < 10).all()
    assert names["accuracy"] > 0.97
    assert names["longer"] > 0.9


@pytest.mark.slow
def test_one_answer_a_step():
    names = run_block("2. One answer a step")
    always_no = (names["labels"] == 0)[names["ids"] != 0].mean()
    assert always_no < 0.9
    assert names["accuracy"] > 0.98
    assert always_no < names["one_way_accuracy"] < 0.95
    np.testing.assert_allclose(names["accuracy"], names["by_hand"], rtol=1e-5)


@pytest.mark.slow
def test_text_to_text():
    names = run_block("3. Text to text")
    assert not set(names["written"][names["known"]]) & set(names["written"][names["unseen"]])
    assert names["accuracy"] > 0.9
    weights = names["example"].attention_weights
    assert weights.shape[0] == len("2008-01-24")
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-5)


@pytest.mark.slow
def test_the_next_value():
    names = run_block("4. The next value")
    assert abs(names["best_error"] - 1) < 0.03  # the noise that the page speaks of
    assert names["best_error"] < names["model_error"] < 1.1
    assert names["naive_error"] > 1.5


@pytest.mark.slow
def test_beam_search_over_your_own_decoder():
    names = run_block("5. Beam search over your own decoder")
    assert names["right"][4] > 0.85
    assert names["right"][1] < 0.5  # greedy begins with the likelier SHORT
    assert names["scores"][4] > names["scores"][1] + 0.2


# docs/layers.md

LAYERS = [
    *(keras.layers.SimpleRNN, keras.layers.LSTM, keras.layers.RNN, keras.layers.AdditiveAttention),
    *(kerasseq.RNNCell, kerasseq.LSTMCell, kerasseq.RNN),
    *(kerasseq.BahdanauAttention, kerasseq.AttentionRNN),
]


def arguments(layer):
    """Return the names that a layer takes when it is made and when it is called."""
    own = [kind for kind in layer.__mro__ if kind not in keras.layers.Layer.__mro__]
    methods = [kind.__init__ for kind in own if "__init__" in vars(kind)]
    methods += [kind.call for kind in own if "call" in vars(kind)][:1]
    names = {name for method in methods for name in inspect.signature(method).parameters}
    return names - {"self", "args", "kwargs"}


def rows():
    """Return the cells of all rows of all tables of the page, the heads left out."""
    lines = [line for line in (DOCS / "layers.md").read_text().splitlines() if line[:2] == "| "]
    split = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    return [row for row in split if row[-1] != "test"]


def test_every_test_that_the_page_names_exists():
    named = re.findall(r"`(tests/\w+\.py)::(\w+)`", (DOCS / "layers.md").read_text())
    assert len(named) > 40
    for file, name in named:
        tree = ast.parse((ROOT / file).read_text())
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_every_row_says_how_we_stand_and_names_its_test():
    assert len(rows()) > 40
    for row in rows():
        assert len(row) == 4
        assert re.match(r"\*\*(same|differs|absent)\b", row[2]), row
        assert "::test_" in row[3], row


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: f"{layer.__module__}.{layer.__name__}")
def test_every_argument_is_on_the_page(layer):
    code = re.findall(r"`([^`\n]+)`", (DOCS / "layers.md").read_text())
    words = {word for text in code for word in re.findall(r"\w+", text)}
    assert arguments(layer) - words == set()
