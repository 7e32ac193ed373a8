"""The checks of texts, paths, matrices and links: what they return and what they refuse."""

import pathlib

import numpy as np
import pytest
import tensorflow as tf

from kerasseq import checks


def refusal(check, *values):
    """Return what a check says of values that it refuses."""
    with pytest.raises(ValueError) as caught:
        check(*values)
    return str(caught.value)


TEXTS = ["désolé", ""]
ENCODED = [text.encode() for text in TEXTS]


@pytest.mark.parametrize(
    "texts",
    [
        TEXTS,
        tuple(TEXTS),
        ENCODED,
        np.array(TEXTS),
        np.array(ENCODED),
        tf.constant(TEXTS),
        tf.data.Dataset.from_tensor_slices(TEXTS),
        (text for text in TEXTS),
    ],
    ids=["list", "tuple", "bytes", "array", "array of bytes", "tensor", "dataset", "generator"],
)
def test_texts_come_back_as_a_list_of_str(texts):
    read = checks.check_texts("texts", texts)
    assert read == TEXTS and {type(text) for text in read} == {str}


@pytest.mark.parametrize("texts", ["ab", b"ab", None, 3, {"a": "b"}, tf.constant("ab")], ids=repr)
def test_one_text_or_none_is_no_list(texts):
    said = refusal(checks.check_texts, "texts", texts)
    assert said.startswith("`texts` must ") and said.endswith(f"Received: texts={texts!r}")


def test_what_is_no_text_is_pointed_at():
    said = refusal(checks.check_texts, "texts", ["a", ["b"]])
    assert said.startswith("`texts` must ") and said.endswith("Received: texts[1]=['b']")


def test_paths_come_back_as_str(tmp_path):
    assert checks.check_path("file", pathlib.Path("a") / "b") == str(pathlib.Path("a/b"))
    assert checks.check_folder("data_dir", None) is None
    assert checks.check_folder("data_dir", tmp_path / "new") == str(tmp_path / "new")
    for value in (None, 3, b"a", ""):
        assert refusal(checks.check_path, "file", value).endswith(f"Received: file={value!r}")


def test_a_file_is_no_folder(tmp_path):
    file = tmp_path / "file"
    file.touch()
    said = refusal(checks.check_folder, "data_dir", file)
    assert said.startswith("`data_dir` must ")
    assert said.endswith(f"Received: data_dir={str(file)!r}")


def test_a_matrix_is_finite_and_has_two_axes():
    rows = [[0.5, 0.5], [1, 0]]
    np.testing.assert_array_equal(checks.check_matrix("weights", rows), rows)
    for value in ([1.0], [[1.0], [1.0, 2.0]], [[np.nan]], [["a"]], None):
        assert "finite numbers of shape" in refusal(checks.check_matrix, "weights", value)


@pytest.mark.parametrize("links", [[(0, 1), (2, 0)], {(0, 1), (2, 0)}, np.array([[0, 1], [2, 0]])])
def test_links_come_back_as_an_array(links):
    array = checks.check_links("sure", links, 3, 2)
    assert sorted(map(tuple, array.tolist())) == [(0, 1), (2, 0)]
    assert checks.check_links("sure", [], 3, 2).shape == (0, 2)


@pytest.mark.parametrize("links", [[(3, 0)], [(0, 2)], [(-1, 0)]])
def test_links_stay_within_the_sentences(links):
    said = refusal(checks.check_links, "sure", links, 3, 2)
    assert "source_index below 3 and target_index below 2" in said
    assert said.endswith(f"Received: sure={links!r}")


@pytest.mark.parametrize("links", [[(0.5, 1.0)], [(0, 1, 2)], [0, 1], "ab", None])
def test_links_are_pairs_of_integers(links):
    said = refusal(checks.check_links, "sure", links, None, None)
    assert said.startswith("`sure` must hold integer pairs (source_index, target_index)")
