import numpy as np
import pytest
import tensorflow as tf

from kerasseq.text.tensors import as_dataset, as_tensor, padded


@pytest.mark.parametrize("texts", ["é", ["é"], np.array(["é"]), [b"\xc3\xa9"], tf.constant(["é"])])
def test_texts_become_a_string_tensor(texts):
    assert as_tensor(texts).numpy().tolist() == ["é".encode()]


def test_a_lone_surrogate_is_no_error():
    assert as_tensor(["a\ud800"]).numpy()[0].startswith(b"a")


def test_datasets_come_in_batches():
    texts = tf.data.Dataset.from_tensor_slices(["a", "b"])
    for dataset in (texts, texts.batch(1), ["a", "b"], (text for text in "ab")):
        found = [text for batch in as_dataset(dataset) for text in batch.numpy()]
        assert found == [b"a", b"b"]


def test_one_text_is_no_dataset():
    with pytest.raises(ValueError, match="texts='ab'"):
        as_dataset("ab")


@pytest.mark.parametrize("ids", [[[4, 5], [6]], [np.array([4, 5]), np.array([6])]])
def test_rows_are_padded(ids):
    assert padded(ids).numpy().tolist() == [[4, 5], [6, 0]]


@pytest.mark.parametrize("ids", [4, [4, 5], [[4.0]], [[[4]]], [[4], 5]])
def test_what_is_no_rows_of_ids_is_refused(ids):
    with pytest.raises(ValueError, match="must hold integers of shape"):
        padded(ids)
