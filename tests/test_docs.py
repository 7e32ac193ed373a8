"""The pages in docs/ are true: their models train, and their tests and arguments exist."""

import re
from pathlib import Path

import numpy as np
import pytest

DOCS = Path(__file__).parents[1] / "docs"


def run_block(title):
    """Run the code below a heading of models.md by itself and return the names that it leaves."""
    section = (DOCS / "models.md").read_text().split(f"\n## {title}\n")[1].split("\n## ")[0]
    [code] = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    names = {}
    exec(compile(code, title, "exec"), names)
    return names


def test_one_answer_a_sequence():
    names = run_block("1. One answer a sequence")
    ids, labels = names["sentences"](1000, longest=20)
    assert 0.4 < labels.mean() < 0.6
    assert (np.sort(ids)[:, -1] < 10).all()
    assert names["accuracy"] > 0.97
    assert names["longer"] > 0.9


def test_one_answer_a_step():
    names = run_block("2. One answer a step")
    always_no = (names["labels"] == 0)[names["ids"] != 0].mean()
    assert always_no < 0.9
    assert names["accuracy"] > 0.98
    assert always_no < names["one_way_accuracy"] < 0.95
    np.testing.assert_allclose(names["accuracy"], names["by_hand"], rtol=1e-5)
    print(f"always no: {always_no:.3f}")


def test_text_to_text():
    names = run_block("3. Text to text")
    assert not set(names["written"][names["known"]]) & set(names["written"][names["unseen"]])
    assert names["accuracy"] > 0.9
    weights = names["example"].attention_weights
    assert weights.shape[0] == len("2008-01-24")
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-5)


def test_the_next_value():
    names = run_block("4. The next value")
    assert abs(names["best_error"] - 1) < 0.03  # the noise that the page speaks of
    assert names["best_error"] < names["model_error"] < 1.1
    assert names["naive_error"] > 1.5


def test_beam_search_over_your_own_decoder():
    names = run_block("5. Beam search over your own decoder")
    assert names["right"][4] > 0.85
    assert names["right"][1] < 0.5  # greedy begins with the likelier SHORT
    assert names["scores"][4] > names["scores"][1] + 0.2
