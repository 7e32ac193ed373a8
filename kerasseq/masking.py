"""Masks: boolean, True = a real token. One place that reads them, checks them and hands them on."""

import keras
from keras import ops

from kerasseq.arguments import dtype_of


def read_mask(mask, sequences, name):
    """Return `mask` as booleans after checking that it fits `sequences`, or None.

    Args:
        mask: Shape `(batch, length)`; False or 0 marks padding. Integers may be the ids
            themselves; floats are 0 or 1, since additive masks mean the opposite. None is passed
            through.
        sequences: Tensor of shape `(batch, length, …)` that the mask speaks of.
        name: The argument's name, for the error.

    Returns:
        Boolean tensor of shape `(batch, length)`, or None.

    Raises:
        ValueError: If the two shapes differ where both are known, or the mask holds neither
            booleans nor numbers, or other floats than 0 and 1. What a TensorFlow graph cannot know
            it asserts with the same text.
    """
    if mask is None:
        return None
    mask = mask if isinstance(mask, keras.KerasTensor) else ops.convert_to_tensor(mask)
    dtype = dtype_of(mask)
    if not any(kind in dtype for kind in ("bool", "int", "float")):
        text = f"`{name}` must hold booleans, True = real."
        raise ValueError(f"{text} Received: {name}.dtype={dtype}")
    expected, received = tuple(sequences.shape[:2]), tuple(mask.shape)
    text = f"`{name}` must have the shape (batch, length) of its sequence, {expected}."
    fits = len(received) == 2 and all(
        e is None or r is None or e == r for e, r in zip(expected, received, strict=True)
    )
    if not fits:
        raise ValueError(f"{text} Received: {name}.shape={received}")
    if "float" in dtype:
        _check_floats(mask, name)
    mask = ops.cast(mask, "bool")
    if None in expected + received and keras.backend.backend() == "tensorflow":
        mask = _assert_shape(mask, sequences, text)
    return mask


def _check_floats(mask, name):
    if isinstance(mask, keras.KerasTensor) or keras.backend.backend() != "tensorflow":
        return
    import tensorflow as tf

    text = f"`{name}` must hold booleans, True = real; of floats only 0 and 1."
    fits = ops.all((mask == 0) | (mask == 1))
    if not tf.executing_eagerly():
        tf.debugging.assert_equal(fits, True, message=text)
    elif not fits:
        raise ValueError(f"{text} Received: {name}={ops.convert_to_numpy(mask)}")


def _assert_shape(mask, sequences, text):
    if isinstance(mask, keras.KerasTensor) or isinstance(sequences, keras.KerasTensor):
        return mask
    import tensorflow as tf

    check = tf.debugging.assert_equal(tf.shape(mask), tf.shape(sequences)[:2], message=text)
    with tf.control_dependencies([check] if check is not None else []):
        return tf.identity(mask)


def zero_padding(sequence, mask):
    """Zero the masked steps of a `(batch, length, …)` tensor."""
    if mask is None:
        return sequence
    return ops.where(ops.expand_dims(mask, -1), sequence, ops.zeros_like(sequence))


class _WithMask(keras.layers.Layer):
    def call(self, tensor_and_mask):
        return tensor_and_mask[0]

    def compute_mask(self, tensor_and_mask, previous_mask):
        return tensor_and_mask[1]


def attach_mask(tensor, mask):
    """Hand `mask` on with `tensor`, as Keras layers do, and return the tensor.

    Keras derives an output's mask from the first input's alone. A layer that was given its mask by
    hand would lose it there, and the loss would count padding.
    """
    if mask is None:
        return tensor
    # Only a layer's call may attach a mask on every backend: JAX' arrays take no attributes.
    return _WithMask(autocast=False, name="with_mask")([tensor, mask])


class _MaskOf(keras.layers.Layer):
    def call(self, tensor, mask=None):
        return ops.ones(ops.shape(tensor)[:2], dtype="bool") if mask is None else mask

    def compute_mask(self, tensor, previous_mask):
        return None


def mask_of(tensor):
    """Return the mask that came with a tensor `(batch, length, …)`, all True if none did."""
    return _MaskOf(autocast=False, name="mask_of")(tensor)
