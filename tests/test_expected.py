"""What the lessons print stands beside their cells, and is compared by one command."""

import sys

import pytest
from support.lessons import TUTORIALS

sys.path.insert(0, str(TUTORIALS))
import expected

SCRIPT = """\
# %%
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--run-dir")
lesson = parser.parse_args()
_ = dict(seed=0)  # lesson.options(

# %%
for number in (1, 2):
    print("loss", number / 3, "after", number, "s")

# %%
silent = 1
"""


@pytest.fixture
def script(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["expected.py"])
    monkeypatch.setattr(sys, "path", [*sys.path])
    file = tmp_path / "01_short.py"
    file.write_text(SCRIPT)
    return file


def test_cells_joined_are_the_script():
    for lesson in TUTORIALS.glob("[0-9]*.py"):
        source = lesson.read_text()
        assert "".join(expected.cells_of(source)) == source


def test_writes_beside_the_cell_and_finds_it_again(script):
    assert expected.check(script, write=True, tolerance=0.0) == 0
    lines = script.read_text().splitlines()
    assert lines[7].startswith("# > With these sizes on ")
    place = lines.index('    print("loss", number / 3, "after", number, "s")')
    assert lines[place + 1].startswith("# > loss 0.333333")
    assert lines[place + 3] == ""
    assert expected.check(script, write=False, tolerance=0.0) == 0


def test_writing_twice_changes_nothing_but_the_date(script):
    expected.check(script, write=True, tolerance=0.0)
    once = [line for line in script.read_text().splitlines() if "With these sizes" not in line]
    expected.check(script, write=True, tolerance=0.0)
    twice = [line for line in script.read_text().splitlines() if "With these sizes" not in line]
    assert once == twice == [*SCRIPT.splitlines()[:11], *once[11:13], *SCRIPT.splitlines()[11:]]


@pytest.mark.parametrize(
    ("before", "after", "differing"),
    [
        ("number / 3", "number / 3.1", 2),
        ("number / 3", "number / 3.001", 0),
        ("(1, 2)", "(1, 2, 3)", 1),
        ("(1, 2)", "(1,)", 1),
        ('"loss"', '"error"', 2),
        ('number, "s"', '9 * number, "s"', 0),
        ("silent = 1", 'print("no more")', 1),
    ],
)
def test_says_what_differs(script, before, after, differing, capsys):
    expected.check(script, write=True, tolerance=0.0)
    script.write_text(script.read_text().replace(before, after))
    assert expected.check(script, write=False, tolerance=0.01) == differing
    assert capsys.readouterr().out.count("expected") == differing


def test_a_fault_in_a_lesson_is_shown_with_its_line(script):
    script.write_text(SCRIPT.replace("silent = 1", "1 / 0"))
    with pytest.raises(ZeroDivisionError) as caught:
        expected.check(script, write=False, tolerance=0.0)
    assert caught.traceback[-1].lineno + 1 == SCRIPT.splitlines().index("silent = 1") + 1


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("38s - 92ms/step - loss: 4.00", "41s - 99ms/step - loss: 4.01", True),
        ("38s - 92ms/step - loss: 4.00", "41s - 99ms/step - loss: 5.00", False),
        ("1,000 sentences", "1,010 sentences", True),
        ("slope -0.105", "slope +0.105", False),
        ("2 symbols", "20 symbols", False),
        ("norm 1e-16", "norm 3e-16", False),
        ("la maison", "le maison", False),
        (*(f"{time} - loss: 1.0 - {'val_loss: 2.0 ' * 9}"[:96] for time in ("95s", "113s")), True),
        (*(f"{loss} - loss: 1.0 - {'val_loss: 2.0 ' * 9}"[:96] for loss in ("95", "113")), False),
        ("layer   10.51 ms, rest 2 ms", "layer    8.53 ms, rest 3 ms ", True),
    ],
)
def test_alike(one, other, same):
    assert expected.alike(one, other, 0.02) is same


@pytest.mark.parametrize("lesson", sorted(TUTORIALS.glob("[0-9]*.py")), ids=lambda file: file.stem)
def test_every_lesson_shows_what_it_printed(lesson):
    for cell in expected.cells_of(lesson.read_text()):
        code, lines = expected.cut(cell)
        if "\nprint(" in code or "lesson.options(" in code:
            assert lines, f"python tutorials/expected.py --write {lesson.stem}\n{code}"
