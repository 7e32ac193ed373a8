"""Every lesson runs from top to bottom at a small size, and leaves behind what it promises.

Lessons 2, 6 and 8 run in the quick tests, the others in the slow ones.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from support.lessons import SMALL, TUTORIALS, figures_of, hparams_of, results_of, run_lesson

from kerasseq import Translator


@pytest.fixture(scope="module")
def attention(data_dir, tmp_path_factory):
    run_dir = tmp_path_factory.mktemp("runs") / "06_attention"
    arguments = ("--data-dir", data_dir, "--run-dir", run_dir, "--seed", 3, *SMALL)
    return run_lesson("06_attention", *arguments, "--sentences", "The cat sleeps.", "", "Zzz!")


def test_every_lesson_has_a_test():
    written = Path(__file__).read_text()
    lessons = [file.stem for file in TUTORIALS.glob("[0-9]*.py")]
    assert lessons and all(f'"{lesson}"' in written for lesson in lessons)


def test_06_attention_by_hand_is_the_layer(attention):
    np.testing.assert_allclose(attention["weights"][0], attention["alpha"], atol=1e-6)
    np.testing.assert_allclose(attention["context"][0], attention["c"], atol=1e-6)
    assert attention["alpha"].argmax() == 1


def test_06_attention_first_loss_is_near_the_prediction(attention):
    assert abs(attention["first_loss"] - np.log(len(attention["target_text"]))) < 0.5


def test_06_attention_learns(attention):
    losses = attention["history"]["loss"]
    assert losses[1] < attention["first_loss"] and losses[1] < losses[0]


def test_06_attention_writes_its_results(attention):
    results = json.loads((attention["sizes"].run_dir / "results.json").read_text())
    assert set(results) == {
        *("bleu", "signature", "by_length", "alignment_error_rate"),
        *("milliseconds", "parameters", "epochs", "seconds", "seed"),
    }
    assert results["bleu"] == attention["bleu"].score
    assert results["parameters"] == attention["model"].count_params()
    assert (results["epochs"], results["seed"]) == (2, 3)
    assert 0 < results["alignment_error_rate"] < 1


def test_06_attention_leaves_figure_logs_and_translator(attention):
    run_dir = attention["sizes"].run_dir
    assert (run_dir / "attention.png").read_bytes().startswith(b"\x89PNG")
    runs = {file.parent.name for file in run_dir.glob("*/events.out.tfevents.*")}
    assert runs == {"train", "validation", "translation", "figures"}
    loaded = Translator.load(run_dir / "translator.kerasseq")
    [again] = loaded.translate([attention["example"]])
    assert again.text == attention["example_translation"].text


def test_06_attention_shows_every_epoch_in_tensorboard(attention):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(attention["sizes"].run_dir / "translation"), {"images": 0})
    events.Reload()
    tensors = {tag: len(events.Tensors(tag)) for tag in events.Tags()["tensors"]}
    maps = {f"attention/{index}" for index in range(len(attention["shown"][0]))}
    expected = {"bleu", "alignment_error_rate", "attention_entropy", "translations", *maps}
    assert tensors == dict.fromkeys(expected, 2)


def test_06_attention_can_be_compared_on_the_page_hparams(attention):
    run_dir = attention["sizes"].run_dir
    [(settings, scores)] = hparams_of(run_dir)
    assert settings == {"model": "attention", "units": 16, "seed": 3}
    assert scores == {"bleu": pytest.approx(attention["bleu"].score, abs=1e-4)}


@pytest.mark.slow
def test_06_attention_runs_on_text_files(tmp_path):
    for split, rows in (("train", 40), ("val", 10), ("test", 10)):
        for language, word in (("de", "Wort"), ("en", "word")):
            text = "".join(f"{word} {row} {word} zwei drei.\n" for row in range(rows))
            (tmp_path / f"{split}.{language}").write_text(text)
    arguments = ("--dataset", tmp_path, "--source", "de", "--target", "en")
    lesson = run_lesson("06_attention", *arguments, *SMALL, "--run-dir", tmp_path / "run")
    results = json.loads((tmp_path / "run" / "results.json").read_text())
    assert results["alignment_error_rate"] is None
    assert len(lesson["translations"]) == 10


def test_run_folder_that_cannot_be_written_is_said_before_training(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit, match=r"run folder .*file.run cannot be written: .*--run-dir"):
        run_lesson("06_attention", "--run-dir", tmp_path / "file" / "run")


def test_a_second_run_replaces_what_the_first_left_and_nothing_else(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(TUTORIALS)
    import lesson

    (tmp_path / "train").mkdir()
    runs = ("", "train", "recall/RNN", "recall/RNN/train")
    events = [f"{run}/events.out.tfevents.1" for run in runs]
    for name in ("results.json", "attention.png", "other/run/events.out.tfevents.1", *events):
        file = tmp_path / name.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    (tmp_path / "mine.txt").touch()
    monkeypatch.setattr(sys, "argv", ["x.py", "--run-dir", str(tmp_path)])
    lesson.options("x", "A lesson.")
    left = {str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*") if file.is_file()}
    assert left == {"mine.txt", "other/run/events.out.tfevents.1"}


def test_interrupted_training_keeps_what_is_trained(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(TUTORIALS)
    import lesson

    saved = []

    class FakeTranslator:
        def save(self, file):
            saved.append(file)

    with (
        pytest.raises(SystemExit, match=r"Stopped. What is trained so far is kept in here"),
        lesson.keep_what_is_trained(FakeTranslator(), "here"),
    ):
        raise KeyboardInterrupt
    assert saved == ["here"]


@pytest.mark.parametrize("watched", [True, False])
def test_a_line_moves_while_someone_watches(watched, monkeypatch, capsys):
    monkeypatch.syspath_prepend(TUTORIALS)
    import keras
    import lesson

    monkeypatch.setattr(lesson, "_someone_watches", lambda: watched)
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    line = lesson.MovingLine("short")
    model.fit(np.ones((40, 1)), np.ones(40), 2, 2, callbacks=[line], verbose=0)
    *shown, last = capsys.readouterr().out.split("\r")
    if watched:
        assert [text[:11] for text in shown if text.strip()] == [
            *("short:   0%", "short:  25%", "short:  50%", "short:  75%")
        ]
        assert not shown[-1].strip()  # wiped out at the end
    assert last == ""


def test_options_take_their_type_from_the_default(monkeypatch):
    monkeypatch.syspath_prepend(TUTORIALS)
    import lesson

    arguments = ["y.py", "--epochs", "3", "--dropout", "0.5", "--texts", "a b", "c", "--seed", "7"]
    monkeypatch.setattr(sys, "argv", arguments)
    monkeypatch.setattr(lesson, "_make_folder", lambda folder, clean: Path(folder))
    sizes = lesson.options("x", "A lesson.", epochs=1, dropout=0.1, texts=[], data_dir=None)
    assert (sizes.epochs, sizes.dropout, sizes.texts, sizes.seed) == (3, 0.5, ["a b", "c"], 7)
    assert (sizes.data_dir, sizes.run_dir) == (None, Path("runs/x"))


@pytest.fixture(scope="module")
def translate(data_dir, tmp_path_factory):
    run_dir = tmp_path_factory.mktemp("runs") / "07_translate"
    arguments = ("--data-dir", data_dir, "--run-dir", run_dir, "--vocab-size", 400, *SMALL)
    return run_lesson("07_translate", *arguments, "--sentences", "The cat sleeps.", "Zzz!")


@pytest.mark.slow
def test_07_translate_cuts_what_it_does_not_know(translate):
    assert len(translate["subwords"].tokens("kerasseq")) > 3


@pytest.mark.slow
def test_07_translate_learns_and_chooses_on_validation(translate):
    losses = [logs["loss"] for logs in translate["trained"].history]
    assert losses[1] < losses[0]
    best = int(np.argmax(translate["scores"]))
    assert (translate["beam_width"], translate["length_penalty"]) == translate["searches"][best]


@pytest.mark.slow
def test_07_translate_writes_its_results(translate):
    results = json.loads((translate["sizes"].run_dir / "results.json").read_text())
    assert results["bleu"] == translate["bleu"].score
    assert results["validation_bleu"] == max(translate["scores"])
    assert results["best_epoch"] == translate["trained"].best_epoch + 1


@pytest.mark.slow
def test_07_translate_leaves_figure_logs_and_models(translate):
    run_dir = translate["sizes"].run_dir
    assert (run_dir / "attention.png").stat().st_size > 5000
    assert (run_dir / "saved_model" / "saved_model.pb").is_file()
    assert {"train", "validation", "translation"} <= {file.name for file in run_dir.iterdir()}
    loaded = Translator.load(run_dir / "translator.kerasseq")
    texts = translate["test_sources"][:5]
    search = translate["beam_width"], translate["length_penalty"]
    assert [one.text for one in loaded.translate(texts, *search)] == translate["texts"][:5]


@pytest.mark.slow
def test_07_translate_goes_on_where_it_was(translate, data_dir, capfd):
    run_dir = translate["sizes"].run_dir
    events = list(run_dir.glob("train/events*"))
    arguments = ("--data-dir", data_dir, "--run-dir", run_dir, "--vocab-size", 400, *SMALL)
    again = run_lesson("07_translate", *arguments)
    assert "Resuming after epoch 2" in capfd.readouterr().out
    assert again["bleu"] == translate["bleu"]
    assert set(events) <= set(run_dir.glob("train/events*"))


@pytest.fixture(scope="module")
def language(tmp_path_factory):
    arguments = ("--steps", 30, "--attractors", 4, "--depth", 2, "--units", 16)
    return run_lesson("01_language", "--run-dir", tmp_path_factory.mktemp("runs"), *arguments)


@pytest.mark.slow
def test_01_language_order_is_lost_in_a_bag(language):
    for code in ("en", "zh"):
        assert language["order"][code, "bag of words"] == [0.5]
        assert language["order"][code, "RNN"][0] > 0.9


@pytest.mark.slow
def test_01_language_masks_make_padding_harmless(language):
    for more in (1, 5, 50):
        assert language["padding"]["with a mask", more][1] < 1e-5
        assert language["padding"]["without", more][1] > 0.1


@pytest.mark.slow
def test_01_language_counts_receptive_fields(language):
    fields = {f"{layers} convolution{'s' * (layers > 1)}": 2 * layers + 1 for layers in (1, 2, 4)}
    assert {name: language["fields"][name] for name in fields} == fields
    assert language["fields"]["RNN"] == 14  # all there is


@pytest.mark.slow
def test_01_language_pooling_cannot_tell_places(language):
    assert abs(language["place"]["pooled convolution"][0] - 0.5) < 0.05
    assert language["place"]["LSTM"][0] > 0.9
    assert figures_of(language) == {"distance.png"}
    assert len(results_of(language)["distance"]) == 7 * 5


@pytest.fixture(scope="module")
def rnn(data_dir, tmp_path_factory):
    arguments = ("--data-dir", data_dir, "--epochs", 2, "--units", 16, "--embedding-dim", 8)
    return run_lesson("02_rnn", "--run-dir", tmp_path_factory.mktemp("runs"), *arguments)


def test_02_rnn_by_hand_is_the_layer_and_the_loop(rnn):
    np.testing.assert_allclose(rnn["by_layer"], rnn["by_hand"], atol=1e-6)
    np.testing.assert_allclose(rnn["by_hand"][0], [np.tanh(1.0), 0.0])
    assert rnn["layer"].count_params() == 128 * 64 + 128 * 128 + 128


def test_02_rnn_begins_with_all_words_alike_and_learns(rnn):
    assert abs(np.log(rnn["untrained"]["perplexity"] / rnn["V"])) < 0.1
    perplexity = results_of(rnn)["perplexity"]
    assert 1 < perplexity["bigram"] < perplexity["unigram"] < rnn["V"]
    assert perplexity["RNN"] < rnn["untrained"]["perplexity"]


def test_02_rnn_reference_models_are_distributions(rnn):
    np.testing.assert_allclose(rnn["unigram"].sum(), 1)
    np.testing.assert_allclose(rnn["bigram"].sum(axis=1), 1)
    assert rnn["pairs"].sum() == rnn["said"]["train"].size
    assert figures_of(rnn) == {"positions.png"}


@pytest.fixture(scope="module")
def vanishing(tmp_path_factory):
    arguments = ("--steps", 12, "--lags", 2, 4, "--lengths", 5, 10)
    run_dir = tmp_path_factory.mktemp("runs")
    return run_lesson("03_vanishing_gradients", "--run-dir", run_dir, *arguments)


@pytest.mark.slow
def test_03_vanishing_gradients_product_is_the_gradient(vanishing):
    np.testing.assert_allclose(vanishing["through_the_layer"], vanishing["product"], atol=1e-6)


@pytest.mark.slow
def test_03_vanishing_gradients_slopes(vanishing):
    for rho, slope in vanishing["slopes_at_zero"].items():
        assert abs(slope - np.log(rho)) <= max(0.01 * abs(np.log(rho)), 1e-4)
    assert all(slope < np.log(rho) for (rho, _), slope in vanishing["slopes_driven"].items())


@pytest.mark.slow
def test_03_vanishing_gradients_a_long_matrix_leads_nowhere(vanishing):
    assert vanishing["W_norm"] > 3 and vanishing["powers"][3] > 10
    assert vanishing["powers"][-1] < 1e-5


@pytest.mark.slow
def test_03_vanishing_gradients_leaves_figures_and_gradients(vanishing):
    assert figures_of(vanishing) == {"jacobians.png", "recall.png"}
    runs = {
        file.parent.parent.name
        for file in vanishing["sizes"].run_dir.glob("recall/*/translation/*")
    }
    assert runs == {
        f"{start}-lag-{lag}-seed-0" for start in ("glorot_uniform", "orthogonal") for lag in (2, 4)
    }
    runs = hparams_of(vanishing["sizes"].run_dir)
    assert {(run["start"], run["lag"]) for run, _ in runs} == {
        (start, lag) for start in ("glorot_uniform", "orthogonal") for lag in (2, 4)
    }
    assert all(0 <= scores["accuracy"] <= 1 for _, scores in runs)
    assert set(results_of(vanishing)["recall"]) == {
        f"RNN, {start}, {lag}" for start in ("glorot_uniform", "orthogonal") for lag in (2, 4)
    }


@pytest.fixture(scope="module")
def lstm(tmp_path_factory):
    arguments = ("--steps", 12, "--lags", 4, "--units", 16)
    return run_lesson("04_lstm", "--run-dir", tmp_path_factory.mktemp("runs"), *arguments)


@pytest.mark.slow
def test_04_lstm_by_hand_is_the_layer(lstm):
    np.testing.assert_allclose(lstm["by_layer"], lstm["by_hand"], atol=1e-6)


@pytest.mark.slow
def test_04_lstm_highway_is_as_open_as_its_gates(lstm):
    highway = lstm["highway"]
    assert highway["b_f = 0"] < highway["b_f = 1"] < 1e-5 < 0.1 < highway["by length"]


@pytest.mark.slow
def test_04_lstm_leaves_figures_and_gates(lstm):
    assert figures_of(lstm) == {"highway.png", "recall.png", "gates.png"}
    assert len(results_of(lstm)["recall"]) == 3
    assert len(hparams_of(lstm["sizes"].run_dir)) == 3
    assert list(lstm["sizes"].run_dir.glob("translation/events*"))


@pytest.fixture(scope="module")
def seq2seq(data_dir, tmp_path_factory):
    run_dir = tmp_path_factory.mktemp("runs") / "05_seq2seq"
    return run_lesson("05_seq2seq", "--data-dir", data_dir, "--run-dir", run_dir, *SMALL)


@pytest.mark.slow
def test_05_seq2seq_passes_one_vector(seq2seq):
    assert [seq2seq[name].shape for name in ("h", "C")] == [(1, 16), (1, 16)]
    assert seq2seq["contexts"]["train"].shape == (256, 32)
    assert 1 < seq2seq["dimension"] < 32


@pytest.mark.slow
def test_05_seq2seq_leaves_what_lesson_6_compares(seq2seq):
    results = results_of(seq2seq)
    assert results["by_length"] and set(results["directions"]) == {"backward"}
    assert figures_of(seq2seq) == {"bleu_by_length.png", "probes.png"}
    assert (seq2seq["sizes"].run_dir / "translator.kerasseq").is_file()


@pytest.mark.slow
def test_08_summary_says_which_lessons_are_missing(tmp_path):
    summary = run_lesson("08_summary", "--run-dir", tmp_path / "08_summary")
    assert len(summary["missing"]) == 7
    assert ("An RNN reads order", "run 01_language.py") in summary["rows"]
    assert summary["moved"].round(5).astype(bool).tolist() == [0, 1, 0, 0, 1, 0]


def test_08_summary_shows_what_was_measured(tmp_path):
    left = {
        "01_language": {"order": {"en bag of words": [0.5, 0.5], "en RNN": [0.98, 1.0]}},
        "02_rnn": {"by_position": [20.0, 12.25]},
        "03_vanishing_gradients": {"recall": {"RNN, orthogonal, 10": [1.0, 0.5]}},
        "04_lstm": {"recall": {"RNN, orthogonal, 5": [1.0], "LSTM, b_f = 1, 20": [1.0]}},
        "06_attention": {"alignment_error_rate": 0.125, "by_length": {"5-10": 90.0}},
    }
    for name, results in left.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "results.json").write_text(json.dumps(results))
    summary = run_lesson("08_summary", "--run-dir", tmp_path / "08_summary")
    assert summary["curves"]["RNN, orthogonal"] == [(5, 10), (1.0, 0.75)]
    assert figures_of(summary) == {"memory.png"}
    rows = dict(summary["rows"])
    assert rows["An RNN reads order"] == "99% right"
    assert rows["An RNN reads any length"] == "perplexity 12.2 at word 200"
    assert rows["It looks at the right word"] == "alignment error rate 0.12"
    assert rows["Padding is harmless under a mask"] == "run 01_language.py"


@pytest.mark.slow
def test_06_attention_draws_lesson_5_beside_itself(seq2seq, data_dir):
    run_dir = seq2seq["sizes"].run_dir.parent / "06_attention"
    run_lesson("06_attention", "--data-dir", data_dir, "--run-dir", run_dir, *SMALL)
    assert (run_dir / "bleu_by_length.png").stat().st_size > 5000
