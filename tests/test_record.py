"""What a search writes: each step once, read at the end."""

import numpy as np
import pytest
import tensorflow as tf
from keras import ops

from kerasseq.decoding.record import Record, _Array


def fill(record, count):
    """Write `count` steps in a loop and return position and stores."""

    def write(position, stores):
        ids = ops.zeros((2,), "int32") + position
        return position + 1, record.write(stores, position, ids=ids, rows=ops.ones((2, 3)))

    loop = (ops.zeros((), "int32"), record.begin())
    return ops.while_loop(lambda position, stores: position < count, write, loop)


def make_record(steps):
    return Record(steps, ids=((2,), "int32"), rows=((2, 3), "float32"))


@pytest.fixture(params=["list of tensors", "array"])
def form(request, monkeypatch):
    if request.param == "array":
        monkeypatch.setattr("kerasseq.decoding.record._TensorList", _Array)


@pytest.mark.parametrize("count", [0, 3, 5])
def test_steps_not_written_are_zeros(form, count):
    record = make_record(5)
    _, stores = fill(record, count)
    found = record.read(stores)
    expected = np.where(np.arange(5) < count, np.arange(5), 0)
    np.testing.assert_array_equal(found["ids"], [expected] * 2)
    np.testing.assert_array_equal(found["rows"][1, :, 2], np.arange(5) < count)


@pytest.mark.parametrize("count", [0, 3])
def test_only_what_was_written_is_read_if_asked_for(form, count):
    record = make_record(5)
    position, stores = fill(record, count)
    found = record.read(stores, position)
    np.testing.assert_array_equal(found["ids"], [np.arange(count)] * 2)
    assert found["rows"].shape == (2, count, 3)


def test_a_step_is_read_back(form):
    record = make_record(5)
    _, stores = fill(record, 4)
    np.testing.assert_array_equal(record.at(stores, 2)["ids"], [2, 2])


@pytest.mark.parametrize("count", [0, 3])
def test_compiles_with_xla(form, count):
    @tf.function(jit_compile=True)
    def run(count):
        record = make_record(5)
        return record.read(fill(record, count)[1])

    expected = np.where(np.arange(5) < count, np.arange(5), 0)
    np.testing.assert_array_equal(run(tf.constant(count))["ids"], [expected] * 2)


def test_memory_is_taken_for_what_was_written():
    record = Record(2**20, rows=((2**20,), "float32"))  # 4 TiB, if all of it were written
    stores = record.write(record.begin(), ops.zeros((), "int32"), rows=ops.ones((2**20,)))
    assert record.read(stores, 1)["rows"].shape == (2**20, 1)
