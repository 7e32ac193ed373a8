"""Programs in odd surroundings: closed pipes, code pages, files without a named encoding."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
START = "import sys; sys.path.append('kerasseq'); from runtime import start_program\n"
ALPHA = "αβ"


def run(code, *arguments, **environment):
    """Run a program that starts as ours do, and return its output, in bytes, when it is over."""
    command = [sys.executable, *(arguments or ("-c", START + "start_program()\n" + code))]
    environment = {**os.environ, **environment}
    return subprocess.run(command, capture_output=True, cwd=ROOT, env=environment)


def run_into_a_closed_pipe(command, folder=ROOT, **environment):
    """Run a program whose reader is gone at once; return its status and its standard error."""
    reader, writer = os.pipe()
    os.close(reader)
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", **environment}
    with open(os.devnull, "rb") as nothing:
        done = subprocess.run(
            [sys.executable, *command],
            stdin=nothing,
            stdout=writer,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=environment,
        )
    os.close(writer)
    return done.returncode, done.stderr.decode("utf-8", "replace")


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_character_that_the_encoding_lacks_is_spelt(stream):
    done = run(f"print('é{ALPHA}', file=sys.{stream})", PYTHONIOENCODING="cp1252")
    assert done.returncode == 0
    assert getattr(done, stream).split() == [b"\xe9\\u03b1\\u03b2"]


@pytest.mark.parametrize(
    "code",
    ["print('a')", "print('a', flush=True)", "for i in range(9999): print('a long line of text')"],
    ids=["at the end", "at once", "in between"],
)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_closed_pipe_ends_a_program_without_a_word(code, unbuffered):
    command = ["-c", START + "start_program()\n" + code]
    _, error = run_into_a_closed_pipe(command, PYTHONUNBUFFERED=unbuffered)
    assert error == ""


def test_any_other_error_is_still_told():
    done = run("1 / 0")
    assert done.returncode == 1 and b"ZeroDivisionError" in done.stderr


def test_a_program_may_start_twice_and_without_output():
    done = run("start_program(); sys.stdout = sys.stderr = None; start_program()")
    assert (done.returncode, done.stderr) == (0, b"")


PROGRAMS = {
    "the command line": "-m kerasseq --help",
    "phrasebook": "-m kerasseq.phrasebook --pairs 300",
    "claims": "tutorials/claims.py --seeds 0",
    "a benchmark": "benchmarks/layers.py --help",
    "a lesson": "tutorials/03_vanishing_gradients.py --run-dir {}",
}


@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS)
def test_every_program_ends_quietly_when_its_reader_is_gone(program, tmp_path):
    command = PROGRAMS[program].format(tmp_path).split()
    _, error = run_into_a_closed_pipe(command)
    assert "BrokenPipe" not in error and "Traceback" not in error


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    ["-m kerasseq.phrasebook --config zh_en --pairs 3", "tutorials/claims.py --seeds 0"],
)
def test_programs_print_to_any_code_page(command):
    done = run("", *command.split(), PYTHONIOENCODING="cp1252")
    assert b"UnicodeEncodeError" not in done.stderr and done.stdout


SCRIPTS = sorted([*ROOT.glob("tutorials/[a-z0]*.py"), *ROOT.glob("benchmarks/*.py")])
SCRIPTS += sorted(ROOT.glob("kerasseq/**/__main__.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_what_runs_as_a_program_starts_as_one(script):
    text = script.read_text("utf-8")
    is_program = "__name__ ==" in text or "lesson.options(" in text
    assert not is_program or any(
        start in text for start in ("start_program()", "import lesson ", "timing.parse(")
    )


# Files


def without_encoding(code):
    """Return the lines of a source that open text without saying in what encoding."""
    found = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Call) and _is_text(node):
            named = {keyword.arg for keyword in node.keywords}
            place = {"read_text": 0, "write_text": 1}.get(_name(node), 99)
            if "encoding" not in named and len(node.args) <= place:
                found.append(node.lineno)
    return found


def _name(call):
    return getattr(call.func, "attr", getattr(call.func, "id", None))


def _is_text(call):
    """Whether a call reads or writes text; an `open` does unless it is one of bytes."""
    if _name(call) in ("read_text", "write_text"):
        return True
    constants = [*call.args, *(keyword.value for keyword in call.keywords)]
    values = [node.value for node in constants if isinstance(node, ast.Constant)]
    if _name(call) in ("run", "Popen", "check_output"):
        modes = {"text", "universal_newlines"}
        return any(keyword.arg in modes for keyword in call.keywords)
    owner = getattr(getattr(call.func, "value", None), "id", None)
    if _name(call) in ("open", "fdopen", "TemporaryFile", "NamedTemporaryFile"):
        of_bytes = owner in ("gzip", "Image", "tempfile") and "rt" not in values
        return owner != "os" and not of_bytes and not {"rb", "wb", "rb+", "ab"} & {*values}
    return _name(call) == "TextIOWrapper"


@pytest.mark.parametrize(
    "code",
    [
        "open('a')",
        "open('a', 'w')",
        "path.open()",
        "path.read_text()",
        "path.write_text('a')",
        "gzip.open('a', 'rt')",
        "subprocess.run(['a'], text=True)",
        "io.TextIOWrapper(stream)",
    ],
)
def test_a_text_without_an_encoding_is_found(code):
    assert without_encoding(code) == [1]


@pytest.mark.parametrize("code", ["open('a', 'rb')", "path.read_text('utf-8')", "gzip.open('a')"])
def test_bytes_and_named_encodings_are_let_pass(code):
    assert without_encoding(code) == []


@pytest.mark.parametrize("part", ["kerasseq", "tutorials", "benchmarks"])
def test_every_file_is_read_and_written_in_a_named_encoding(part):
    files = list((ROOT / part).rglob("*.py"))
    found = {file.name: without_encoding(file.read_text("utf-8")) for file in files}
    assert len(files) > 7 and {file: lines for file, lines in found.items() if lines} == {}
