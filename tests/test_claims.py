"""The table of claims shows mean and spread over seeds, and says which bound is broken."""

import copy
import sys

import pytest
from support.lessons import TUTORIALS

sys.path.insert(0, str(TUTORIALS))
import claims


@pytest.fixture
def results():
    language = {
        "order": {
            f"{code} {name}": [share]
            for code in ("en", "zh")
            for name, share in (("bag of words", 0.5), ("RNN", 1.0))
        },
        "fields": {"bag of words": 22, "1 convolution": 3, "2 convolutions": 5},
        "distance": {
            **{f"bag of words {number}": [0.6] for number in range(3)},
            **{f"1 convolution {number}": [[1.0, 0.5, 0.48][number]] for number in range(3)},
            **{f"2 convolutions {number}": [[1.0, 0.96, 0.51][number]] for number in range(3)},
        },
    }
    recall = {"RNN, glorot_uniform, 10": [1.0], "RNN, glorot_uniform, 50": [0.1]}
    recall |= {"RNN, orthogonal, 10": [1.0], "RNN, orthogonal, 50": [0.1]}
    gates = {f"LSTM, {start}, 200": [1.0] for start in ("by length", "b_f = 1")}
    return {
        "1": language,
        "3": {"slopes_at_zero": {"0.5": -0.6931, "1.0": 1e-5, "2.0": 0.6931}, "recall": recall},
        "4": {"recall": gates},
        "5": {"by_length": {"5-10": 80.0, "31-40": 20.0}},
        "6": {"by_length": {"5-10": 90.0, "31-40": 85.0}, "alignment_error_rate": 0.05},
        "6, both ways": {"alignment_error_rate": 0.05},
    }


def test_all_holds(results):
    lines, broken = claims.table([results, results])
    assert broken == []
    assert lines.count("\n") == len(claims.CLAIMS) + 1
    assert "| Seq2Seq: BLEU, 5 to 10 words | 5 | 80.0 ± 0.0 | ≥ 60.0 | holds |" in lines


def test_mean_and_spread_are_over_the_seeds(results):
    other = copy.deepcopy(results)
    other["6"]["alignment_error_rate"] = 0.17
    lines, broken = claims.table([results, other])
    assert "| 0.110 ± 0.060 | ≤ 0.100 | **does not hold** |" in lines
    assert broken == ["Attention: alignment error rate"]


@pytest.mark.parametrize(
    ("run", "keys", "value", "claim"),
    [
        ("1", ("order", "en bag of words"), [0.6], "Who bit whom, English: bag of words"),
        ("1", ("order", "zh RNN"), [0.9], "Who bit whom, Chinese: RNN"),
        ("1", ("distance", "2 convolutions 1"), [0.9], "Convolutions: worst inside their fields"),
        ("1", ("distance", "1 convolution 1"), [0.3], "Convolutions: farthest from chance beyond"),
        ("3", ("slopes_at_zero", "2.0"), 0.71, "Slope at h = 0 misses log ρ by at most"),
        ("3", ("recall", "RNN, glorot_uniform, 50"), [0.3], "Recall, lag 50: RNN, Glorot"),
        ("4", ("recall", "LSTM, by length, 200"), [0.9], "Recall, lag 200: LSTM, bias by length"),
        ("5", ("by_length", "31-40"), 50.0, "Seq2Seq: 31 to 40 words beside that"),
        ("6", ("by_length", "31-40"), 70.0, "Attention: 31 to 40 words beside that"),
    ],
)
def test_a_broken_bound_is_named(results, run, keys, value, claim):
    results[run][keys[0]][keys[1]] = value
    assert claims.table([results])[1] == [claim]


def test_a_claim_without_a_bound_cannot_break(results):
    results["4"]["recall"]["LSTM, b_f = 1, 200"] = [0.0]
    lines, broken = claims.table([results])
    assert broken == []
    assert "| Recall, lag 200: LSTM, bias 1 | 4 | 0.0% ± 0.0% | – |  |" in lines
