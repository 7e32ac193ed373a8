import new_process
import pytest

import kerasseq

HEAVY = ["matplotlib", "tensorflow_datasets", "sacrebleu", "sentencepiece", "tensorboard"]


@pytest.mark.parametrize("module", HEAVY)
def test_importing_kerasseq_does_not_import(module):
    # Keras itself imports matplotlib where it is installed: these are the modules that came after.
    modules = new_process.results()["modules"]
    assert "kerasseq.cells" in modules
    assert module not in modules


def test_every_public_name_is_listed_once():
    assert len(set(kerasseq.__all__)) == len(kerasseq.__all__)
    assert set(kerasseq.__all__) <= set(dir(kerasseq))


def test_a_name_that_is_not_there():
    with pytest.raises(AttributeError, match="module 'kerasseq' has no attribute 'GRUCell'"):
        kerasseq.GRUCell  # noqa: B018
