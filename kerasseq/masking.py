"""Masks: boolean, True = a real token. One place that reads them, checks them and hands them on."""

import keras
from keras import ops


def read_mask(mask, sequences, name):
    """Return `mask` as booleans after checking that it fits `sequences`, or None.

    Args:
        mask: Any dtype, shape `(batch, length)`; zero or False marks padding. None
            is passed through.
        sequences: Tensor of shape `(batch, length, …)` that the mask speaks of.
        name: The argument's name, for the error.

    Returns:
        Boolean tensor of shape `(batch, length)`, or None.

    Raises:
        ValueError: If the two shapes differ where both are known. Where they are not, a TensorFlow
            graph gets an assertion with the same text.
    """
    if mask is None:
        return None
    mask = ops.cast(mask, "bool")
    expected, received = tuple(sequences.shape[:2]), tuple(mask.shape)
    text = f"`{name}` must have the shape (batch, length) of its sequence, {expected}."
    fits = len(received) == 2 and all(
        e is None or r is None or e == r for e, r in zip(expected, received, strict=True)
    )
    if not fits:
        raise ValueError(f"{text} Received: {name}.shape={received}")
    if None in expected + received and keras.backend.backend() == "tensorflow":
        mask = _assert_shape(mask, sequences, text)
    return mask


def _assert_shape(mask, sequences, text):
    if isinstance(mask, keras.KerasTensor) or isinstance(sequences, keras.KerasTensor):
        return mask
    import tensorflow as tf

    check = tf.debugging.assert_equal(tf.shape(mask), tf.shape(sequences)[:2], message=text)
    with tf.control_dependencies([check] if check is not None else []):
        return tf.identity(mask)


def attach_mask(tensor, mask):
    """Hand `mask` on with `tensor`, as Keras layers do, and return the tensor.

    Keras derives an output's mask from the first input's alone. A layer that was given its mask by
    hand would lose it there, and the loss would count padding.
    """
    if mask is not None:
        tensor._keras_mask = mask
    return tensor
