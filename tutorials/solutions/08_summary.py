# ---
# jupyter:
#   jupytext:
#     formats: py:percent
# ---

# %% [markdown]
# # Solutions to lesson 8

# %%
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
import lesson

sizes = lesson.options(
    "solutions/08_summary",
    "Solve the exercises of lesson 8.",
    units=32,
    epochs=20,
    lengths=[50, 100, 200, 400],
)

# %%
import time

import keras
import numpy as np
import tasks
import tensorflow as tf

import kerasseq

# %% [markdown]
# ## 1. A sign of place
#
# A vector for each position, drawn once, is added to the word that stands there. Then the bag of
# lesson 1, with attention of the sentence over itself before it, knows who bit whom.

# %%
(texts, answers), (unseen, unseen_answers) = tasks.who_bit_whom("en", sizes.seed)
text = kerasseq.TextProcessor().adapt(texts)
ids, unseen_ids = np.array(text.encode(texts)), np.array(text.encode(unseen))
places = np.random.default_rng(sizes.seed).normal(size=(ids.shape[1], 16)).astype("float32")
order = {}
for name, signs in (("words alone", 0 * places), ("words and places", places)):
    keras.utils.set_random_seed(sizes.seed)
    words = keras.Input(ids.shape[1:], dtype="int32")
    vectors = keras.layers.Embedding(len(text), 16)(words) + signs
    context, _ = kerasseq.BahdanauAttention(sizes.units)(vectors, vectors)
    hidden = keras.layers.Dense(sizes.units, activation="relu")(context)
    bag = keras.layers.GlobalAveragePooling1D()(hidden)
    model = keras.Model(words, keras.layers.Dense(2)(bag))
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    adam = keras.optimizers.Adam(0.01, global_clipnorm=1.0)
    model.compile(adam, loss, metrics=["accuracy"], jit_compile=False)
    line = lesson.MovingLine(name)
    model.fit(ids, answers, batch_size=32, epochs=sizes.epochs, callbacks=[line], verbose=0)
    order[name] = model.evaluate(unseen_ids, unseen_answers, verbose=0)[1]
    print(f"{name}: {order[name]:.1%} right")

# %% [markdown]
# ## 2. The price
#
# One sequence, ever longer. The RNN takes twice the time for twice the length. Attention compares
# each position with each other one: four times the work for twice the length, but all of it at
# once, nothing waits for anything.

# %%
recurrent = tf.function(kerasseq.RNN(kerasseq.LSTMCell(sizes.units), return_sequences=True))
attention = kerasseq.BahdanauAttention(sizes.units)
look = tf.function(lambda vectors: attention(vectors, vectors)[0])
milliseconds = {}
for length in sizes.lengths:
    sequence = tf.random.normal((1, length, sizes.units))
    for name, function in (("LSTM", recurrent), ("attention", look)):
        taken = []
        for _ in range(8):
            start = time.perf_counter()
            function(sequence)
            taken.append(1000 * (time.perf_counter() - start))
        milliseconds[name, length] = float(np.median(taken[3:]))
        print(f"{length:4} steps, {name}: {milliseconds[name, length]:.2f} ms")
