"""`Record`: the tensors that a search writes at every step and reads once, at the end."""

import keras
from keras import ops


class Record:
    """Named tensors of every step. A step is written once; later steps never move it.

    The loop of a search carries the `stores`; the record itself knows their shapes. On TensorFlow
    a store is a list of tensors and takes memory only for written steps; XLA turns it into an
    array. On other backends a store is an array of all steps.

    Args:
        steps: Largest number of steps. XLA needs a Python integer.
        **specs: For each name, shape and dtype of the tensor of one step, rows first.
    """

    def __init__(self, steps, **specs):
        form = _TensorList if keras.backend.backend() == "tensorflow" else _Array
        self._forms = {name: form(steps, *spec) for name, spec in specs.items()}

    def begin(self):
        """Return empty stores as a dict."""
        return {name: form.begin() for name, form in self._forms.items()}

    def write(self, stores, position, **tensors):
        """Return the stores with the tensors of step `position`, counted from 0."""
        return {
            name: form.write(stores[name], position, tensors[name])
            for name, form in self._forms.items()
        }

    def at(self, stores, position):
        """Return the tensors of a written step as a dict."""
        return {name: form.at(stores[name], position) for name, form in self._forms.items()}

    def read(self, stores, count=None):
        """Return the tensors of all steps, `(rows, steps, …)` each; unwritten steps are zero.

        Args:
            stores: The stores.
            count: Read only the first `count` steps, all of which must be written. Not under XLA.
        """
        steps_first = {name: form.read(stores[name], count) for name, form in self._forms.items()}
        return {name: ops.swapaxes(tensor, 0, 1) for name, tensor in steps_first.items()}


class _TensorList:
    # TensorFlow's list of tensors is itself one tensor, so it travels through any loop.
    def __init__(self, steps, shape, dtype):
        import tensorflow as tf  # here: this module also serves JAX and PyTorch

        self._tf, self._steps, self._dtype = tf, tf.cast(steps, tf.int32), tf.as_dtype(dtype)
        self._shape = tf.stack([tf.cast(size, tf.int32) for size in shape])
        self._rank = len(shape)

    def begin(self):
        return self._tf.raw_ops.TensorListReserve(
            element_shape=self._shape, num_elements=self._steps, element_dtype=self._dtype
        )

    def write(self, store, position, tensor):
        return self._tf.raw_ops.TensorListSetItem(input_handle=store, index=position, item=tensor)

    def at(self, store, position):
        tensor = self._tf.raw_ops.TensorListGetItem(
            input_handle=store,
            index=position,
            element_shape=self._shape,
            element_dtype=self._dtype,
        )
        return self._tf.ensure_shape(tensor, [None] * self._rank)

    def read(self, store, count):
        kind = {"element_shape": self._shape, "element_dtype": self._dtype}
        if count is None:
            tensor = self._tf.raw_ops.TensorListStack(input_handle=store, **kind)
        else:
            steps = self._tf.range(count)
            tensor = self._tf.raw_ops.TensorListGather(input_handle=store, indices=steps, **kind)
        return self._tf.ensure_shape(tensor, [None] * (1 + self._rank))


class _Array:
    def __init__(self, steps, shape, dtype):
        self._shape, self._dtype = (int(steps), *shape), dtype
        # On PyTorch `slice_update` copies the whole array at every step.
        self._in_place = keras.backend.backend() == "torch"

    def begin(self):
        return ops.zeros(self._shape, self._dtype)

    def write(self, store, position, tensor):
        if self._in_place:
            store[position] = tensor
            return store
        return ops.slice_update(store, [position] + [0] * (len(self._shape) - 1), tensor[None])

    def at(self, store, position):
        return ops.take(store, position, axis=0)

    def read(self, store, count):
        return store if count is None else store[: int(count)]
