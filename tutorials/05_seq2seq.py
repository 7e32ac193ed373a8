# ---
# jupyter:
#   jupytext:
#     formats: py:percent
# ---

# %% [markdown]
# # 5. Sequence to sequence: a sentence in one vector
#
# An LSTM reads a sentence to its end, and its last state is handed to another LSTM, which writes a
# sentence in another language (Sutskever, Vinyals and Le 2014; section 3.4.1). Nothing but that
# state passes between the two: a *context vector* of a fixed size, whether it stands for three
# words or for forty. In this lesson you train such a translator, and measure what fits through the
# bottleneck and what does not.

# %%
import lesson  # first: it keeps the start of TensorFlow quiet

sizes = lesson.options(
    "05_seq2seq",
    "Translate through one vector, and measure what it holds.",
    dataset="phrasebook/en_fr",  # or phrasebook/zh_en with source zh and target en
    source="en",
    target="fr",
    data_dir=None,
    encoder="backward",  # or forward, bidirectional
    embedding_dim=64,
    units=128,
    dropout=0.0,
    batch_size=25,
    learning_rate=0.005,
    epochs=5,
    sentences=[],  # to be translated at the end
    all=False,  # also an encoder that reads forward, and one that reads both ways
)
# > With these sizes on 2 cores, AMD EPYC, 2026-12-01, 100 s:

# %%
import keras
import numpy as np

import kerasseq
from kerasseq import callbacks, data
from kerasseq.plotting import plot_curves

keras.utils.set_random_seed(sizes.seed)

# %% [markdown]
# ## The data
#
# The phrasebook has correct English and French sentences, produced by a program from rules (a
# grammar). Its test set has sentences of 2 to 40 words, about as many of each length, so that
# length can be studied. In training most are short, as in life.
#
# A batch holds the target twice, shifted by one word: `target_in` is what the decoder reads,
# [START] Je mange cette orange ., and beside it stands what it should say next, Je mange cette
# orange . [END]. Sentences of like length share a batch; `buckets` is how many lengths there are at
# most.

# %%
corpus = {"dataset": sizes.dataset, "source": sizes.source, "target": sizes.target}
corpus["data_dir"] = sizes.data_dir
train, validation, test = [
    data.load_pairs(**corpus, split=split) for split in data.default_splits(**corpus)
]
train_sources, train_targets = data.to_lists(train)
source_text = kerasseq.TextProcessor(8000).adapt(train_sources)
target_text = kerasseq.TextProcessor(8000).adapt(train_targets)
batches = data.make_batches(
    train, source_text, target_text, sizes.batch_size, sizes.seed, buckets=12
)
validation_batches = data.make_batches(
    validation, source_text, target_text, sizes.batch_size, shuffle=False, verbose=False
)
for source, target in zip(train_sources[:3], train_targets, strict=False):
    print(source, "→", target)
# > 20,000 pairs in 800 batches of 25; dropped: 0 empty, 0 longer than 100 tokens; padding: 8.5% wit
# > Helen follows her, and Peter heard the author, but I think that the minister rarely slept in thi
# > The birds had followed the directors, and they published some books. → Les oiseaux avaient suivi
# > I eat this bad orange. → Je mange cette mauvaise orange.

# %% [markdown]
# ## The model
#
#     source words → embedding → LSTM (the encoder) → its last state: the context
#     context, as first state → LSTM (the decoder), which reads the target so far
#     its output and the word it has just read → readout, a dense layer → scores of all words
#
# The encoder reads the sentence *backward*, from its last word to its first: why, you will see
# below. *Predict before you run:* an LSTM of 128 units has two states, h and C. How many numbers
# are handed over?

# %%
model = kerasseq.build_seq2seq(
    len(source_text),
    len(target_text),
    embedding_dim=sizes.embedding_dim,
    units=sizes.units,
    dropout=sizes.dropout,
    encoder=sizes.encoder,
    tie_embeddings=True,  # one matrix to read target words and to write them; see lesson 7
)
encode = kerasseq.encoder_view(model)
[h, C] = encode(source_text.encode(train_sources[:1]))["states"]
print(f"{model.count_params():,} parameters; the context: h {h.shape}, C {C.shape}")
# > 285,824 parameters; the context: h (1, 128), C (1, 128)

# %% [markdown]
# ## Train
#
# In training the decoder reads the *true* target so far, whatever it would have said itself:
# *teacher forcing*. One pass gives a loss at every word, and an early mistake spoils nothing. When
# it translates it runs freely: it reads [START], says the word with the highest score, reads that
# word next, and so on until it says [END]. Always taking the best word is called *greedy search*.
#
# The loss is the cross-entropy of real words, padding left out (its smoothing is 0 here; lesson 7
# uses it). It is a mean over sentences, the perplexity one over words, so that the one is not e to
# the other. The learning rate rises for 50 steps and then falls to 0.

# %%
print(f"tensorboard --logdir {sizes.run_dir}")
translator = kerasseq.Translator(model, source_text, target_text)
sources, targets = data.to_lists(validation.take(100))
steps = len(batches) * sizes.epochs
model.compile(
    keras.optimizers.Adam(
        keras.optimizers.schedules.CosineDecay(
            0.0, steps, warmup_target=sizes.learning_rate, warmup_steps=min(50, steps)
        ),
        global_clipnorm=1.0,
    ),
    kerasseq.SmoothedCrossentropy(),
    metrics=[kerasseq.Perplexity()],
    jit_compile=False,
)
# > tensorboard --logdir runs/05_seq2seq

# %%
with lesson.keep_what_is_trained(translator, sizes.run_dir / "translator.kerasseq"):
    history = model.fit(
        batches,
        validation_data=validation_batches,
        epochs=sizes.epochs,
        shuffle=False,  # the batches come shuffled already
        callbacks=[
            callbacks.BleuScore(translator, sources, targets, sizes.target, sizes.run_dir),
            callbacks.SampleTranslations(translator, sources[:5], targets[:5], sizes.run_dir),
            keras.callbacks.TensorBoard(sizes.run_dir),
        ],
        verbose=lesson.verbosity(),
    ).history
# > Epoch 1/5
# > 800/800 - 17s - 21ms/step - loss: 2.4247 - perplexity: 14.5471 - val_loss: 1.4825 - val_perplexi
# > Epoch 2/5
# > 800/800 - 15s - 19ms/step - loss: 1.0636 - perplexity: 4.0300 - val_loss: 1.0124 - val_perplexit
# > Epoch 3/5
# > 800/800 - 16s - 20ms/step - loss: 0.7224 - perplexity: 2.8918 - val_loss: 0.8202 - val_perplexit
# > Epoch 4/5
# > 800/800 - 15s - 19ms/step - loss: 0.5566 - perplexity: 2.4003 - val_loss: 0.7330 - val_perplexit
# > Epoch 5/5
# > 800/800 - 15s - 19ms/step - loss: 0.4834 - perplexity: 2.1941 - val_loss: 0.7128 - val_perplexit

# %% [markdown]
# ## Forced and free
#
# Side by side: what it says after each word of the *true* translation (its k-th word is the guess
# for the k-th of the true one; l' and the period are words, too), and what it says after its own
# words.

# %%
test_sources, test_targets = data.to_lists(test)
words = source_text.tokens(test_sources)
lengths = np.array([sum(map(str.isalnum, line)) for line in words])  # without punctuation
shown = [int(np.argmax(lengths >= length)) for length in (5, 15, 30)]
translations = translator.translate(test_sources, verbose=lesson.verbosity() == 1)
for row in shown:
    ids = target_text.encode(test_targets[row : row + 1])
    logits = model({"source": source_text.encode(test_sources[row : row + 1]), "target_in": ids})
    print(test_sources[row])
    print("  true:  ", test_targets[row])
    print("  forced:", *target_text.decode(np.argmax(logits, axis=-1)))
    print("  free:  ", translations[row].text)
# > He did not know him.
# >   true:   Il ne le connaissait pas.
# >   forced: Il ne l'voit pas.
# >   free:   Il ne l'aime pas.
# > The friends of the president of the Chinese Economic Community helped my happy European neighbor
# >   true:   Les amis du président de la communauté économique chinoise ont aidé mon voisin europée
# >   forced: Les amis de président des la communauté scientifique européenne ont souvent mon voisin
# >   free:   Les amis de la femme veulent suivre le président chinois honnête d'mon voisin.
# > He must follow many famous linguists that the Italian author of an economic report that was lost
# >   true:   Il doit suivre beaucoup de linguistes célèbres que l'auteur italien d'un rapport écono
# >   forced: Il doit voir beaucoup de enfants riches que le écrivain célèbre célèbre un médecin qui
# >   free:   Il doit voir beaucoup de enfants célèbres que le roi riche qui a perdu doit vendre cet

# %% [markdown]
# Forced, it writes nonsense where it does not know how to go on, as the true word follows whatever
# it says. Free, it writes phrases that are nearly French, one by one. They begin as the source
# does, and the longer the sentence, the less they have to do with it: the decoder goes on like a
# language model (lesson 2).
#
# ## The bottleneck
#
# BLEU by the length of the source. BLEU is the geometric mean of four shares, so that the smallest
# pulls it down: of the words, pairs, triples and quadruples of a translation, how many are in the
# reference; a translation that is too short loses. 100 is the same, 0 nothing in common. (What
# stands in brackets are its settings, so that scores can be compared. Sentences of less than five
# words have hardly a quadruple; they count in the total alone.) *Predict:* from which length on is
# the vector no longer enough?

# %%
texts = [one.text for one in translations]
bleu = kerasseq.bleu(texts, test_targets, sizes.target)
by_length = lesson.bleu_by_length(lengths, texts, test_targets, sizes.target)
print(f"BLEU {bleu.score:.1f} on {len(texts):,} sentences ({bleu.signature})")
for (shortest, longest), score in by_length.items():
    print(f"{shortest} to {longest} words: BLEU {score:.1f}")
middles = [np.mean(lengths) for lengths in by_length]
figure = plot_curves({"Seq2Seq": (middles, [*by_length.values()])}, "source words", "BLEU")
lesson.show(figure, sizes, "bleu_by_length")
# > BLEU 22.7 on 1,000 sentences (nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0)
# > 5 to 10 words: BLEU 68.8
# > 11 to 20 words: BLEU 27.8
# > 21 to 30 words: BLEU 18.0
# > 31 to 40 words: BLEU 14.6
# > Figure: runs/05_seq2seq/bleu_by_length.png

# %% [markdown]
# The chapter says that Seq2Seq is good on short sentences, of up to 20 words, and the worse the
# longer they are. With 128 units and a minute or two of training it makes mistakes even up to 10
# words and loses most before 20; that it falls with the length is what the chapter describes.
# (Three seeds: 65.9 ± 2.1 up to 10 words, and 22 % of that beyond 30.)
#
# ## What is in the vector?
#
# The chapter's box counts bits: 512 numbers of 32 bits are 16,000, a word is worth about 10, so
# there should be room for 1,600 words, and in our 256 numbers for 800. Our sentences have at most
# 40. Where has the room gone? Two measurements on context vectors.
#
# First, *linear probes*: a single matrix that is to find the first, or the last, word of the source
# in the context. It learns on the training sentences and is asked about those of the test set. It
# gives a lower bound: the decoder is not linear and might find more.
#
# Second, the *effective dimension* of the training sentences' contexts. Scale every number to a
# variance of 1, and let λ_i be the variances along the *principal axes*, the perpendicular
# directions along which the vectors vary most: the eigenvalues of the correlation matrix. The
# participation ratio (Σλ_i)² / Σλ_i² is the number of axes that take part: of λ = (1, 1, 0, 0) it
# is 2² / 2 = 2. *Predict:* which of the two words is easier to find?

# %%
contexts, ends = {}, {}
number = {word: index for index, word in enumerate(source_text.vocabulary)}
for split, lines in (("train", train_sources), ("test", test_sources)):
    ids = source_text.encode(lines)
    states = encode.predict(ids, batch_size=500, verbose=lesson.verbosity())["states"]
    contexts[split] = np.concatenate(states, axis=1)
    cut = source_text.tokens(lines)
    words = [[tokens[0], tokens[-2]] for tokens in cut]  # the very last is the period
    ends[split] = np.array([[number.get(one, 1) for one in two] for two in words])  # 1 is [UNK]
variances = np.linalg.eigvalsh(np.corrcoef(contexts["train"].T))
dimension = variances.sum() ** 2 / (variances**2).sum()
print(f"{contexts['train'].shape[1]} numbers, effective dimension {dimension:.1f}")
# > 40/40 - 2s - 50ms/step
# > 2/2 - 0s - 57ms/step
# > 256 numbers, effective dimension 27.9

# %%
probes = {}
for place, name in enumerate(("first", "last")):
    keras.utils.set_random_seed(sizes.seed)
    probe = keras.Sequential([keras.layers.Dense(len(source_text))])
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    probe.compile(keras.optimizers.Adam(0.003), loss, jit_compile=False)
    line = lesson.MovingLine(f"probe for the {name} word")
    probe.fit(contexts["train"], ends["train"][:, place], 256, 15, callbacks=[line], verbose=0)
    found = probe.predict(contexts["test"], verbose=0).argmax(axis=1) == ends["test"][:, place]
    commonest = np.bincount(ends["train"][:, place]).argmax()
    guessed = np.mean(ends["test"][:, place] == commonest)
    print(f"{name} word, always guessing the commonest: {guessed:.1%}")
    for shortest, longest in by_length:
        inside = (shortest <= lengths) & (lengths <= longest)
        probes[name, shortest, longest] = float(found[inside].mean())
        share = probes[name, shortest, longest]
        print(f"{name} word, sentences of {shortest} to {longest} words: found {share:.1%}")
# > first word, always guessing the commonest: 38.6%
# > first word, sentences of 5 to 10 words: found 100.0%
# > first word, sentences of 11 to 20 words: found 100.0%
# > first word, sentences of 21 to 30 words: found 100.0%
# > first word, sentences of 31 to 40 words: found 100.0%
# > last word, always guessing the commonest: 5.1%
# > last word, sentences of 5 to 10 words: found 41.4%
# > last word, sentences of 11 to 20 words: found 27.0%
# > last word, sentences of 21 to 30 words: found 15.6%
# > last word, sentences of 31 to 40 words: found 6.4%

# %%
curves = {
    f"{name} word": (middles, [probes[name, *lengths] for lengths in by_length])
    for name in ("first", "last")
}
figure = plot_curves(curves, "source words", "found by a linear probe")
lesson.show(figure, sizes, "probes")
# > Figure: runs/05_seq2seq/probes.png

# %% [markdown]
# The first word is always there: the encoder, coming from the end, read it last. The last word was
# read first, and in long sentences, of which it has seen few (4 % of the training set), a probe
# finds it hardly more often than by guessing. Yet the vector does not look full: its variance is
# spread as if over 28 axes of 256, the chapter's "effective dimension far below the theoretical
# bound". That suggests, and does not prove, that training has not found out how to use the rest. A
# larger vector helps, but less than in proportion (exercise 1); a shorter way from each word to
# where it is needed helps more (lesson 6).
#
# ## From which end?
#
# Sutskever and his colleagues read the source *backward*: then its first words are near the first
# words of the target, and the way back for the gradient is short for them. With `--all` two more
# are trained: one that reads forward, and one that reads both ways, with half of its units each.
# *Predict:* which of the three is best?

# %%
directions = {sizes.encoder: bleu.score}
for direction in ("forward", "bidirectional") if sizes.all else ():
    keras.utils.set_random_seed(sizes.seed)
    other = kerasseq.build_seq2seq(
        len(source_text),
        len(target_text),
        encoder=direction,
        embedding_dim=sizes.embedding_dim,
        units=sizes.units,
        dropout=sizes.dropout,
        tie_embeddings=True,
    )
    schedule = keras.optimizers.schedules.CosineDecay(
        0.0, steps, warmup_target=sizes.learning_rate, warmup_steps=min(50, steps)
    )
    adam = keras.optimizers.Adam(schedule, global_clipnorm=1.0)
    other.compile(adam, kerasseq.SmoothedCrossentropy(), jit_compile=False)
    batches.plan.epoch = 0  # the same batches in the same order
    other.fit(batches, epochs=sizes.epochs, shuffle=False, verbose=lesson.verbosity())
    said = kerasseq.Translator(other, source_text, target_text).translate(test_sources)
    score = kerasseq.bleu([one.text for one in said], test_targets, sizes.target)
    directions[direction] = score.score
    print(f"{direction}: BLEU {score.score:.1f}")

# %% [markdown]
# With seed 0, backward had BLEU 22.7, forward 17.1, and both ways 12.4. Sutskever's trick works: a
# translation begins with what was read last. (Both ways has 64 units each way, and a dense layer
# that joins their states; which of the two makes it the worst we have not measured. With attention
# it is another matter, see lesson 6.)

# %%
settings = {"model": "Seq2Seq", "units": sizes.units, "seed": sizes.seed}
lesson.log_run(sizes.run_dir, settings, bleu=bleu.score)
lesson.write_results(
    sizes,
    bleu=bleu.score,
    signature=bleu.signature,
    by_length={f"{low}-{high}": score for (low, high), score in by_length.items()},
    probes={f"{name} {low}-{high}": share for (name, low, high), share in probes.items()},
    effective_dimension=float(dimension),
    directions=directions,
    parameters=model.count_params(),
    epochs=sizes.epochs,
)
example = {"en": "I love Beijing.", "zh": "我爱北京。"}.get(sizes.source)
for sentence in lesson.sentences(
    sizes.sentences or [example] * bool(example), f"A sentence in {sizes.source}: "
):
    print(f"{sentence}\n  → {translator.translate([sentence])[0].text}")
# > Results: runs/05_seq2seq/results.json
# > I love Beijing.
# >   → J'aime Pékin.

# %% [markdown]
# ## What is still wrong
#
# - Every sentence, of three words or forty, has to pass through the same vector. Lesson 6 lets the
#   decoder look back at the source as well, and changes nothing else.
# - Reading and writing still go one step after another.
#
# ### Exercises
#
# 1. Train with `--units 32 --run-dir runs/05_32_units` and compare with the 128 of above, by
#    length. Does a vector of four times the size carry sentences of four times the length?
# 2. The probe finds the first word always. Does the decoder always *say* it? Take the test
#    sentences that begin with a name (Mary is Marie, Anna Anne, Helen Hélène, Julia Julie, John
#    Jean, Peter Pierre, Henry Henri; Alice, Paul and Thomas remain), and count by length in how
#    many translations it is right. `kerasseq.Translator.load` takes
#    `runs/05_seq2seq/translator.kerasseq`.
