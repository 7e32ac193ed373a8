"""Break the package on purpose, one line at a time, and see that a test fails: the tests' own test.

    python tests/mutation/mutants.py [name …] [--changed main] [--most 20] [--jobs 2]

Each mutant runs in a copy of the package, after its tests have passed there unbroken. The table
says which test killed the mutant, and after how many seconds. The exit status is 1 if a mutant
survives, or if its text does not stand exactly once in its file.
"""

import argparse
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

from mutant_list import MUTANTS

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOBODY, NOT_FOUND = "SURVIVED", "ITS TEXT IS NOT THERE ONCE"


def is_found_once(mutant):
    return (ROOT / "kerasseq" / mutant.file).read_text().count(mutant.text) == 1


class FirstFailure:
    """A pytest plugin that keeps the name of the first test that failed."""

    name = NOBODY

    def pytest_runtest_logreport(self, report):
        if report.failed and self.name == NOBODY:
            self.name = report.nodeid.removeprefix("tests/")


def copy_package(source, folder):
    for name in ("kerasseq", "tests"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(source / name, folder / name, ignore=ignored)
    shutil.copy(source / "pyproject.toml", folder)


def killer_of(mutant, folder):
    """Return the name of the test that kills a mutant. To be called in a process of its own."""
    import hypothesis
    import pytest

    # The first example that fails will do, it need not be the simplest.
    phases = [hypothesis.Phase.explicit, hypothesis.Phase.generate]
    hypothesis.settings.register_profile("mutants", phases=phases)
    hypothesis.settings.load_profile("mutants")
    copy_package(folder.parent, folder)
    path = folder / "kerasseq" / mutant.file
    path.write_text(path.read_text().replace(mutant.text, mutant.replacement))
    os.chdir(folder)
    sys.path[:0] = [str(folder), str(folder / "tests")]
    import kerasseq

    assert pathlib.Path(kerasseq.__file__).is_relative_to(folder)
    plugin = FirstFailure()
    arguments = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    # What the layers do by `bptt` hides what is broken elsewhere.
    arguments += [] if mutant.file.startswith("bptt/") else ["--portable"]
    # `addopts` holds an option of the plugin that is left out here.
    arguments += ["-o", "addopts=", *[f"tests/{test}" for test in mutant.tests.split()]]
    status = pytest.main(arguments, plugins=[plugin])
    if plugin.name == NOBODY and status != pytest.ExitCode.OK:
        return f"NO TEST RAN: pytest says {status!r}"
    return plugin.name


def run_all(mutants, jobs):
    """Yield (mutant, killer, seconds) in the order in which they end, `jobs` at a time."""
    # A child of `fork` has TensorFlow loaded already: it must not have computed anything before.
    import tensorflow as tf  # noqa: F401

    waiting, running = list(mutants), {}
    with tempfile.TemporaryDirectory() as temporary:
        temporary = pathlib.Path(temporary).resolve()
        copy_package(ROOT, temporary)  # whatever is edited meanwhile
        while waiting or running:
            while waiting and len(running) < jobs:
                mutant = waiting.pop(0)
                folder = temporary / mutant.name
                folder.mkdir()
                process = os.fork()
                if not process:
                    run_child(mutant, folder)
                running[process] = mutant, folder, time.monotonic()
            process, _ = os.wait()
            mutant, folder, begin = running.pop(process)
            answer = folder / "answer"
            killer = answer.read_text() if answer.exists() else "NO ANSWER"
            yield mutant, killer, time.monotonic() - begin
            shutil.rmtree(folder)


def run_child(mutant, folder):
    try:
        with open(folder / "output", "w") as output:
            for stream in (1, 2):
                os.dup2(output.fileno(), stream)
            (folder / "answer").write_text(killer_of(mutant, folder))
    finally:
        os._exit(0)  # not the parent's clean-up


def fails_anyway(mutants):
    """Return the first of the mutants' tests that fails without any, or None."""
    tests = " ".join(dict.fromkeys(test for mutant in mutants for test in mutant.tests.split()))
    control = [mutants[0]._replace(name="control", replacement=mutants[0].text, tests=tests)]
    [(_, failed, _)] = run_all(control, jobs=1)
    return None if failed == NOBODY else failed


def changed_files(reference):
    """Return the files that differ from a commit or branch, from `kerasseq/` or from `tests/`."""
    command = ["git", "-C", str(ROOT), "diff", "--name-only", reference, "--", "kerasseq", "tests"]
    names = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return {name.split("/", 1)[1] for name in names}


def touches(mutant, files):
    """Return whether the mutant's file, or the file of one of its tests, is among `files`."""
    tests = {test.split("::")[0] for test in mutant.tests.split()}
    return mutant.file in files or bool(tests & files)


def choose(options):
    """Return the mutants that the options of the command line ask for."""
    chosen = [mutant for mutant in MUTANTS if not options.names or mutant.name in options.names]
    if options.changed:
        files = changed_files(options.changed)
        chosen = [mutant for mutant in chosen if touches(mutant, files)]
    return chosen


def main():
    parser = argparse.ArgumentParser(description="See that every mutant is killed by a test.")
    parser.add_argument("names", nargs="*", help="mutants to run; all if none is named")
    parser.add_argument("--changed", help="only mutants of files that differ from this commit")
    parser.add_argument("--most", type=int, help="at most so many, drawn anew every day")
    parser.add_argument("--jobs", type=int, default=1, help="how many to run at once")
    options = parser.parse_args()
    unknown = set(options.names) - {mutant.name for mutant in MUTANTS}
    if unknown:
        parser.error(f"no such mutant: {', '.join(sorted(unknown))}")
    chosen = choose(options)
    if not chosen:
        print("No mutant belongs to a changed file.")
        return 0
    missing = [mutant for mutant in chosen if not is_found_once(mutant)]
    alive = len(missing)
    print("| mutant | killed by | seconds |\n|---|---|---|")
    for mutant in missing:
        print(f"| {mutant.name} | {NOT_FOUND} | |")
    present = [mutant for mutant in chosen if mutant not in missing]
    if options.most is not None and len(present) > options.most:
        # Other mutants every day, and all of them in the end.
        present = random.Random(time.strftime("%Y-%m-%d")).sample(present, options.most)
    if (failed := fails_anyway(present)) is not None:
        print(f"| nothing at all | {failed} | |\n\nThis has to pass before it can kill a mutant.")
        return 1
    for mutant, killer, seconds in run_all(present, options.jobs):
        print(f"| {mutant.name} | {killer} | {seconds:.0f} |", flush=True)
        alive += "::" not in killer
    total = len(present) + len(missing)
    print(f"\n{total - alive} of {total} mutants killed.")
    return int(alive > 0)


if __name__ == "__main__":
    sys.exit(main())
