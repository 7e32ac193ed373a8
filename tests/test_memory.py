import subprocess
import sys

import pytest

from kerasseq import runtime

# Twice 80 MB: how many pages does the second time ask the system for?
_CODE = """
import resource, runpy, sys
import numpy as np
keep_memory = runpy.run_path(sys.argv[1])["keep_memory"]
kept = len(sys.argv) > 2 and keep_memory()
def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    np.ones(10_000_000)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
faults()
print(kept, faults())
"""


def _second_time(*arguments):
    output = subprocess.run(
        [sys.executable, "-c", _CODE, runtime.__file__, *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    kept, faults = output.stdout.split()
    return kept == "True", int(faults)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it is about Linux")
def test_freed_memory_is_used_again():
    kept, faults = _second_time("keep")
    if kept:  # else there is no glibc
        assert faults < _second_time()[1] / 10


def test_elsewhere_it_does_nothing(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    assert runtime.keep_memory() is False
