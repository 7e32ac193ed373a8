"""Run the lessons and compare what they print with the lines `# >` that stand in them.

    python tutorials/expected.py                 # all lessons, about 13 minutes
    python tutorials/expected.py 01 06           # some
    python tutorials/expected.py --write 01      # put what they print beside their cells

The first line of a lesson says on what machine and when its lines were written. On another one
numbers may differ a little, and what a network writes may differ much. Times are not compared.
"""

import argparse
import contextlib
import datetime
import io
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

from lesson import start_program  # from there, as it keeps the start of TensorFlow quiet

TUTORIALS = Path(__file__).parent
RUNS = Path("runs")
MARK, LONGEST = "# >", 100
_TIME = re.compile(r"(?<![\w.])[\d.,]+ ?(s|ms|seconds)(?![\w%])(/step)?")
_NUMBER = re.compile(r"[-+]?\d[\d,]*\.?\d*(?:e[-+]?\d+)?")


def cells_of(source):
    """Cut a script in percent format into its cells.

    Returns:
        List of str, which joined are the script; each but the first begins with `# %%`.
    """
    return re.split(r"^(?=# %%)", source, flags=re.MULTILINE)


def cut(cell):
    """Return a cell without its expected output, and that output as a list of lines."""
    lines = list(io.StringIO(cell))
    code = "".join(line for line in lines if not line.startswith(MARK))
    return code, [line[len(MARK) + 1 :].rstrip("\n") for line in lines if line.startswith(MARK)]


def with_output(code, printed):
    """Return a cell with what it printed at its end."""
    body = code.rstrip("\n")
    lines = [f"{MARK} {line}".rstrip() for line in printed]
    return "\n".join([body, *lines]) + code[len(body) :]


def run_cells(script, arguments):
    """Run a script cell by cell, as from the command line.

    Args:
        script: Path of a script in percent format.
        arguments: List of str, its command line.

    Yields:
        For each cell its text and the lines that it printed.
    """
    names = {"__name__": "__main__", "__file__": str(script)}
    sys.argv = [str(script), *arguments]
    sys.path.insert(0, str(script.parent))
    line = 0
    for cell in cells_of(script.read_text("utf-8")):
        printed = io.StringIO()
        with contextlib.redirect_stdout(_Both(sys.stdout, printed)):
            exec(compile("\n" * line + cell, str(script), "exec"), names)
        line += cell.count("\n")
        yield cell, [line.removesuffix("\n") for line in io.StringIO(printed.getvalue())]


class _Both(io.TextIOBase):
    """A stream that writes to two."""

    def __init__(self, *streams):
        self.streams = streams

    def write(self, text):
        for stream in self.streams:
            stream.write(text)
        return len(text)

    def flush(self):
        for stream in self.streams:
            stream.flush()


def alike(one, other, tolerance):
    """Say whether two lines have the same words, and numbers that differ by little.

    Args:
        one, other: Str.
        tolerance: Share by which two numbers may differ.

    Example:
        >>> alike("loss 0.50 after 12 s", "loss 0.51 after 300 s", 0.05)
        True
        >>> alike("loss 0.50", "loss 0.60", 0.05)
        False
    """
    was_cut = max(len(one), len(other)) >= LONGEST - len(MARK) - 2  # perhaps at another word
    one, other = (" ".join(_TIME.sub("_", line).split()) for line in (one, other))
    if was_cut:
        shorter = min(len(one), len(other))
        one, other = (line[:shorter].rpartition(" ")[0] for line in (one, other))
    if _NUMBER.sub("_", one) != _NUMBER.sub("_", other):
        return False
    numbers = [
        [float(number.replace(",", "").rstrip(".")) for number in _NUMBER.findall(line)]
        for line in (one, other)
    ]
    return all(abs(a - b) <= tolerance * max(abs(a), abs(b)) for a, b in zip(*numbers, strict=True))


def machine():
    """Name this machine: its cores and its processor."""
    processor = platform.processor() or platform.machine()
    with contextlib.suppress(OSError):
        processor = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text("utf-8"))[1]
    return f"{len(os.sched_getaffinity(0))} cores, {processor}"


def check(script, write, tolerance):
    """Run one lesson, compare or write its output, and return how many lines differ."""
    name = script.stem
    folder = RUNS / "expected" / name
    shutil.rmtree(folder, ignore_errors=True)  # lesson 7 would go on with it
    started = datetime.datetime.now()
    texts, differing = [], 0
    for cell, printed in run_cells(script, ["--run-dir", str(folder)]):
        code, expected = cut(cell)
        printed = [
            line.replace("runs/expected/", "runs/")[: LONGEST - len(MARK) - 1] for line in printed
        ]
        if "lesson.options(" in code:
            expected = []  # says where it was run
        texts.append([code, printed])
        for number in range(max(len(printed), len(expected))):
            pair = [lines[number] if number < len(lines) else "" for lines in (expected, printed)]
            if not write and not alike(*pair, tolerance):
                differing += 1
                print(f"{name}: expected {pair[0]}\n{'':{len(name)}}       found {pair[1]}")
    if write:
        seconds = (datetime.datetime.now() - started).total_seconds()
        options = next(text for text in texts if "lesson.options(" in text[0])
        options[1] = [f"With these sizes on {machine()}, {started:%Y-%m-%d}, {seconds:.0f} s:"]
        texts = [with_output(*text) if text[1] else text[0] for text in texts]
        script.write_text("".join(texts), "utf-8")
    return differing


def main():
    start_program()
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("lessons", nargs="*", help="how their names begin, such as 01; default all")
    parser.add_argument("--write", action="store_true", help="write instead of comparing")
    parser.add_argument("--tolerance", type=float, default=0.05, help="of numbers, a share")
    options = parser.parse_args()
    wanted = tuple(options.lessons) or ("",)
    scripts = [file for file in sorted(TUTORIALS.glob("[0-9]*.py")) if file.name.startswith(wanted)]
    if len(scripts) == 1:
        differing = check(scripts[0], options.write, options.tolerance)
        sys.exit(f"{scripts[0].name}: {differing} lines differ" if differing else 0)
    failed = 0
    for script in scripts:  # each in a process of its own, as a reader runs them
        command = [sys.executable, __file__, script.stem, "--tolerance", str(options.tolerance)]
        failed += subprocess.run(command + ["--write"] * options.write).returncode != 0
    sys.exit(1 if failed or not scripts else 0)


if __name__ == "__main__":
    main()
