"""What the README shows runs: its two commands are the ones that are tested, its code is code."""

import importlib.util
import inspect
import re
import shlex
from pathlib import Path

import keras
import pytest

from kerasseq import __main__ as command_line

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"


def blocks(language, text=None):
    return re.findall(rf"```{language}\n(.*?)```", text or README.read_text(), re.DOTALL)


def test_quick_start_is_two_blocks_of_one_command_before_all_others():
    start = README.read_text().split("## Quick start")[1].split("\n## ")[0]
    first, second = blocks("bash", start)[:2]
    assert len(first.splitlines()) == len(second.splitlines()) == 1
    assert first.rstrip().endswith("tutorials/06_attention.py")
    assert second.rstrip().endswith("-m pytest --numprocesses 2")
    assert blocks("bash")[:2] == [first, second]


def test_chinese_readme_has_the_same_two_commands():
    chinese = README.with_name("README.zh-CN.md").read_text()
    assert blocks("bash", chinese)[:2] == blocks("bash")[:2]


def test_the_layers_in_your_own_model():
    names = {}
    exec(blocks("python")[0], names)
    model = names["model"]
    assert model.output_shape == (None, None, 8000)
    ids = keras.ops.ones((2, 3), dtype="int32")
    assert model([ids, ids])._keras_mask.shape == (2, 3)


@pytest.mark.slow
def test_from_text_to_text(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = blocks("python")[1]
    smaller = {'"en", "fr")': '"en", "fr", split="train[:64]")', "epochs=5": "epochs=1"}
    for text, other in smaller.items():
        assert text in code
        code = code.replace(text, other)
    names = {}
    exec(code, names)
    tokens = names["translation"].tokens
    assert names["translation"].attention_weights.shape == (len(tokens), 6)  # The cat sleeps .
    assert (tmp_path / "english-french.kerasseq").exists()


PAGES = [README, README.with_name("README.zh-CN.md"), ROOT / "tutorials" / "README.md"]
PAGES += sorted((ROOT / "docs").glob("*.md"))


def commands():
    """Return every call of Python on the pages and in the help, as lists of words."""
    text = "\n".join("\n".join(blocks("bash", page.read_text(encoding="utf-8"))) for page in PAGES)
    text += inspect.getdoc(command_line).replace("python -m", "\n.venv/bin/python -m")
    lines = text.replace("\\\n", " ").replace("&&", "\n").replace("|", "\n").splitlines()
    lines = [line.split("<")[0].split(">")[0] for line in lines]
    words = [shlex.split(line, comments=True) for line in lines]
    calls = [one for one in words if one and one[0].endswith("bin/python")]
    return [one for one in calls if one[1:3] != ["-m", "pip"]]


def test_every_command_on_the_pages_can_be_given():
    found = commands()
    assert len(found) > 15
    for _, *words in found:
        if words[:2] == ["-m", "kerasseq"]:
            command_line._parser().parse_args(words[2:])
        elif words[0] == "-m":
            assert importlib.util.find_spec(words[1]) is not None
        else:
            assert (ROOT / words[0]).is_file(), words
