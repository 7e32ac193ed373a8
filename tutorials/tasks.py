"""Small tasks of which one knows the answer: what lessons 1, 3 and 4 learn.

Each returns NumPy arrays, or lists of texts, and the answers, counted from 0.
"""

import math

import keras
import lesson
import numpy as np

SYMBOLS = 8

ANIMALS = {"dog": "狗", "cat": "猫", "horse": "马", "fox": "狐", "goose": "鹅", "wolf": "狼"}
PEOPLE = {"man": "男", "woman": "女", "boy": "儿", "girl": "娃", "king": "王", "thief": "贼"}
ACTIONS = {"bit": "咬", "saw": "见", "chased": "追", "heard": "听", "feared": "怕", "loved": "爱"}

NOUNS = ["key", "cabinet", "door", "book", "lamp", "cup", "cat", "dog", "tree", "road"]
WORDS = ["", "the", "to", "near", "behind", "that", *NOUNS, *(f"{noun}s" for noun in NOUNS)]
WORDS += ["saw", "held", "hid"]
_THE, _LINKS, _THAT, _FIRST_NOUN = 1, [2, 3, 4], 5, 6  # places in WORDS
_VERBS = [len(WORDS) - 3, len(WORDS) - 2, len(WORDS) - 1]


def who_bit_whom(language, seed, held_out=0.25):
    """Say whether an animal did something to a person (1), or the other way round (0).

    Every three words come in both orders, so the words alone say nothing.

    Args:
        language: `"en"` or `"zh"`.
        seed: Seed of the order and of what is held out.
        held_out: Share of the triples of words that are not in the first part.

    Returns:
        Two parts, to train on and to test on, each of a list of str and an integer array.
    """
    random = np.random.default_rng(seed)
    sentence = {"en": "the {} {} the {}", "zh": "{}{}{}"}[language]
    pick = {"en": 0, "zh": 1}[language]
    triples = [
        (animal[pick], action[pick], person[pick])
        for animal in ANIMALS.items()
        for action in ACTIONS.items()
        for person in PEOPLE.items()
    ]
    random.shuffle(triples)
    parts = []
    for part in np.split(np.array(triples), [int(len(triples) * (1 - held_out))]):
        texts = [sentence.format(*triple) for triple in part]
        texts += [sentence.format(*triple[::-1]) for triple in part]
        parts.append((texts, np.repeat([1, 0], len(part))))
    return parts


def which_is_good(count, seed):
    """Say which of two things is good, the first (0) or the second (1).

        电影真的不是好的,小说真的是好的    → the second

    One of two clauses is denied. The same words, the same pieces of three words: only the place
    of 不 tells.

    Args:
        count: Sentences to draw.
        seed: Seed of the draw.

    Returns:
        A list of str and an integer array.
    """
    random = np.random.default_rng(seed)
    things = ["电影", "小说", "老师", "咖啡", "天气", "城市", "学校", "音乐", "米饭", "房子"]
    texts, answers = [], random.integers(2, size=count)
    for answer in answers:
        first, second = random.choice(things, size=2, replace=False)
        denials = [("", "不"), ("不", "")][answer]
        clauses = [
            f"他说这个{thing}真的{denial}是好的"
            for thing, denial in zip((first, second), denials, strict=True)
        ]
        texts.append(",".join(clauses))
    return texts, answers


def agreement(count, attractors, seed, nested=False):
    """Say whether the verb that comes next is singular (0) or plural (1).

        the keys to the cabinet near the doors            → are
        the key that the dogs that the cat saw            → are
        the key that the dogs that the cat saw held       → is

    The number of the other nouns, the attractors, is drawn without regard to that of the subject.

    Args:
        count: Beginnings of sentences to draw.
        attractors: Integers, how many other nouns there may be.
        seed: Seed of the draw.
        nested: Whether each noun stands in a clause within the clause before, instead of in a row
            of prepositional phrases. Then the verbs come from the innermost clause outward, and any
            of them may be the next.

    Returns:
        Ids `(count, length)` with padding in front, so that the verb is what comes next; the
        answers `(count,)`; and the number of attractors of each `(count,)`.
    """
    random = np.random.default_rng(seed)
    drawn = random.choice(attractors, size=count)
    plural = random.integers(2, size=(count, max(attractors) + 1))
    nouns = _FIRST_NOUN + random.integers(len(NOUNS), size=plural.shape) + len(NOUNS) * plural
    links = random.choice([_THAT] if nested else _LINKS, size=plural.shape)
    verbs = random.choice(_VERBS, size=plural.shape)
    said = random.integers(drawn + 1) if nested else np.zeros(count, int)  # verbs so far
    ids = np.zeros((count, (4 if nested else 3) * max(attractors) + 2), "int32")
    for row, number in enumerate(drawn):
        phrases = np.stack([links[row], np.full_like(links[row], _THE), nouns[row]], axis=1)
        words = [*phrases[: number + 1].flat[1:], *verbs[row, : said[row]]]
        ids[row, -len(words) :] = words
    subject = drawn - said if nested else 0 * drawn
    return ids, plural[np.arange(count), subject], drawn


def read(ids):
    """Return what ids of `agreement` say."""
    return " ".join(WORDS[index] for index in ids if index)


def recall(count, lag, seed):
    """Say at the end which symbol came first, `lag` steps ago.

    Args:
        count: Sequences to draw.
        lag: Steps between the symbol and the end, filled with distractors of another alphabet.
        seed: Seed of the draw.

    Returns:
        Ids `(count, lag + 1)`: the symbol is 1 to 8, distractors are 9 to 16. And the symbol,
        counted from 0, `(count,)`.
    """
    random = np.random.default_rng(seed)
    first = random.integers(SYMBOLS, size=(count, 1))
    distractors = random.integers(SYMBOLS, 2 * SYMBOLS, size=(count, lag))
    return np.concatenate([first, distractors], axis=1) + 1, first[:, 0]


def copying(count, symbols, seed):
    """Say all the symbols that were read, in their order.

    Args:
        count: Sequences to draw.
        symbols: Length of a sequence.
        seed: Seed of the draw.

    Returns:
        Ids `(count, symbols)`, from 1 to 8, and the same counted from 0.
    """
    ids = np.random.default_rng(seed).integers(SYMBOLS, size=(count, symbols))
    return ids + 1, ids


def adding(count, length, seed):
    """Add the two marked numbers of a sequence (Hochreiter & Schmidhuber 1997).

    Args:
        count: Sequences to draw.
        length: Steps of a sequence.
        seed: Seed of the draw.

    Returns:
        Float array `(count, length, 2)` of numbers in [0, 1) and marks: one in the first half, one
        in the second. And the sum of the marked numbers, `(count, 1)`; always saying 1 has a mean
        squared error of 1/6.
    """
    random = np.random.default_rng(seed)
    numbers = random.random((count, length))
    half = length // 2
    places = np.stack([random.integers(half, size=count), random.integers(half, length, count)], 1)
    marks = np.zeros((count, length))
    np.put_along_axis(marks, places, 1.0, axis=1)
    sums = np.take_along_axis(numbers, places, axis=1).sum(axis=1, keepdims=True)
    return np.stack([numbers, marks], axis=-1).astype("float32"), sums.astype("float32")


def make_adam(learning_rate, steps):
    """Make Adam that clips gradients, and whose learning rate falls along a cosine to 0.

    Args:
        learning_rate: That of the first step.
        steps: Those of the whole training.

    Returns:
        A Keras optimizer.
    """
    falling = keras.optimizers.schedules.CosineDecay(learning_rate, steps)
    return keras.optimizers.Adam(falling, global_clipnorm=1.0)


def make_classifier(
    reader, optimizer, classes=SYMBOLS, vocab_size=2 * SYMBOLS + 1, mask=True, jit_compile=False
):
    """Make a model that reads ids and says one of a few classes, compiled.

    Args:
        reader: A layer from vectors `(batch, length, 16)` to one vector a sequence.
        optimizer: A Keras optimizer.
        classes: Number of answers.
        vocab_size: Number of ids, the padding 0 included.
        mask: Whether padding is masked.
        jit_compile: Whether XLA compiles it: that takes some seconds, then steps are faster.

    Returns:
        A `keras.Model` from ids `(batch, length)` to logits `(batch, classes)`.
    """
    ids = keras.Input((None,), dtype="int32")
    numbers = keras.initializers.RandomNormal(stddev=1.0)
    embedding = keras.layers.Embedding(
        vocab_size, 16, embeddings_initializer=numbers, mask_zero=mask
    )
    model = keras.Model(ids, keras.layers.Dense(classes)(reader(embedding(ids))))
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer, loss, metrics=["accuracy"], jit_compile=jit_compile)
    return model


def train_classifier(
    name, reader, ids, answers, learning_rate=0.005, batch_size=64, epochs=1, **options
):
    """Make a classifier, train it with Adam, and show a moving line meanwhile.

    Args:
        name: What the line calls it.
        reader, options: As in `make_classifier`.
        ids, answers: What it reads and should say.
        learning_rate, batch_size, epochs: How it is trained.

    Returns:
        The trained `keras.Model`.
    """
    adam = make_adam(learning_rate, epochs * math.ceil(len(answers) / batch_size))
    model = make_classifier(reader, adam, **options)
    line = lesson.MovingLine(name)
    model.fit(ids, answers, batch_size, epochs, callbacks=[line], verbose=0)
    return model


def make_copier(reader, symbols, optimizer):
    """Make a model that reads symbols into one vector and says all of them from it, compiled.

    Args:
        reader: A layer from vectors `(batch, length, 16)` to one vector a sequence.
        symbols: Length of the sequences.
        optimizer: A Keras optimizer.

    Returns:
        A `keras.Model` from ids `(batch, symbols)` to logits `(batch, symbols, 8)`.
    """
    ids = keras.Input((symbols,), dtype="int32")
    logits = keras.layers.Dense(symbols * SYMBOLS)(reader(keras.layers.Embedding(9, 16)(ids)))
    model = keras.Model(ids, keras.layers.Reshape((symbols, SYMBOLS))(logits))
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer, loss, metrics=["accuracy"], jit_compile=False)
    return model


def make_convolutions(layers, kernel_size=3, filters=32):
    """Make a stack of convolutions that look back only, and hand on what the last position sees."""
    stack = [
        keras.layers.Conv1D(
            filters,
            kernel_size,
            padding="causal",
            activation="relu",
            kernel_initializer="he_normal",
        )
        for _ in range(layers)
    ]
    return keras.Sequential([*stack, keras.layers.Lambda(lambda outputs: outputs[:, -1])])
