"""Nothing but a model that is built draws from the numbers that `set_random_seed` has seeded."""

import random

import keras
import numpy as np
import pytest
import tensorflow as tf

import kerasseq
from kerasseq import callbacks, data, plotting
from kerasseq.runtime import keep_random_state

LINES = [f"{one} {two} {three}" for one in "abc" for two in "def" for three in "ghi"]


def drawn_from():
    _, numbers, place, *_ = np.random.get_state()  # noqa: NPY002 (Keras seeds it)
    return random.getstate(), numbers.tolist(), place


@pytest.fixture(scope="module")
def translator():
    text = kerasseq.TextProcessor().adapt(LINES)
    model = kerasseq.build_attention_seq2seq(len(text), len(text), embedding_dim=4, units=6)
    model.compile("sgd", kerasseq.SmoothedCrossentropy(), jit_compile=False)
    return kerasseq.Translator(model, text, text)


def batches(translator):
    pairs = tf.data.Dataset.from_tensor_slices((LINES, LINES))
    return data.make_batches(pairs, translator.source_text, translator.target_text, 9, seed=1)


def watch(translator, folder):
    few = translator, LINES[:2], LINES[:2]
    watching = [
        callbacks.AttentionMaps(*few, folder),
        callbacks.BleuScore(*few, "en", folder),
        callbacks.SampleTranslations(*few, folder),
    ]
    translator.model.fit(batches(translator), shuffle=False, verbose=0, callbacks=watching)


@pytest.mark.slow
@pytest.mark.parametrize(
    "work",
    [
        lambda translator, folder: list(batches(translator)),
        lambda translator, folder: kerasseq.TextProcessor(300, "subword").adapt(LINES),
        lambda translator, folder: translator.translate(LINES[:2]),
        lambda translator, folder: translator.translate(LINES[:2], beam_width=2),
        lambda translator, folder: translator.align(LINES[:2], LINES[:2]),
        lambda translator, folder: translator.save(folder / "translator.kerasseq"),
        lambda translator, folder: translator.export(folder / "saved_model"),
        lambda translator, folder: kerasseq.step_view(translator.model),
        lambda translator, folder: plotting.plot_attention([[1.0]], ["a"], ["b"]),
        lambda translator, folder: kerasseq.bleu(LINES, LINES, "en"),
        watch,
    ],
    ids="batches subwords greedy beam align save export view plot bleu fit".split(),
)
def test_nothing_is_drawn(work, translator, tmp_path):
    keras.utils.set_random_seed(0)
    before = drawn_from()
    work(translator, tmp_path)
    assert drawn_from() == before


def test_within_the_block_two_processes_draw_differently_and_an_error_restores_the_state():
    drawn = []
    for _ in range(2):
        random.seed(0)
        state = random.getstate()
        with pytest.raises(OSError), keep_random_state():
            drawn.append(random.random())
            raise OSError
        assert random.getstate() == state
    assert drawn[0] != drawn[1]
