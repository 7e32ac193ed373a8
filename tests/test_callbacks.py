import html
import math
import threading
import warnings
from typing import NamedTuple

import keras
import matplotlib.pyplot as plt
import numpy as np
import pytest
import tensorflow as tf
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.plugin_util import markdown_to_safe_html

from kerasseq.callbacks import AlignmentError, AttentionMaps, BleuScore, SampleTranslations, writers
from kerasseq.metrics import bleu
from kerasseq.plotting import figure_to_array, plot_attention
from kerasseq.translation.result import Translation

SOURCES = ["the dog bites the man", "a cat ran"]
TARGETS = ["le chien mord l'homme", "un chat a couru"]


class FakeTranslator:
    """Says `answers[n]` the n-th time, and looks along the diagonal, or as `weights` says."""

    def __init__(self, answers=(TARGETS,), weights=None):
        self.answers, self.weights, self.calls = list(answers), weights, 0

    def translate(self, texts, keep_attention=True):
        answers = self.answers[min(self.calls, len(self.answers) - 1)]
        self.calls += 1
        return [self._look(*pair) for pair in zip(texts, answers, strict=True)]

    def align(self, source_texts, target_texts):
        return [self._look(*pair) for pair in zip(source_texts, target_texts, strict=True)]

    def in_words(self, translations):
        return translations

    def _look(self, source, target):
        source_tokens, tokens = ["[START]", *source.split(), "[END]"], target.split()
        diagonal = np.eye(len(tokens), len(source_tokens), k=1)
        weights = diagonal if self.weights is None else self.weights(diagonal)
        return Translation(target, tokens, source_tokens, weights, -1.0)


class Example(NamedTuple):
    source: str
    target: str
    sure: np.ndarray
    possible: np.ndarray


EXAMPLES = [
    Example("a b c", "x y z", np.array([[0, 0], [1, 1]]), np.array([[0, 0], [1, 1], [2, 2]])),
    Example("d e", "v w", np.array([[1, 0]]), np.array([[1, 0]])),
]


@pytest.fixture(autouse=True)
def every_writer_is_closed():
    yield
    assert not writers._open


@pytest.fixture
def log_dir(tmp_path):
    return str(tmp_path / "logs")


def small_model():
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse", run_eagerly=True)
    return model


def fit(callbacks, epochs=2, model=None, **options):
    x = np.arange(8.0).reshape(4, 2) / 8
    model = model or small_model()
    return model.fit(x, x[:, :1], epochs=epochs, callbacks=callbacks, verbose=0, **options)


def read(folder):
    """All events of one run: {tag: [(step, tensor), …]}."""
    accumulator = EventAccumulator(str(folder), size_guidance={"tensors": 0})
    accumulator.Reload()
    return {
        tag: [(event.step, tf.make_ndarray(event.tensor_proto)) for event in events]
        for tag in accumulator.Tags()["tensors"]
        for events in [accumulator.Tensors(tag)]
    }


def picture(event):
    _, (_, _, png) = event
    return tf.io.decode_png(png).numpy()


def runs(log_dir):
    return {path.rsplit("/", 1)[-1] for path in tf.io.gfile.glob(f"{log_dir}/*")}


# AttentionMaps


def test_an_attention_map_for_each_sentence_and_epoch(log_dir):
    translator = FakeTranslator()
    fit([AttentionMaps(translator, SOURCES, TARGETS, log_dir)], epochs=3)
    events = read(f"{log_dir}/translation")
    assert set(events) == {"attention/0", "attention/1", "attention_entropy"}
    assert [step for step, _ in events["attention/1"]] == [0, 1, 2]
    expected = plot_attention(
        np.eye(4, 5, k=1), ["[START]", *SOURCES[1].split(), "[END]"], TARGETS[1].split()
    )
    np.testing.assert_array_equal(picture(events["attention/1"][2]), figure_to_array(expected))
    assert translator.calls == 0  # led along the given targets


@pytest.fixture(scope="module")
def sixty_epochs(tmp_path_factory):
    """The figures left in pyplot and the events of a long fit in which any warning is an error."""
    log_dir, mine = tmp_path_factory.mktemp("logs"), plt.figure()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", category=DeprecationWarning, module="keras")
        fit([AttentionMaps(FakeTranslator(), ["a"], ["x"], log_dir)], epochs=60)
    new_figures = set(plt.get_fignums()) - {mine.number}
    plt.close(mine)
    return new_figures, read(log_dir / "translation")


@pytest.mark.slow
def test_all_images_of_sixty_epochs_are_kept(sixty_epochs):
    _, events = sixty_epochs
    assert [step for step, _ in events["attention/0"]] == list(range(60))


def test_maps_leave_no_figure_open(sixty_epochs):
    new_figures, _ = sixty_epochs
    assert not new_figures


def test_without_targets_the_maps_are_those_of_the_translation(log_dir):
    translator = FakeTranslator([["x"], ["x"], ["xylophone"]])
    fit([AttentionMaps(translator, ["a b"], log_dir=log_dir)])
    first, second = (picture(event) for event in read(f"{log_dir}/translation")["attention/0"])
    assert first.shape[1] < second.shape[1]


def test_every_second_epoch(log_dir):
    fit([AttentionMaps(FakeTranslator(), ["a"], ["x"], log_dir, every=2)], epochs=5)
    assert [step for step, _ in read(f"{log_dir}/translation")["attention/0"]] == [0, 2, 4]


def test_attention_entropy_is_the_mean_over_all_rows(log_dir):
    def weights(diagonal):  # first row of each map uniform over its source, the others sharp
        diagonal[0] = 1 / diagonal.shape[1]
        return diagonal

    fit([AttentionMaps(FakeTranslator(weights=weights), ["a b", "c"], ["x y", "z"], log_dir)])
    events = read(f"{log_dir}/translation")["attention_entropy"]
    assert events[1][1] == pytest.approx((math.log(4) + 0 + math.log(3)) / 3)


def test_an_empty_translation_is_drawn_and_has_no_entropy(log_dir):
    fit([AttentionMaps(FakeTranslator([[""]]), ["a b"], log_dir=log_dir)])
    events = read(f"{log_dir}/translation")
    assert set(events) == {"attention/0"} and len(events["attention/0"]) == 2


def test_gold_alignments_are_outlined_past_the_start_token(log_dir):
    gold = [[[1, 0], [0, 1]], np.zeros((0, 2))]
    fit([AttentionMaps(FakeTranslator(), ["a b", "c"], ["x y", "z"], log_dir, gold=gold)])
    expected = plot_attention(
        np.eye(2, 4, k=1), ["[START]", "a", "b", "[END]"], ["x", "y"], gold=[[2, 0], [1, 1]]
    )
    image = picture(read(f"{log_dir}/translation")["attention/0"][0])
    np.testing.assert_array_equal(image, figure_to_array(expected))


def test_maps_from_a_thread(log_dir):
    thread = threading.Thread(
        target=fit, args=([AttentionMaps(FakeTranslator(), ["a"], ["x"], log_dir)],)
    )
    thread.start()
    thread.join()
    assert len(read(f"{log_dir}/translation")["attention/0"]) == 2


@pytest.mark.parametrize(
    "make",
    [
        lambda translator, log_dir: AttentionMaps(translator, SOURCES, TARGETS, log_dir),
        lambda translator, log_dir: AlignmentError(translator, EXAMPLES, log_dir),
    ],
)
def test_a_model_without_attention_is_refused_before_training(log_dir, make):
    translator = FakeTranslator(weights=lambda diagonal: None)
    model = small_model()
    with pytest.raises(ValueError, match="model with attention"):
        fit([make(translator, log_dir)], model=model)
    assert int(model.optimizer.iterations) == 0
    fit([BleuScore(translator, SOURCES, TARGETS, log_dir=log_dir)])  # closes what was left open


# SampleTranslations


def test_sample_translations_are_a_table(log_dir):
    answers = [["le chien", "un chat"], TARGETS]
    fit([SampleTranslations(FakeTranslator(answers), SOURCES, TARGETS, log_dir)])
    (first_step, first), (second_step, second) = read(f"{log_dir}/translation")["translations"]
    assert (first_step, second_step) == (0, 1)
    assert first.item().decode().splitlines() == [
        "| source | reference | translation |",
        "|---|---|---|",
        f"| {SOURCES[0]} | {TARGETS[0]} | le chien |",
        f"| {SOURCES[1]} | {TARGETS[1]} | un chat |",
    ]
    assert second.item().decode().splitlines()[2].endswith(f"| {TARGETS[0]} |")


@pytest.mark.parametrize(
    "text, shown",
    [
        ("a|b\\|c", "a|b\\|c"),
        ("two\nlines\r\n", "two lines"),
        ("**no** _em_ `code` [a](b) ~~s~~", "**no** _em_ `code` [a](b) ~~s~~"),
        ("<script>x</script> &amp;", "<script>x</script> &amp;"),
        ("", ""),
    ],
)
def test_markup_in_a_text_is_shown_as_it_is(log_dir, text, shown):
    fit([SampleTranslations(FakeTranslator([[text]]), ["a"], ["b"], log_dir)], epochs=1)
    [(_, table)] = read(f"{log_dir}/translation")["translations"]
    page = markdown_to_safe_html(table.item())
    cells = [cell.split("</td>")[0] for cell in page.split("<td>")[1:]]
    assert [html.unescape(cell) for cell in cells] == ["a", "b", shown]
    assert not any("<" in cell for cell in cells)


# BleuScore and AlignmentError

ANSWERS = [["le chien mord l'homme", ""], TARGETS, ["le chien mord l'homme", "un chat"], ["", ""]]


def test_bleu_score_reaches_tensorboard_and_history(log_dir):
    score = BleuScore(FakeTranslator(ANSWERS), SOURCES, TARGETS, "fr", log_dir)
    history = fit([score], epochs=4).history
    expected = [bleu(answer, TARGETS, "fr").score for answer in ANSWERS]
    assert expected[1] == 100.0 and 0 < expected[0] < expected[2] < 100 and expected[3] == 0
    assert history["val_bleu"] == expected
    events = read(f"{log_dir}/translation")["bleu"]
    np.testing.assert_allclose([value for _, value in events], expected, rtol=1e-6)


def test_bleu_is_measured_with_the_tokenizer_of_the_language():
    score = BleuScore(FakeTranslator([["我爱北京天安门"]]), ["a"], ["我爱北京的天安门"], "zh")
    assert fit([score]).history["val_bleu"][0] > 30  # one word for "13a": 0


def test_early_stopping_and_checkpoint_see_bleu(tmp_path):
    file = str(tmp_path / "best.{epoch:02d}-{val_bleu:.0f}.weights.h5")
    best = {"monitor": "val_bleu", "mode": "max"}
    callbacks = [
        BleuScore(FakeTranslator(ANSWERS), SOURCES, TARGETS),
        keras.callbacks.EarlyStopping(**best, patience=1),
        keras.callbacks.ModelCheckpoint(file, **best, save_best_only=True, save_weights_only=True),
    ]
    assert len(fit(callbacks, epochs=10).epoch) == 3
    first = bleu(ANSWERS[0], TARGETS).score
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        f"best.01-{first:.0f}.weights.h5",
        "best.02-100.weights.h5",
    ]


def test_epochs_between_two_measurements_do_not_count(log_dir):
    score = BleuScore(FakeTranslator(ANSWERS), SOURCES, TARGETS, log_dir=log_dir, every=3)
    stop = keras.callbacks.EarlyStopping("val_bleu", mode="max", patience=1)
    with pytest.warns(UserWarning, match="val_bleu"):
        history = fit([score, stop], epochs=20)
    # Measured after epochs 0, 3 and 6; the third is no better than the second.
    assert len(history.epoch) == 7 and len(history.history["val_bleu"]) == 3
    assert [step for step, _ in read(f"{log_dir}/translation")["bleu"]] == [0, 3, 6]


def test_without_log_dir_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    translator = FakeTranslator()
    fit([BleuScore(translator, SOURCES, TARGETS), AlignmentError(translator, EXAMPLES)])
    assert list(tmp_path.iterdir()) == []


def test_alignment_error_reaches_tensorboard_and_logs(log_dir):
    # The diagonal finds the links of the first example; in the second it takes (0, 0) for (1, 0).
    # |A| = 3 + 1, |S| = 2 + 1, |A∩S| = 2, |A∩P| = 3: AER = 1 − 5/7.
    history = fit([AlignmentError(FakeTranslator(), EXAMPLES, log_dir)]).history
    assert history["val_alignment_error_rate"] == pytest.approx([2 / 7] * 2)
    events = read(f"{log_dir}/translation")["alignment_error_rate"]
    assert [step for step, _ in events] == [0, 1]
    assert events[0][1] == pytest.approx(2 / 7)


# Beside keras.callbacks.TensorBoard, twice, interrupted


def all_callbacks(log_dir):
    translator = FakeTranslator()
    return [
        BleuScore(translator, SOURCES, TARGETS, log_dir=log_dir),
        AlignmentError(translator, EXAMPLES, log_dir),
        AttentionMaps(translator, SOURCES[:1], TARGETS[:1], log_dir),
        SampleTranslations(translator, SOURCES, TARGETS, log_dir),
    ]


TAGS = {
    "bleu",
    "alignment_error_rate",
    "attention/0",
    "attention_entropy",
    "translations",
}


@pytest.mark.parametrize("keras_first", [True, False])
@pytest.mark.parametrize("keras_folder", ["logs", "other"])
def test_beside_the_tensorboard_callback(tmp_path, keras_first, keras_folder):
    ours, theirs = str(tmp_path / "logs"), str(tmp_path / keras_folder)
    callbacks = all_callbacks(ours)
    callbacks.insert(0 if keras_first else len(callbacks), keras.callbacks.TensorBoard(theirs))
    data = np.ones((4, 2)), np.ones((4, 1))
    for _ in range(2):
        fit(callbacks, validation_data=data)
    events = read(f"{ours}/translation")
    assert set(events) == TAGS
    assert all([step for step, _ in event] == [0, 1, 0, 1] for event in events.values())
    assert len(read(f"{theirs}/train")["epoch_loss"]) == 4
    assert len(read(f"{theirs}/validation")["epoch_loss"]) == 4
    assert ("epoch_bleu" in read(f"{theirs}/validation")) is not keras_first
    if keras_folder == "logs":
        assert runs(ours) == {"train", "validation", "translation"}
    else:
        assert (runs(ours), runs(theirs)) == ({"translation"}, {"train", "validation"})


def test_all_callbacks_of_a_fit_share_one_event_file(log_dir):
    fit(all_callbacks(log_dir))
    assert len(tf.io.gfile.glob(f"{log_dir}/translation/*")) == 1


def test_making_a_callback_writes_nothing(log_dir):
    all_callbacks(log_dir)
    assert not tf.io.gfile.exists(log_dir)


class Interrupt(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        if epoch == 1:
            raise KeyboardInterrupt


@pytest.mark.parametrize("same_callbacks", [True, False])
def test_after_an_interrupted_fit(log_dir, same_callbacks):
    first = all_callbacks(log_dir)
    with pytest.raises(KeyboardInterrupt):
        fit([*first, Interrupt()], epochs=5)
    assert [step for step, _ in read(f"{log_dir}/translation")["bleu"]] == [0, 1]  # flushed
    fit(first if same_callbacks else all_callbacks(log_dir), epochs=3)
    events = read(f"{log_dir}/translation")
    assert set(events) == TAGS
    assert [step for step, _ in events["bleu"]] == [0, 1, 0, 1, 2]


def test_logs_deleted_after_an_interrupted_fit(log_dir):
    first = all_callbacks(log_dir)
    with pytest.raises(KeyboardInterrupt):
        fit([*first, Interrupt()], epochs=5)
    tf.io.gfile.rmtree(log_dir)
    fit(first)
    assert [step for step, _ in read(f"{log_dir}/translation")["bleu"]] == [0, 1]


def test_logs_deleted_after_an_interrupted_fit_with_one_callback_list(log_dir):
    model = small_model()
    callbacks = [*all_callbacks(log_dir), Interrupt()]
    callbacks = keras.callbacks.CallbackList(callbacks, model=model, epochs=5, steps=1)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            fit(callbacks, epochs=5, model=model)
        assert [step for step, _ in read(f"{log_dir}/translation")["bleu"]] == [0, 1]
        tf.io.gfile.rmtree(log_dir)
    fit(all_callbacks(log_dir))  # closes what was left open


def test_a_fit_goes_on_writing_after_another_has_taken_over_its_folder(log_dir):
    class Other(SampleTranslations):
        """Has its writer in use, as in another thread, when a second fit opens one."""

        def write(self, kind, tag, data, epoch):
            with writers.open_writer(self.folder, self).as_default(step=epoch):
                if epoch == 0:
                    fit(all_callbacks(log_dir), epochs=1)
                tf.summary.text(tag, data)

    fit([Other(FakeTranslator(), SOURCES, TARGETS, log_dir)], epochs=2)
    events = read(f"{log_dir}/translation")
    assert [step for step, _ in events["bleu"]] == [0]
    assert [step for step, _ in events["translations"]] == [0, 0, 1]


def test_epochs_that_no_fit_began_are_written(log_dir):
    callbacks = all_callbacks(log_dir)
    for callback in callbacks:
        callback.on_epoch_end(0)
    for callback in callbacks:
        callback.on_train_end()
    assert set(read(f"{log_dir}/translation")) == TAGS


def test_every_counts_the_epochs_of_the_run(log_dir):
    score = BleuScore(FakeTranslator(), SOURCES, TARGETS, log_dir=log_dir, every=2)
    fit([score], epochs=6, initial_epoch=3)
    assert [step for step, _ in read(f"{log_dir}/translation")["bleu"]] == [4]


def test_two_spellings_of_a_folder_are_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    translator = FakeTranslator()
    fit(
        [
            BleuScore(translator, SOURCES, TARGETS, log_dir="logs"),
            AlignmentError(translator, EXAMPLES, tmp_path / "x" / ".." / "logs"),
        ]
    )
    assert len(tf.io.gfile.glob("logs/translation/*")) == 1
    assert set(read("logs/translation")) == {"bleu", "alignment_error_rate"}


def test_a_log_dir_that_cannot_be_written_is_told_before_training(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    log_dir = str(tmp_path / "file" / "logs")
    model = small_model()
    with pytest.raises(ValueError, match=r"created and written. Received: log_dir='.*file/logs'"):
        fit(all_callbacks(log_dir), model=model)
    assert int(model.optimizer.iterations) == 0


def test_training_is_the_same_with_and_without_callbacks(log_dir):
    results = []
    for callbacks in ([], all_callbacks(log_dir)):
        keras.utils.set_random_seed(5)
        model = small_model()
        history = fit(callbacks, epochs=3, model=model)
        results.append((history.history["loss"], model.get_weights()))
        assert model.stop_training is False
    (plain_loss, plain_weights), (loss, weights) = results
    assert loss == plain_loss
    for one, other in zip(weights, plain_weights, strict=True):
        np.testing.assert_array_equal(one, other)


# What is refused


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda t: BleuScore(t, ["a"], ["b"], language="cn"), "Received: language='cn'"),
        (lambda t: BleuScore(t, ["a"], []), r"len\(source_texts\)=1, len\(target_texts\)=0"),
        (lambda t: SampleTranslations(t, [], []), r"len\(source_texts\)=0"),
        (lambda t: SampleTranslations(t, "abc", "abc"), "list of str"),
        (lambda t: SampleTranslations(t, [1], ["a"]), r"str. Received: source_texts\[0\]=1"),
        (lambda t: AttentionMaps(t, ["a"], ["b", "c"]), r"len\(target_texts\)=2"),
        (lambda t: AttentionMaps(t, ["a"], gold=[[[0, 0]]]), "`gold` must hold.*target_texts=None"),
        (lambda t: AttentionMaps(t, ["a"], ["b"], gold=[]), "`gold` must hold one alignment"),
        (lambda t: AlignmentError(t, []), "`examples` must not be empty"),
        (lambda t: AttentionMaps(t, ["a"], every=0), "positive integer. Received: every=0"),
        (lambda t: AttentionMaps(t, ["a"], every=1.5), "Received: every=1.5"),
        (lambda t: AttentionMaps(t, ["a"], every=True), "Received: every=True"),
    ],
)
def test_bad_arguments_are_refused_when_made(make, message):
    with pytest.raises(ValueError, match=message):
        make(FakeTranslator())
