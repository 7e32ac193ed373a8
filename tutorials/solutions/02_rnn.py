# ---
# jupyter:
#   jupytext:
#     formats: py:percent
# ---

# %% [markdown]
# # Solutions to lesson 2

# %%
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
import lesson

sizes = lesson.options(
    "solutions/02_rnn",
    "Solve the exercises of lesson 2.",
    data_dir=None,
    units=16,
    epochs=4,
)

# %%
import numpy as np

# %% [markdown]
# ## 1. A state that stays for ever
#
# Near zero tanh is a straight line, so that h_t = W_h h_{t−1}. A matrix that turns and does not
# shorten, that is an *orthogonal* one, keeps the length of h: in the example 1 instead of 0.9. A
# large state tanh still shortens, the less the smaller it has become.

# %%
kept = {}
for factor in (0.9, 1.0):
    W_h = factor * np.array([[0.0, -1.0], [1.0, 0.0]])
    for first in (0.01, 1.0):
        h = np.array([first, 0.0])
        for _ in range(100):
            h = np.tanh(W_h @ h)
        kept[factor, first] = np.linalg.norm(h) / first
        print(f"factor {factor}, first state {first}: {kept[factor, first]:.4f} of it is left")

# %% [markdown]
# ## 2. Sixteen units against V² numbers
#
# The whole lesson once more, with a smaller cell.

# %%
small = lesson.run(
    "02_rnn",
    units=sizes.units,
    epochs=sizes.epochs,
    data_dir=sizes.data_dir,
    run_dir=sizes.run_dir / "16_units",
)
perplexity, weights = small["perplexity"], small["model"].count_params()
pairs = int((small["pairs"] > 0).sum())
print(f"bigram {perplexity['bigram']:.1f} with {pairs:,} pairs that occur, ", end="")
print(f"RNN {perplexity['RNN']:.1f} with {weights:,} weights")
