# ---
# jupyter:
#   jupytext:
#     formats: py:percent
# ---

# %% [markdown]
# # Solutions to lesson 3

# %%
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
import lesson

sizes = lesson.options(
    "solutions/03_vanishing_gradients",
    "Solve the exercises of lesson 3.",
    units=32,
    steps=600,
    batch_size=64,
    learning_rate=0.01,
    lags=[10, 20, 50],
)

# %%
import keras
import tasks

import kerasseq

# %% [markdown]
# ## 1. Begin at ρ = 2
#
# At ρ = 1 a driven tanh network loses a share of the gradient at each step: its slope is negative
# (see "when something is read"). A larger W makes up for what tanh takes.

# %%
long_W = {}
for lag in sizes.lags:
    keras.utils.set_random_seed(sizes.seed)
    cell = kerasseq.RNNCell(sizes.units)
    adam = tasks.make_adam(sizes.learning_rate, sizes.steps)
    model = tasks.make_classifier(kerasseq.RNN(cell), adam)
    embeddings = model.layers[1].embeddings
    embeddings.assign(0.25 * embeddings)
    cell.recurrent_kernel.assign(2.0 * cell.recurrent_kernel)
    symbols = tasks.recall(sizes.batch_size * sizes.steps, lag, sizes.seed)
    model.fit(*symbols, batch_size=sizes.batch_size, verbose=lesson.verbosity())
    long_W[lag] = model.evaluate(*tasks.recall(1000, lag, sizes.seed + 1000), verbose=0)[1]
    print(f"ρ = 2, lag {lag}: {long_W[lag]:.1%} right")

# %% [markdown]
# ## 2. Weaker distractors
#
# What drives the units into saturation are the distractors. Whispered, they leave the straight part
# of tanh to the one symbol that counts.

# %%
whispered = {}
for lag in sizes.lags:
    keras.utils.set_random_seed(sizes.seed)
    adam = tasks.make_adam(sizes.learning_rate, sizes.steps)
    model = tasks.make_classifier(kerasseq.RNN(kerasseq.RNNCell(sizes.units)), adam)
    embeddings = model.layers[1].embeddings
    rows = keras.ops.arange(17)[:, None]
    embeddings.assign(keras.ops.where(rows > tasks.SYMBOLS, 0.1, 1.0) * embeddings)
    symbols = tasks.recall(sizes.batch_size * sizes.steps, lag, sizes.seed)
    model.fit(*symbols, batch_size=sizes.batch_size, verbose=lesson.verbosity())
    whispered[lag] = model.evaluate(*tasks.recall(1000, lag, sizes.seed + 1000), verbose=0)[1]
    print(f"whispered distractors, lag {lag}: {whispered[lag]:.1%} right")

# %% [markdown]
# With ρ = 2 lag 20 is learnt and lag 50 is not: the network is near chaos, and a gradient that does
# not vanish on the way is not yet one that points somewhere. With whispered distractors even lag 50
# is learnt, by the plain RNN that failed at 20. It was never the distance alone.
