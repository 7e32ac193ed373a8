# ---
# jupyter:
#   jupytext:
#     formats: py:percent
# ---

# %% [markdown]
# # Solutions to lesson 4

# %%
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
import lesson

sizes = lesson.options(
    "solutions/04_lstm",
    "Solve the exercises of lesson 4.",
    units=32,
    steps=600,
    batch_size=64,
    learning_rate=0.01,
    lags=[20, 200],
    length=10,  # of the two sequences of exercise 2
)

# %%
import keras
import numpy as np
import tasks

import kerasseq

# %% [markdown]
# ## 1. A memory too short, or too long?
#
# Every pair of a memory and a lag.

# %%
right = {}
for memory in sizes.lags:
    for lag in sizes.lags:
        keras.utils.set_random_seed(sizes.seed)
        bias = kerasseq.ChronoBias(memory)
        cell = kerasseq.LSTMCell(sizes.units, bias_initializer=bias, unit_forget_bias=False)
        adam = tasks.make_adam(sizes.learning_rate, sizes.steps)
        model = tasks.make_classifier(kerasseq.RNN(cell), adam, jit_compile=lag >= 100)
        symbols = tasks.recall(sizes.batch_size * sizes.steps, lag, sizes.seed)
        model.fit(*symbols, batch_size=sizes.batch_size, verbose=lesson.verbosity())
        unseen = tasks.recall(1000, lag, sizes.seed + 1000)
        right[memory, lag] = model.evaluate(*unseen, verbose=0)[1]
        print(f"ChronoBias({memory}), lag {lag}: {right[memory, lag]:.1%} right")

# %% [markdown]
# A memory ten times too long does no harm: with it both lags were learnt. One ten times too short
# learnt lag 20 only; at lag 200 it stayed at chance. In doubt, begin with the longer one.
#
# ## 2. What forgetting is for
#
# Four sequences in a row, each a symbol and distractors; asked for the first symbol of the last
# one. A forget bias of 30 holds the gates at 1: σ is so flat there that training cannot move it.
# Such a cell can only add.

# %%
parts = [tasks.recall(sizes.batch_size * sizes.steps, sizes.length, seed) for seed in range(4)]
several, answers = np.concatenate([ids for ids, _ in parts], axis=1), parts[-1][1]
parts = [tasks.recall(1000, sizes.length, 1000 + seed) for seed in range(4)]
unseen = np.concatenate([ids for ids, _ in parts], axis=1), parts[-1][1]
forgetting = {}
for name in ("forgets", "keeps all"):
    keras.utils.set_random_seed(sizes.seed)
    bias = kerasseq.ChronoBias(sizes.length)
    cell = kerasseq.LSTMCell(sizes.units, bias_initializer=bias, unit_forget_bias=False)
    adam = tasks.make_adam(sizes.learning_rate, sizes.steps)
    model = tasks.make_classifier(kerasseq.RNN(cell), adam)
    if name == "keeps all":
        of_forget_gate = np.arange(4 * sizes.units) // sizes.units == 1  # i, f, C̃, o
        cell.bias.assign(np.where(of_forget_gate, 30.0, cell.bias))
    model.fit(several, answers, batch_size=sizes.batch_size, verbose=lesson.verbosity())
    forgetting[name] = model.evaluate(*unseen, verbose=0)[1]
    print(f"{name}: {forgetting[name]:.1%} right")

# %% [markdown]
# Both learn it: the one that cannot forget can still write the *difference* between the new symbol
# and the old, which it finds in h. Four sequences, or ten, do not need a forget gate. Gers,
# Schmidhuber and Cummins (2000) added it for streams without an end, in which C grows and grows
# until tanh is flat.
