# ---
# jupyter:
#   jupytext:
#     formats: py:percent
# ---

# %% [markdown]
# # 8. Summary: each remedy and its price
#
# The chapter ends with a table: what each model solved, and which new problem it brought. Here it
# is once more, filled with what *you* measured. Every lesson left its numbers in its run folder;
# this script collects them. Where one is missing, it says which script makes it.

# %%
import lesson  # first: it keeps the start of TensorFlow quiet

sizes = lesson.options(
    "08_summary", "Fill the chapter's summary table with what the lessons measured.", units=32
)
# > With these sizes on 2 cores, AMD EPYC, 2026-12-01, 3 s:

# %%
import keras
import numpy as np

import kerasseq
from kerasseq.plotting import plot_curves

names = {
    1: "01_language",
    2: "02_rnn",
    3: "03_vanishing_gradients",
    4: "04_lstm",
    5: "05_seq2seq",
    6: "06_attention",
    7: "07_translate",
}
results = {number: lesson.read_results(sizes, name) for number, name in names.items()}
missing = [f"{name}.py" for number, name in names.items() if results[number] is None]
print("Still to be run: " + (", ".join(missing) or "nothing"))
# > Still to be run: nothing

# %% [markdown]
# ## The table
#
# Each row is a claim of the chapter, the number that speaks for it, and the lesson it comes from.

# %%
table = [
    (
        "Words without order say nothing",
        1,
        ["order", "en bag of words"],
        "{:.0%} right, chance 50%",
    ),
    ("An RNN reads order", 1, ["order", "en RNN"], "{:.0%} right"),
    ("Padding is harmless under a mask", 1, ["padding", "with a mask 50"], "{:.0%} right"),
    ("… and not without one", 1, ["padding", "without 50"], "{:.0%} right"),
    (
        "A convolution is blind beyond its field",
        1,
        ["distance", "4 convolutions 4"],
        "{:.0%} right",
    ),
    ("An RNN reads any length", 2, ["by_position", -1], "perplexity {:.1f} at word 200"),
    ("An RNN's gradients vanish", 3, ["slopes_at_zero", "0.9"], "slope {:.3f} = log 0.9"),
    ("… so it learns lag 10", 3, ["recall", "RNN, orthogonal, 10"], "{:.0%} right"),
    ("… but not lag 50", 3, ["recall", "RNN, orthogonal, 50"], "{:.0%} right, chance 12%"),
    (
        "An LSTM has a highway",
        4,
        ["highway", "by length"],
        "{:.2f} of the gradient after 100 steps",
    ),
    ("… if its gates begin open", 4, ["highway", "b_f = 1"], "{:.0e} with the usual start"),
    ("It learns lag 200", 4, ["recall", "LSTM, by length, 200"], "{:.0%} right"),
    ("One vector does for short sentences", 5, ["by_length", "5-10"], "BLEU {:.1f}"),
    ("… and not for long ones", 5, ["by_length", "31-40"], "BLEU {:.1f}"),
    ("Attention does for both: short", 6, ["by_length", "5-10"], "BLEU {:.1f}"),
    ("… long", 6, ["by_length", "31-40"], "BLEU {:.1f}"),
    ("It looks at the right word", 6, ["alignment_error_rate"], "alignment error rate {:.2f}"),
    ("A translator to use", 7, ["bleu"], "BLEU {:.1f}"),
]
rows = []
for claim, number, keys, words in table:
    value = results[number]
    for key in keys if value is not None else ():
        missed = isinstance(value, dict) and key not in value
        value = None if value is None or missed else value[key]
    value = np.mean(value) if isinstance(value, list) else value
    shown = f"run {names[number]}.py" if value is None else words.format(value)
    rows.append((claim, shown))
    print(f"{claim:42} {shown:44} lesson {number}")
# > Words without order say nothing            50% right, chance 50%                        lesson 1
# > An RNN reads order                         100% right                                   lesson 1
# > Padding is harmless under a mask           100% right                                   lesson 1
# > … and not without one                      16% right                                    lesson 1
# > A convolution is blind beyond its field    52% right                                    lesson 1
# > An RNN reads any length                    perplexity 12.6 at word 200                  lesson 2
# > An RNN's gradients vanish                  slope -0.105 = log 0.9                       lesson 3
# > … so it learns lag 10                      100% right                                   lesson 3
# > … but not lag 50                           13% right, chance 12%                        lesson 3
# > An LSTM has a highway                      0.61 of the gradient after 100 steps         lesson 4
# > … if its gates begin open                  4e-09 with the usual start                   lesson 4
# > It learns lag 200                          100% right                                   lesson 4
# > One vector does for short sentences        BLEU 68.8                                    lesson 5
# > … and not for long ones                    BLEU 14.6                                    lesson 5
# > Attention does for both: short             BLEU 100.0                                   lesson 6
# > … long                                     BLEU 94.1                                    lesson 6
# > It looks at the right word                 alignment error rate 0.11                    lesson 6
# > A translator to use                        BLEU 94.7                                    lesson 7

# %% [markdown]
# How far back each kind of cell learnt to look, from lessons 3 and 4:

# %%
curves = {}
for number in (3, 4):
    for name, right in (results[number] or {"recall": {}})["recall"].items():
        cell, _, lag = name.rpartition(", ")
        curves.setdefault(cell, {})[int(lag)] = np.mean(right)
if curves:
    curves = {cell: [*zip(*sorted(one.items()), strict=True)] for cell, one in curves.items()}
    figure = plot_curves(curves, "steps back", "share right", x_scale="log")
    lesson.show(figure, sizes, "memory")
# > Figure: runs/08_summary/memory.png

# %% [markdown]
# Each model was forced by the failure of the one before. The RNN reads any length and forgets; the
# LSTM remembers, if its gates are open, and has one state for everything; attention looks back, and
# the state need not hold the sentence any more. One fault went through all of them: step t waits
# for step t − 1.
#
# ## What if nothing were left but attention?
#
# The chapter ends with a question: can attention do without the RNN? `BahdanauAttention` does not
# ask where its queries come from. Let a sequence be query and values at once, every position looks
# at every other one, and there is no loop left. *Predict before you run:* exchange two words of the
# input. What happens to the outputs of the others?

# %%
keras.utils.set_random_seed(sizes.seed)
attention = kerasseq.BahdanauAttention(sizes.units)
words = keras.random.normal((1, 6, 16))
context, weights = attention(words, words)  # of itself
exchanged = keras.ops.take(words, [0, 4, 2, 3, 1, 5], axis=1)
other_context, _ = attention(exchanged, exchanged)
moved = np.abs(np.array(context) - np.array(other_context)).max(axis=(0, 2))
print("each position's output moved by", moved.round(6))
# > each position's output moved by [0.       0.323009 0.       0.       0.323009 0.      ]

# %% [markdown]
# Only the two that changed places moved, and they moved with their words: attention alone is a bag
# of words again, where lesson 1 began. What it lacks is a sign of *place*. That, many such layers,
# and all positions at once on a parallel machine: this is the Transformer (Vaswani et al. 2017),
# and another chapter.

# %%
lesson.write_results(sizes, rows=rows, missing=missing)
# > Results: runs/08_summary/results.json

# %% [markdown]
# ## What is still wrong
#
# - The table speaks of small tasks and of a corpus that a grammar wrote. Lesson 7 takes any real
#   one: `--dataset` with a folder of your own.
# - Attention of a sequence over itself compares every position with every other one: for twice the
#   length four times the work.
#
# ### Exercises
#
# 1. Add to each word a vector that depends on its place alone, and give the bag of words of lesson
#    1 attention of the sentence over itself. Does it know now who bit whom?
# 2. Measure the time of `BahdanauAttention` of a sequence over itself, and of an LSTM, at lengths
#    of 50 to 400. Which of the two grows faster, and which could wait for nothing?
