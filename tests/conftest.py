import atexit
import os
import shutil
import tempfile

import pytest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("MPLBACKEND", "agg")

# TFDS reads this when it is imported: no test reads or writes the data sets of the user.
os.environ["TFDS_DATA_DIR"] = tempfile.mkdtemp(prefix="kerasseq-tests-")
atexit.register(shutil.rmtree, os.environ["TFDS_DATA_DIR"], ignore_errors=True)


def pytest_addoption(parser):
    help_text = "run the recurrent layers without the backward pass that is written out"
    parser.addoption("--portable", action="store_true", help=help_text)
    parser.addoption("--fuzz", type=int, help="inputs for each test of tests/test_fuzz.py")


def pytest_configure(config):
    if config.getoption("--portable"):
        from kerasseq import bptt

        bptt.enabled(False).__enter__()


@pytest.fixture(autouse=True)
def same_random_numbers():
    """Give each test the same random weights on every run: what fails once fails again."""
    import keras

    keras.utils.set_random_seed(0)


@pytest.fixture
def sequences():
    """Return what the recurrent layers read, `(BATCH, LENGTH, FEATURES)` of `small_layers`."""
    from support.reference import normal
    from support.small_layers import BATCH, FEATURES, LENGTH

    return normal(BATCH, LENGTH, FEATURES)


@pytest.fixture(scope="session")
def data_dir(tmp_path_factory):
    """Return the folder of a small phrasebook."""
    from support.lessons import make_small_phrasebook

    folder = tmp_path_factory.mktemp("tfds")
    make_small_phrasebook(folder)
    return folder
