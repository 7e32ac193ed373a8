"""Measure the chapter's claims with several seeds, and say whether each bound holds.

    python tutorials/claims.py --seeds 3    # about 12 minutes a seed
    python tutorials/claims.py --table      # of what is there already

Every lesson is run once for each seed, in `runs/claims/<seed>/`; those that are there are not run
again. The table has the mean over the seeds and their standard deviation; bounds are for the mean.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
from lesson import start_program  # from there, as it keeps the start of TensorFlow quiet

RUNS = {  # lesson and options
    "1": ["01_language"],
    "3": ["03_vanishing_gradients"],
    "4": ["04_lstm"],
    "5": ["05_seq2seq"],
    "6": ["06_attention"],
    "6, both ways": ["06_attention", "--encoder", "bidirectional"],
}
FOLDER = Path("runs/claims")
ALL, NONE = float("inf"), float("-inf")


def worst_inside(results):
    """Return the worst accuracy of a stack of convolutions on what is in its field."""
    return min(_convolutions(results)[0])


def farthest_beyond(results):
    """Return the accuracy of a stack beyond its field that is farthest from chance."""
    return max(_convolutions(results)[1], key=lambda share: abs(share - 0.5))


def _convolutions(results):
    inside, beyond = [], []
    for name, field in results["fields"].items():
        right = {key: one for key, one in results["distance"].items() if key.startswith(f"{name} ")}
        for attractors, accuracies in enumerate(right.values() if "convolution" in name else ()):
            (inside if 3 * attractors < field else beyond).append(np.mean(accuracies))
    return inside, beyond


def worst_slope(results):
    """Return by how much the slope at h = 0 misses log ρ at most, as a share of it."""
    slopes = {float(rho): slope for rho, slope in results["slopes_at_zero"].items()}
    return max(abs(slope / np.log(rho) - 1) for rho, slope in slopes.items() if rho != 1)


def long_beside_short(results):
    """Return BLEU of the longest sentences as a share of that of the shortest."""
    return results["by_length"]["31-40"] / results["by_length"]["5-10"]


SHARE, BLEU = "{:.1%}", "{:.1f}"
CLAIMS = [  # claim, run, where it is in the results, how to show it, lower and upper bound
    ("Who bit whom, English: bag of words", "1", "order/en bag of words", SHARE, 0.47, 0.53),
    ("Who bit whom, English: RNN", "1", "order/en RNN", SHARE, 0.98, ALL),
    ("Who bit whom, Chinese: bag of words", "1", "order/zh bag of words", SHARE, 0.47, 0.53),
    ("Who bit whom, Chinese: RNN", "1", "order/zh RNN", SHARE, 0.98, ALL),
    ("Convolutions: worst inside their fields", "1", worst_inside, SHARE, 0.95, ALL),
    ("Convolutions: farthest from chance beyond", "1", farthest_beyond, SHARE, 0.43, 0.57),
    ("Slope at h = 0 misses log ρ by at most", "3", worst_slope, "{:.3%}", NONE, 0.01),
    ("Recall, lag 10: RNN, Glorot", "3", "recall/RNN, glorot_uniform, 10", SHARE, 0.95, ALL),
    ("Recall, lag 10: RNN, orthogonal", "3", "recall/RNN, orthogonal, 10", SHARE, NONE, ALL),
    ("Recall, lag 50: RNN, Glorot", "3", "recall/RNN, glorot_uniform, 50", SHARE, NONE, 0.20),
    ("Recall, lag 50: RNN, orthogonal", "3", "recall/RNN, orthogonal, 50", SHARE, NONE, ALL),
    ("Recall, lag 200: LSTM, bias by length", "4", "recall/LSTM, by length, 200", SHARE, 0.95, ALL),
    ("Recall, lag 200: LSTM, bias 1", "4", "recall/LSTM, b_f = 1, 200", SHARE, NONE, ALL),
    ("Seq2Seq: BLEU, 5 to 10 words", "5", "by_length/5-10", BLEU, 60, ALL),
    ("Seq2Seq: 31 to 40 words beside that", "5", long_beside_short, SHARE, NONE, 0.5),
    ("Attention: BLEU, 5 to 10 words", "6", "by_length/5-10", BLEU, 60, ALL),
    ("Attention: 31 to 40 words beside that", "6", long_beside_short, SHARE, 0.9, ALL),
    ("Attention: alignment error rate", "6", "alignment_error_rate", "{:.3f}", NONE, 0.10),
    ("… encoder both ways", "6, both ways", "alignment_error_rate", "{:.3f}", NONE, 0.10),
]


def look_up(results, where):
    """Return a number of a lesson's results: the mean of a list, if there is one.

    Args:
        results: Dict, of `results.json`.
        where: Keys with / between them, or a function of the results.
    """
    if callable(where):
        return where(results)
    for key in where.split("/"):
        results = results[key]
    return np.mean(results)


def bound(low, high, words):
    """Return a bound in words."""
    if low == NONE and high == ALL:
        return "–"
    if low == NONE or high == ALL:
        return ("≤ " + words.format(high)) if low == NONE else "≥ " + words.format(low)
    return f"{words.format(low)} to {words.format(high)}"


def table(results):
    """Return the table as Markdown, and the claims that do not hold.

    Args:
        results: For each seed a dict from a run, as in `RUNS`, to what it left behind.
    """
    lines = ["| claim | lesson | mean ± spread | bound | |", "|---|---|---|---|---|"]
    broken = []
    for claim, run, where, words, low, high in CLAIMS:
        values = [look_up(of_seed[run], where) for of_seed in results]
        mean, spread = np.mean(values), np.std(values)
        holds = low <= mean <= high
        broken += [] if holds else [claim]
        shown = f"{words.format(mean)} ± {words.format(spread)}"
        verdict = "" if (low, high) == (NONE, ALL) else "holds" if holds else "**does not hold**"
        lines.append(f"| {claim} | {run} | {shown} | {bound(low, high, words)} | {verdict} |")
    return "\n".join(lines), broken


def main():
    start_program()
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=3, metavar="INT")
    parser.add_argument("--table", action="store_true", help="only show what is there")
    options = parser.parse_args()
    results = []
    for seed in range(options.seeds):
        of_seed = {}
        for run, (lesson, *arguments) in RUNS.items():
            folder = FOLDER / str(seed) / "-".join([lesson, *(one.strip("-") for one in arguments)])
            if not (folder / "results.json").is_file():
                if options.table:
                    sys.exit(f"{folder} has no results yet.")
                command = [sys.executable, str(Path(__file__).with_name(f"{lesson}.py"))]
                command += [*arguments, "--seed", str(seed), "--run-dir", str(folder)]
                subprocess.run(command, check=True)
            of_seed[run] = json.loads((folder / "results.json").read_text("utf-8"))
        results.append(of_seed)
    lines, broken = table(results)
    print(lines)
    sys.exit("These do not hold: " + "; ".join(broken) if broken else 0)


if __name__ == "__main__":
    main()
