# ---
# jupyter:
#   jupytext:
#     formats: py:percent
# ---

# %% [markdown]
# # 1. Why language is hard
#
# A picture has a fixed size; a sentence has not. In a picture, what belongs together is near; in a
# sentence, a verb may wait for its subject over a whole clause. And with the same words in another
# order, a sentence says something else. Section 3.1 of the chapter names these three difficulties,
# and why the convolutional networks that conquered images fall short of them. In this lesson you
# measure each of them on sentences so small that one knows exactly what it takes to read them.

# %%
import lesson  # first: it keeps the start of TensorFlow quiet

sizes = lesson.options(
    "01_language",
    "Measure why sentences are hard: length, order, distance.",
    units=32,
    steps=600,  # of training, for each reader of sentences with attractors; fewer are too few
    batch_size=64,
    learning_rate=0.005,
    attractors=6,  # most nouns between a subject and its verb
    depth=5,  # deepest clause within a clause
    seeds=1,  # runs of each, for the spread
)
# > With these sizes on 2 cores, AMD EPYC, 2026-12-01, 83 s:

# %%
import keras
import numpy as np
import tasks

import kerasseq
from kerasseq import probes
from kerasseq.plotting import plot_curves

# %% [markdown]
# ## Order
#
# "The dog bit the man" is no news, "the man bit the dog" is; 狗咬人, 人咬狗. The task: was it the
# animal that did something to the person? Two readers. One is a *bag of words*, the mean of the
# vectors of all words, which is what is left of a sentence when order is lost. The other is an RNN,
# which takes one word after another (lesson 2 opens it). Of every three words both orders are in
# the data; a quarter of the triples is held out. *Predict before you run:* how often is the bag
# of words right?

# %%
order = {}
for language, level in (("en", "word"), ("zh", "char")):
    for name in ("bag of words", "RNN"):
        order[language, name] = []
        for seed in lesson.seeds(sizes):  # one, or with --seeds 3 three
            (texts, answers), (unseen, unseen_answers) = tasks.who_bit_whom(language, seed)
            text = kerasseq.TextProcessor(level=level).adapt(texts)
            bag = keras.layers.GlobalAveragePooling1D()
            reader = bag if name == "bag of words" else kerasseq.RNN(kerasseq.RNNCell(sizes.units))
            ids = text.encode(texts)
            model = tasks.train_classifier(
                name, reader, ids, answers, 0.01, 32, epochs=20, classes=2, vocab_size=len(text)
            )
            loss, accuracy = model.evaluate(text.encode(unseen), unseen_answers, verbose=0)
            order[language, name].append(accuracy)
        print(f"{language}, {name}: {lesson.mean_and_spread(order[language, name])} right")
print(f"{texts[0]} → {answers[0]}; {texts[-1]} → {answers[-1]}")
chinese_rnn = model
# > en, bag of words: 50.0 % right
# > en, RNN: 100.0 % right
# > zh, bag of words: 50.0 % right
# > zh, RNN: 100.0 % right
# > 鹅见女 → 1; 男听鹅 → 0

# %% [markdown]
# The bag cannot do better than a coin, however long it is trained: it gives both orders one answer,
# so that of the two one is always wrong.
#
# ## Length
#
# A network with a fixed input needs sentences of one length: short ones are filled up, long ones
# cut. The RNN needs neither; but sentences of one *batch* must be of one length, so they are filled
# up with padding, the id 0. With a *mask* the layers know which positions are padding and pass over
# them. Here is the Chinese RNN with 0 to 50 more positions of padding, and another one, trained in
# the same way without a mask.

# %%
keras.utils.set_random_seed(sizes.seed)
reader = kerasseq.RNN(kerasseq.RNNCell(sizes.units))
options = {"classes": 2, "vocab_size": len(text), "mask": False}
without = tasks.train_classifier(
    "without a mask", reader, text.encode(texts), answers, 0.01, 32, epochs=20, **options
)
padding = {}
ids = np.array(text.encode(unseen))
for name, model in (("with a mask", chinese_rnn), ("without", without)):
    before = model.predict(ids, verbose=0)
    for more in (0, 1, 5, 50):
        padded = np.pad(ids, [(0, 0), (0, more)])
        logits = model.predict(padded, verbose=0)
        accuracy = np.mean(logits.argmax(axis=1) == unseen_answers)
        padding[name, more] = accuracy, np.abs(logits - before).max()
        print(f"{name}, {more:2} positions more: {accuracy:.1%} right, ", end="")
        print(f"logits moved by at most {padding[name, more][1]:.1e}")
# > with a mask,  0 positions more: 100.0% right, logits moved by at most 0.0e+00
# > with a mask,  1 positions more: 100.0% right, logits moved by at most 0.0e+00
# > with a mask,  5 positions more: 100.0% right, logits moved by at most 0.0e+00
# > with a mask, 50 positions more: 100.0% right, logits moved by at most 0.0e+00
# > without,  0 positions more: 100.0% right, logits moved by at most 0.0e+00
# > without,  1 positions more: 49.1% right, logits moved by at most 8.5e+00
# > without,  5 positions more: 50.0% right, logits moved by at most 5.4e+00
# > without, 50 positions more: 15.7% right, logits moved by at most 7.0e+00

# %% [markdown]
# With a mask padding changes nothing. Without, every position of padding is another word to be
# read, and one such word too many is enough. What cutting loses, you will see in a moment.

# %% [markdown]
# ## Distance
#
# "The keys to the cabinet **are** on the table": the verb agrees with a noun that does not stand
# beside it. The nouns between are *attractors*. Let us put up to six of them there, and read up
# to the verb: is or are? Their numbers are drawn without regard to that of the subject, so that
# nothing but the subject helps.
#
# The readers: the bag, RNN, LSTM (lesson 4), and stacks of convolutions. A convolution of kernel
# size 3 sees a word and the two before it; a second one on top sees five words, L of them 2L + 1:
# the *receptive field*. *Predict:* with n attractors the subject stands 3n words before the last
# word that is read. Up to how many attractors will 1, 2, 4 and 8 layers be right?

# %%
how = {"learning_rate": sizes.learning_rate, "batch_size": sizes.batch_size}
make_reader = {
    "bag of words": keras.layers.GlobalAveragePooling1D,
    "1 convolution": lambda: tasks.make_convolutions(1),
    "2 convolutions": lambda: tasks.make_convolutions(2),
    "4 convolutions": lambda: tasks.make_convolutions(4),
    "8 convolutions": lambda: tasks.make_convolutions(8),
    "RNN": lambda: kerasseq.RNN(kerasseq.RNNCell(sizes.units)),
    "LSTM": lambda: kerasseq.RNN(kerasseq.LSTMCell(sizes.units)),
}
numbers = range(sizes.attractors + 1)
ids, answers, drawn = tasks.agreement(6, numbers, sizes.seed)
for row in ids:
    print(tasks.read(row), "…")
# > the door behind the cat to the dog to the books behind the lamps near the roads …
# > the roads near the books behind the cats near the roads behind the cats …
# > the dog behind the books to the trees to the cabinet …
# > the cup behind the books …
# > the key to the roads near the cup …
# > the book …

# %%
distance, fields = {}, {}
for name, make in make_reader.items():
    options = {"classes": 2, "vocab_size": len(tasks.WORDS), "mask": "convolution" not in name}
    for seed in lesson.seeds(sizes):
        ids, answers, _ = tasks.agreement(sizes.batch_size * sizes.steps, numbers, seed)
        unseen_ids, unseen_answers, drawn = tasks.agreement(4000, numbers, seed + 1000)
        model = tasks.train_classifier(name, make(), ids, answers, **how, **options)
        right = model.predict(unseen_ids, verbose=0).argmax(axis=1) == unseen_answers
        for number in numbers:
            distance.setdefault((name, number), []).append(right[drawn == number].mean())
    any_words = np.random.default_rng(0).integers(1, len(tasks.WORDS), (20, ids.shape[1]))
    fields[name] = probes.receptive_field(model, any_words)
    shown = [f"{np.mean(distance[name, number]):.0%}" for number in numbers]
    print(f"{name:14} sees {fields[name]:2} words; right with 0, 1, … attractors:", *shown)
lstm = model  # the last of them
# > bag of words   sees 20 words; right with 0, 1, … attractors: 100% 76% 73% 67% 70% 67% 70%
# > 1 convolution  sees  3 words; right with 0, 1, … attractors: 100% 54% 54% 45% 48% 51% 48%
# > 2 convolutions sees  5 words; right with 0, 1, … attractors: 100% 100% 50% 53% 50% 52% 50%
# > 4 convolutions sees  9 words; right with 0, 1, … attractors: 100% 100% 100% 52% 52% 55% 48%
# > 8 convolutions sees 17 words; right with 0, 1, … attractors: 100% 100% 100% 100% 100% 100% 54%
# > RNN            sees 20 words; right with 0, 1, … attractors: 100% 100% 100% 100% 100% 100% 100%
# > LSTM           sees 20 words; right with 0, 1, … attractors: 100% 100% 100% 100% 100% 100% 100%

# %%
curves = {
    name: (
        [3 * number for number in numbers],
        [np.mean(distance[name, number]) for number in numbers],
        [np.std(distance[name, number]) for number in numbers],
    )
    for name in make_reader
}
curves["chance"] = ([0, 3 * sizes.attractors], [0.5, 0.5])
figure = plot_curves(curves, "words from the subject to the last word read", "share right")
lesson.show(figure, sizes, "distance")
# > Figure: runs/01_language/distance.png

# %% [markdown]
# A stack of convolutions is right where the subject is in its field, and tosses a coin beyond: to
# see a word k words back it must see k + 1 words, which takes k / 2 layers. The chapter says
# O(k / kernel size); each of the layers costs time and weights. An RNN has one layer for every
# distance. The bag sees all words but not which is the subject: it goes by majority.
#
# And this is what cutting sentences to a length does to the LSTM, the last reader:

# %%
truncation = {}
for length in (2, 8, 14, 20):
    cut = unseen_ids[:, -length:]
    truncation[length] = lstm.evaluate(cut, unseen_answers, verbose=0)[1]
    print(f"cut to the last {length:2} words: {truncation[length]:.1%} right")
# > cut to the last  2 words: 56.8% right
# > cut to the last  8 words: 71.6% right
# > cut to the last 14 words: 86.3% right
# > cut to the last 20 words: 100.0% right

# %% [markdown]
# ## Depth
#
# A noun can have a clause, and a noun in this clause one of its own. "The key₁ that the dogs₂ that
# the cat₃ saw₃ held₂ is₁ …": the innermost subject gets the first verb, and the first subject waits
# for the last. The sentence may stop before *any* of its verbs, and the reader has to know whose
# turn it is: all numbers must be kept, as in a pile of plates. *Predict:* will the RNN be as good
# at depth 5 as at 5 attractors in a row?

# %%
depths = range(sizes.depth + 1)
ids, answers, drawn = tasks.agreement(6, depths, sizes.seed, nested=True)
for row in ids:
    print(tasks.read(row), "…")
# > the key that the cabinet that the key that the cats that the cups that the cats held held hid he
# > the doors that the cats that the dogs that the books hid held held …
# > the trees that the roads that the book that the cats saw hid …
# > the tree that the cats …
# > the cups that the dog saw …
# > the lamp …

# %%
depth = {}
for name in ("bag of words", "8 convolutions", "RNN", "LSTM"):
    options = {"classes": 2, "vocab_size": len(tasks.WORDS), "mask": "convolution" not in name}
    for seed in lesson.seeds(sizes):
        count = sizes.batch_size * sizes.steps
        ids, answers, _ = tasks.agreement(count, depths, seed, nested=True)
        unseen_ids, unseen_answers, drawn = tasks.agreement(4000, depths, seed + 1000, nested=True)
        model = tasks.train_classifier(name, make_reader[name](), ids, answers, **how, **options)
        right = model.predict(unseen_ids, verbose=0).argmax(axis=1) == unseen_answers
        for number in depths:
            depth.setdefault((name, number), []).append(right[drawn == number].mean())
    shown = [f"{np.mean(depth[name, number]):.0%}" for number in depths]
    print(f"{name:14} right at depth 0, 1, …:", *shown)
# > bag of words   right at depth 0, 1, …: 100% 75% 74% 72% 70% 63%
# > 8 convolutions right at depth 0, 1, …: 100% 100% 100% 100% 91% 86%
# > RNN            right at depth 0, 1, …: 100% 100% 100% 100% 100% 93%
# > LSTM           right at depth 0, 1, …: 100% 100% 100% 100% 97% 93%

# %% [markdown]
# RNN and LSTM are no longer perfect at depth 5, as they were at 5 attractors: to keep all numbers
# in their order takes more of a state, and more training, than to keep the first. The 8
# convolutions are right while everything is in their field of 17 words, and above chance beyond:
# the subjects whose turn comes first are near.
#
# ## Place
#
# A convolution finds a pattern wherever it stands. For cats in pictures that is what one wants.
# 是好的 and 不是好的 it can tell apart, too: 不 is in the window or is not. (Here the chapter is
# too simple: a difference *within* the window is no difficulty.) But *which* of two things is
# denied is a question of place, and pooling, the step that makes a picture's position irrelevant,
# makes it irrelevant here:

# %%
texts, answers = tasks.which_is_good(2000, sizes.seed)
unseen, unseen_answers = tasks.which_is_good(1000, sizes.seed + 1000)
text = kerasseq.TextProcessor(level="char").adapt(texts)
print(texts[0], "→", ["the first is good", "the second is good"][answers[0]])
# > 他说这个学校真的不是好的,他说这个电影真的是好的 → the second is good

# %%
place = {}
for name in ("pooled convolution", "RNN", "LSTM"):
    place[name] = []
    for _ in lesson.seeds(sizes):
        if name == "pooled convolution":
            windows = keras.layers.Conv1D(sizes.units, 3, padding="same", activation="relu")
            reader = keras.Sequential([windows, keras.layers.GlobalMaxPooling1D()])
        else:
            reader = make_reader[name]()
        options = {"classes": 2, "vocab_size": len(text), "mask": "convolution" not in name}
        ids = text.encode(texts)
        model = tasks.train_classifier(
            name, reader, ids, answers, sizes.learning_rate, 32, epochs=8, **options
        )
        place[name].append(model.evaluate(text.encode(unseen), unseen_answers, verbose=0)[1])
    print(f"{name}: {lesson.mean_and_spread(place[name])} right")
# > pooled convolution: 51.0 % right
# > RNN: 100.0 % right
# > LSTM: 100.0 % right

# %%
lesson.write_results(
    sizes,
    order={f"{language} {name}": values for (language, name), values in order.items()},
    padding={f"{name} {more}": accuracy for (name, more), (accuracy, _) in padding.items()},
    distance={f"{name} {number}": values for (name, number), values in distance.items()},
    truncation={str(length): share for length, share in truncation.items()},
    fields=fields,
    depth={f"{name} {number}": values for (name, number), values in depth.items()},
    place=place,
)
# > Results: runs/01_language/results.json

# %% [markdown]
# ## What is still wrong
#
# - The RNN did all of this, but nobody has said how. Lesson 2 opens it.
# - Six attractors are 18 words. Lesson 3 asks how far back an RNN can learn to look, and why no
#   further.
#
# ### Exercises
#
# 1. Give the 2 convolutions a kernel of size 9, `tasks.make_convolutions(2, kernel_size=9)`. With
#    how many attractors does it break now? Count first.
# 2. Train the RNN with at most 3 attractors, `tasks.agreement(…, range(4), …)`, and test it with up
#    to 6. Does it know the rule, or the cases?
