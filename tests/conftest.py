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


@pytest.fixture
def sequences():
    """Return what the recurrent layers read, `(BATCH, LENGTH, FEATURES)` of `small_layers`."""
    from reference import normal
    from small_layers import BATCH, FEATURES, LENGTH

    return normal(BATCH, LENGTH, FEATURES)
