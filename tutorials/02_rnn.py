# ---
# jupyter:
#   jupytext:
#     formats: py:percent
# ---

# %% [markdown]
# # 2. RNN: a network with a state
#
# Lesson 1 used a recurrent network as a black box. Here it is opened (section 3.2.1): one cell,
# applied to one word after another, that hands on a vector, the *hidden state*. You compute it by
# hand, unroll it, find the same few weights at every step, and then let it read sentences and guess
# the next word, and write.

# %%
import lesson  # first: it keeps the start of TensorFlow quiet

sizes = lesson.options(
    "02_rnn",
    "Compute an RNN by hand, then let it read sentences and write.",
    language="en",  # of the phrasebook: en, fr or zh
    data_dir=None,
    embedding_dim=64,
    units=128,
    batch_size=64,
    learning_rate=0.004,
    epochs=4,
    length=20,  # steps in training
)
# > With these sizes on 2 cores, AMD EPYC, 2026-12-01, 21 s:

# %%
import keras
import numpy as np
import tensorflow as tf

import kerasseq
from kerasseq import data
from kerasseq.plotting import plot_curves
from kerasseq.text.control_tokens import END, PADDING, START

keras.utils.set_random_seed(sizes.seed)

# %% [markdown]
# ## By hand
#
#     h_t = tanh(W_h h_{t−1} + W_x x_t + b)
#
# Two units, inputs of one number, three steps. *Predict before you run:* only the first input is
# not zero. Is h_3 zero?

# %%
W_h = np.array([[0.0, -0.9], [0.9, 0.0]])  # turns the state by 90° and shortens it
W_x = np.array([[1.0], [0.0]])
b = np.zeros(2)
x = np.array([[1.0], [0.0], [0.0]])

h = np.zeros(2)
by_hand = []
for x_t in x:
    h = np.tanh(W_h @ h + W_x @ x_t + b)
    by_hand.append(h)
    print("x", x_t, "h", h.round(3))
# > x [1.] h [0.762 0.   ]
# > x [0.] h [0.    0.595]
# > x [0.] h [-0.49  0.  ]

# %% [markdown]
# The first input is still there in the third state: that is the memory. The layer does the same.
# (Keras multiplies from the right, x W, so its matrices are those of the chapter transposed.)

# %%
cell = kerasseq.RNNCell(2)
layer = kerasseq.RNN(cell, return_sequences=True)
layer.build((1, 3, 1))  # a batch of 1, 3 steps, 1 feature
cell.set_weights([W_x.T, W_h.T, b])
by_layer = layer(x[None].astype("float32"))[0].numpy()
print(by_layer.round(3))
# > [[ 0.762  0.   ]
# >  [ 0.     0.595]
# >  [-0.49   0.   ]]

# %% [markdown]
# The loop can be written out ("unrolled") with the cell itself. It is one cell, called three times:
# the weights are *shared*.

# %%
[h] = cell.get_initial_state(1)
for x_t in x.astype("float32"):
    output, [h] = cell(x_t[None], [h])  # an RNN's output is its state; an LSTM has two states
print("the last state, unrolled:", h.numpy()[0].round(3))
# > the last state, unrolled: [-0.49  0.  ]

# %% [markdown]
# So the number of weights does not depend on the length of what is read. *Predict:* how many
# weights has a cell of 128 units that reads vectors of 64 numbers?

# %%
cell = kerasseq.RNNCell(128)
layer = kerasseq.RNN(cell)
for length in (3, 20, 200):
    state = layer(tf.zeros((1, length, 64)))
    print(f"{length:3} steps: state of {state.shape[1]} numbers, {layer.count_params():,} weights")
# >   3 steps: state of 128 numbers, 24,704 weights
# >  20 steps: state of 128 numbers, 24,704 weights
# > 200 steps: state of 128 numbers, 24,704 weights

# %% [markdown]
# 128·64 for W_x, 128·128 for W_h, 128 for b. A layer that took 20 words at once would need 20 times
# the 128·64, and could not read the 21st.
#
# ## Guess the next word
#
# After each word, y_t = W_y h_t are the scores of what comes next: a *language model*. It needs no
# labels, only text. Ours is the phrasebook, a corpus of small sentences that comes with this
# package; one sentence after the other, with the token [START] between them, as one long stream.

# %%
config = "zh_en" if sizes.language == "zh" else "en_fr"
source, target = config.split("_")
corpus = {"dataset": f"phrasebook/{config}", "source": source, "target": target}
side = 0 if sizes.language == source else 1
texts = {
    split: data.to_lists(data.load_pairs(**corpus, split=split, data_dir=sizes.data_dir))[side]
    for split in ("train", "validation")
}
text = kerasseq.TextProcessor().adapt(texts["train"])
streams = {}
for split, sentences in texts.items():
    ids = text.encode(sentences).numpy()  # (sentences, length): [START], words, [END], padding
    streams[split] = ids[(ids != PADDING) & (ids != END)]
    print(f"{split}: {len(sentences):,} sentences, {len(streams[split]):,} tokens")
words = np.array(text.vocabulary)
print(f"{len(words)} words; the stream begins:", *words[streams["train"][:30]])
# > train: 20,000 sentences, 279,448 tokens
# > validation: 1,000 sentences, 15,652 tokens
# > 470 words; the stream begins: [START] Helen follows her , and Peter heard the author , but I thi

# %% [markdown]
# It is cut into rows of 21: the first 20 are read, and at each of these steps the next one is what
# should be said. *Predict:* a model that knows nothing finds all V words alike. What is its
# *perplexity*, e to the mean of −log p?

# %%
read, said = {}, {}
for split, stream in streams.items():
    rows = stream[: len(stream) // (sizes.length + 1) * (sizes.length + 1)]
    rows = rows.reshape(-1, sizes.length + 1)
    read[split], said[split] = rows[:, :-1], rows[:, 1:]

# %%
inputs = keras.Input((None,), dtype="int32")
embedded = keras.layers.Embedding(len(text), sizes.embedding_dim)(inputs)
h = kerasseq.RNN(kerasseq.RNNCell(sizes.units), return_sequences=True)(embedded)
y = keras.layers.Dense(len(text), use_bias=False, name="W_y")(h)
model = keras.Model(inputs, y)
model.compile(
    keras.optimizers.Adam(sizes.learning_rate, global_clipnorm=1.0),  # clipped: see lesson 3
    keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=[kerasseq.Perplexity()],
    jit_compile=False,  # XLA would compile for a minute to save seconds
)
untrained = model.evaluate(read["validation"], said["validation"], verbose=0, return_dict=True)
print(f"untrained: perplexity {untrained['perplexity']:.0f}, V = {len(text):,}")
# > untrained: perplexity 472, V = 470

# %%
history = model.fit(
    read["train"],
    said["train"],
    batch_size=sizes.batch_size,
    epochs=sizes.epochs,
    callbacks=[keras.callbacks.TensorBoard(sizes.run_dir)],
    verbose=lesson.verbosity(),
).history
# > Epoch 1/4
# > 208/208 - 3s - 16ms/step - loss: 3.6148 - perplexity: 37.1440
# > Epoch 2/4
# > 208/208 - 3s - 13ms/step - loss: 2.6962 - perplexity: 14.8227
# > Epoch 3/4
# > 208/208 - 5s - 24ms/step - loss: 2.5737 - perplexity: 13.1141
# > Epoch 4/4
# > 208/208 - 3s - 13ms/step - loss: 2.5195 - perplexity: 12.4219

# %% [markdown]
# ## Is that good?
#
# Two models without a network to compare with. The *unigram* knows how frequent each word is:
# p(w) = (n(w) + 1) / (N + V). The *bigram* knows which word v was before, too (Witten and Bell
# 1991): p(w | v) = (n(v, w) + r(v) p(w)) / (n(v) + r(v)), where r(v) is how many different words
# followed v. Neither knows what stood earlier. *Predict:* where between V and 1 are the three?

# %%
V = len(text)
pairs = np.zeros((V, V))  # n(v, w)
np.add.at(pairs, (read["train"], said["train"]), 1)
unigram = (pairs.sum(axis=0) + 1) / (pairs.sum() + V)
followers = (pairs > 0).sum(axis=1, keepdims=True)  # r(v)
followers = np.maximum(followers, 1)  # what was never followed is followed as by the unigram
bigram = (pairs + followers * unigram) / (pairs.sum(axis=1, keepdims=True) + followers)
before, after = read["validation"], said["validation"]
perplexity = {
    "unigram": float(np.exp(-np.log(unigram[after]).mean())),
    "bigram": float(np.exp(-np.log(bigram[before, after]).mean())),
    "RNN": model.evaluate(before, after, verbose=0)[1],
}
for name, value in perplexity.items():
    print(f"{name}: perplexity {value:.1f}")
# > unigram: perplexity 148.0
# > bigram: perplexity 19.8
# > RNN: perplexity 13.0

# %% [markdown]
# ## Longer than anything it has learnt from
#
# It was trained on 20 steps. Now it reads 200 in a row. The weights are the same at step 200 as at
# step 1; but its state has never been on the way so long. *Predict:* does it get lost?

# %%
stream = streams["validation"]
rows = stream[: len(stream) // 201 * 201].reshape(-1, 201)
log_p = tf.nn.log_softmax(model.predict(rows[:, :-1], verbose=0)).numpy()
log_p = np.take_along_axis(log_p, rows[:, 1:, None], axis=2)[..., 0]  # of what came, (rows, 200)
by_position = np.exp(-log_p.reshape(len(rows), 10, 20).mean(axis=(0, 2)))
for index, value in enumerate(by_position):
    print(f"tokens {20 * index + 1:3} to {20 * index + 20:3}: perplexity {value:.1f}")
# > tokens   1 to  20: perplexity 12.7
# > tokens  21 to  40: perplexity 12.4
# > tokens  41 to  60: perplexity 12.8
# > tokens  61 to  80: perplexity 12.5
# > tokens  81 to 100: perplexity 12.9
# > tokens 101 to 120: perplexity 11.9
# > tokens 121 to 140: perplexity 12.3
# > tokens 141 to 160: perplexity 12.2
# > tokens 161 to 180: perplexity 12.1
# > tokens 181 to 200: perplexity 12.6

# %%
curves = {
    "RNN, trained on 20 steps": (np.arange(10) * 20 + 10, by_position),
    "bigram": ([10, 190], [perplexity["bigram"]] * 2),
}
figure = plot_curves(curves, "tokens read before", "perplexity")
lesson.show(figure, sizes, "positions")
# > Figure: runs/02_rnn/positions.png

# %% [markdown]
# It does not: what twenty steps have taught does for two hundred. The RNN stays well below the
# bigram, so it uses more than the last word. How much more is another question.
#
# ## Let it write
#
# Draw a word from what it expects after [START], let it read that, draw the next one. Where it
# draws [START], a sentence is over.

# %%
written = np.full((6, 1), START)
random = np.random.default_rng(sizes.seed)
for _ in range(30):
    p = tf.nn.softmax(model(written)[:, -1]).numpy().astype("float64")
    drawn = [[random.choice(V, p=row / row.sum())] for row in p]
    written = np.concatenate([written, drawn], axis=1)
for row in words[written]:
    print("-", " ".join(row[1:]).replace("[START]", "/"))
# > - She signed three cakes in March 2015 . / The black mouse is expensive . / The letter was signe
# > - The cow was new . / These black windows were in front of the church because she is happy . / T
# > - The writer visited the bridges . / The hospital was not new . / Thomas was wrong . / Every pen
# > - The car was not danced , and Anna was bad , and my good eggs fell because he was not tired . /
# > - A hospital is beautiful , and I was invited . / He believed that the cups had been bought by t
# > - Two old journalists can sign the treaty , and the cow bit bite Mary , while the churches was n

# %%
lesson.write_results(
    sizes,
    perplexity=perplexity,
    vocabulary=V,
    by_position=by_position.tolist(),
    parameters=model.count_params(),
)
# > Results: runs/02_rnn/results.json

# %% [markdown]
# ## What is still wrong
#
# - Short sentences are mostly faultless. In the longer ones look for a verb that does not agree
#   with its subject, or for a clause that has forgotten how it began: "several American laws that
#   the European sister of the hero helped was signed" is one that we got. Lesson 3 measures how far
#   back an RNN can learn to look.
# - Step t waits for step t − 1: a machine that could do a thousand steps at once has to do one.
#
# ### Exercises
#
# 1. In the example by hand, with which W_h does the first input stay in the state for ever? (Think
#    of small inputs, where tanh is a straight line.)
# 2. Train with `--units 16`. Is it still better than the bigram, which has V² numbers?
