"""The exercises of every lesson have a solution, which runs and says what it should."""

import numpy as np
import pytest
from support.lessons import TUTORIALS, figures_of, run_lesson


def run(name, tmp_path, *arguments):
    return run_lesson(f"solutions/{name}", "--run-dir", tmp_path / "solutions" / name, *arguments)


def test_every_lesson_has_its_solutions_and_they_are_tested():
    with open(__file__) as file:
        written = file.read()
    lessons = {file.name for file in TUTORIALS.glob("[0-9]*.py")}
    assert lessons == {file.name for file in TUTORIALS.glob("solutions/*.py")}
    assert all(f'"{name.removesuffix(".py")}"' in written for name in lessons)


@pytest.mark.parametrize("lesson", sorted(TUTORIALS.glob("[0-9]*.py")), ids=lambda file: file.stem)
def test_every_lesson_ends_with_what_is_wrong_and_two_exercises(lesson):
    end = lesson.read_text().rpartition("# %% [markdown]")[2]
    assert end.startswith("\n# ## What is still wrong\n")
    exercises = end.partition("### Exercises")[2]
    assert [f"\n# {number}. " in exercises for number in (1, 2, 3)] == [True, True, False]


@pytest.mark.slow
def test_01_language(tmp_path):
    solved = run("01_language", tmp_path, "--steps", 200, "--attractors", 6)
    assert solved["field"] == 17
    assert min(solved["wide"][:2]) > 0.9 and abs(solved["wide"][6] - 0.5) < 0.1
    assert solved["few"][0] > 0.9


@pytest.mark.slow
def test_02_rnn(tmp_path, data_dir):
    solved = run("02_rnn", tmp_path, "--data-dir", data_dir, "--epochs", 1, "--units", 8)
    kept = solved["kept"]
    assert kept[1.0, 0.01] > 0.98 > kept[1.0, 1.0] > 0.05 > kept[0.9, 0.01]
    assert solved["weights"] == solved["small"]["model"].count_params()


@pytest.mark.slow
def test_03_vanishing_gradients(tmp_path):
    solved = run("03_vanishing_gradients", tmp_path, "--steps", 100, "--lags", 2)
    assert solved["long_W"][2] > 0.9 and solved["whispered"][2] > 0.9


@pytest.mark.slow
def test_04_lstm(tmp_path):
    solved = run("04_lstm", tmp_path, "--steps", 100, "--lags", 4, "--length", 3)
    assert solved["right"][4, 4] > 0.9
    assert min(solved["forgetting"].values()) > 0.9
    units = solved["sizes"].units
    f = solved["cell"].bias.numpy()[units : 2 * units]
    np.testing.assert_allclose(f, 30.0, atol=0.1)  # it did stay


@pytest.mark.slow
def test_05_seq2seq(tmp_path, data_dir):
    arguments = ("--data-dir", data_dir, "--epochs", 1, "--units", 4, 8)
    solved = run("05_seq2seq", tmp_path, *arguments)
    assert set(solved["score"]) == {4, 8} and figures_of(solved) == {"units.png"}
    assert solved["found"] and all(0 <= share <= 1 for share in solved["kept"].values())


@pytest.mark.slow
def test_06_attention(tmp_path, data_dir):
    arguments = ("--data-dir", data_dir, "--epochs", 1, "--units", 8)
    solved = run("06_attention", tmp_path, *arguments)
    assert 0 < solved["error"][8] < 1 and figures_of(solved) == {"unknown.png"}
    assert len(solved["looks"]) == len(solved["one"].tokens)


@pytest.mark.slow
def test_07_translate(tmp_path, data_dir):
    arguments = ("--data-dir", data_dir, "--epochs", 1, "--units", 8, "--vocab-size", 400)
    solved = run("07_translate", tmp_path, *arguments)
    assert set(solved["gain"]) == {0.1, 0.0}
    assert "[UNK]" in solved["words"]["translator"].source_text.vocabulary


@pytest.mark.slow
def test_08_summary(tmp_path):
    solved = run("08_summary", tmp_path, "--epochs", 8, "--lengths", 20)
    assert solved["order"]["words alone"] == 0.5
    assert solved["order"]["words and places"] > 0.95
