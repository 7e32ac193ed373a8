# ---
# jupyter:
#   jupytext:
#     formats: py:percent
# ---

# %% [markdown]
# # Solutions to lesson 1

# %%
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
import lesson

sizes = lesson.options(
    "solutions/01_language",
    "Solve the exercises of lesson 1.",
    units=32,
    steps=600,
    batch_size=64,
    learning_rate=0.005,
    attractors=6,
)

# %%
import keras
import numpy as np
import tasks

import kerasseq
from kerasseq import probes

numbers = range(sizes.attractors + 1)
unseen_ids, unseen_answers, drawn = tasks.agreement(4000, numbers, sizes.seed + 1000)

# %% [markdown]
# ## 1. Two convolutions of nine words
#
# Each layer adds 8 words to the one word below: 1 + 2·8 = 17. With k attractors the subject stands
# 3k words before the last one. It is in the field while 3k ≤ 16: up to 5 attractors.

# %%
keras.utils.set_random_seed(sizes.seed)
model = tasks.make_classifier(
    tasks.make_convolutions(2, kernel_size=9),
    tasks.make_adam(sizes.learning_rate, sizes.steps),
    classes=2,
    vocab_size=len(tasks.WORDS),
    mask=False,
)
ids, answers, _ = tasks.agreement(sizes.batch_size * sizes.steps, numbers, sizes.seed)
model.fit(ids, answers, batch_size=sizes.batch_size, verbose=lesson.verbosity())
any_words = np.random.default_rng(0).integers(1, len(tasks.WORDS), (20, ids.shape[1]))
field = probes.receptive_field(model, any_words)
right = model.predict(unseen_ids, verbose=0).argmax(axis=1) == unseen_answers
wide = [float(right[drawn == number].mean()) for number in numbers]
print(f"sees {field} words; right with 0, 1, … attractors:", *(f"{share:.0%}" for share in wide))

# %% [markdown]
# ## 2. The rule, or the cases?
#
# An RNN that has seen at most 3 attractors, asked about up to 6.

# %%
keras.utils.set_random_seed(sizes.seed)
model = tasks.make_classifier(
    kerasseq.RNN(kerasseq.RNNCell(sizes.units)),
    tasks.make_adam(sizes.learning_rate, sizes.steps),
    classes=2,
    vocab_size=len(tasks.WORDS),
)
ids, answers, _ = tasks.agreement(sizes.batch_size * sizes.steps, range(4), sizes.seed)
model.fit(ids, answers, batch_size=sizes.batch_size, verbose=lesson.verbosity())
right = model.predict(unseen_ids, verbose=0).argmax(axis=1) == unseen_answers
few = [float(right[drawn == number].mean()) for number in numbers]
print("trained on 0 to 3; right with 0, 1, … attractors:", *(f"{share:.0%}" for share in few))

# %% [markdown]
# It knows the rule: 100 % up to six attractors, though it never saw more than three. The state
# keeps the number of the first noun and lets the rest pass, however many come.
