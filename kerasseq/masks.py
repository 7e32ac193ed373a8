"""Masks: boolean `(batch, length)`, True = a real token. Read, check, apply and attach masks."""

import keras
from keras import ops

from kerasseq.checks import dtype_of

_LARGEST = 65504.0  # the largest float16


def read_mask(mask, sequences, name):
    """Return `mask` as booleans after checking that it fits `sequences`, or None.

    Args:
        mask: Shape `(batch, length)`; False or 0 marks padding. Integers may be the ids
            themselves; floats are 0 or 1, since additive masks mean the opposite. None is passed
            through.
        sequences: Tensor of shape `(batch, length, …)` to which the mask belongs.
        name: Name of the argument, for the error.

    Returns:
        Boolean tensor of shape `(batch, length)`, or None.

    Raises:
        ValueError: If the two shapes differ, the mask holds neither booleans nor numbers, or it
            holds floats other than 0 and 1. Shapes and numbers that are unknown while TensorFlow
            traces a graph are asserted when the graph runs.
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
        mask = _check_floats(mask, name)
    mask = ops.cast(mask, "bool")
    if None in expected + received and not isinstance(sequences, keras.KerasTensor):
        mask = assert_in_graph(mask, lambda: (ops.shape(mask), ops.shape(sequences)[:2]), text)
    return mask


def _check_floats(mask, name):
    """Return a mask of floats, or raise ValueError if it holds other numbers than 0 and 1."""
    if isinstance(mask, keras.KerasTensor) or keras.backend.backend() != "tensorflow":
        return mask
    import tensorflow as tf

    text = f"`{name}` must hold booleans, True = real; of floats only 0 and 1."
    fits = ops.all((mask == 0) | (mask == 1))
    if tf.executing_eagerly() and not fits:
        raise ValueError(f"{text} Received: {name}={ops.convert_to_numpy(mask)}")
    return assert_in_graph(mask, lambda: (fits, True), text)


def assert_in_graph(tensor, pair, message):
    """Return the tensor with an assertion: a TensorFlow graph fails unless two values are equal.

    A graph checks shapes and numbers when it runs, which are unknown while it is traced. Symbolic
    Keras tensors and other backends cannot check later: there the tensor returns as it is.

    Args:
        tensor: Any tensor.
        pair: A function without arguments that returns the two values.
        message: Text of the InvalidArgumentError.
    """
    if isinstance(tensor, keras.KerasTensor) or keras.backend.backend() != "tensorflow":
        return tensor
    import tensorflow as tf

    check = tf.debugging.assert_equal(*pair(), message=message)
    with tf.control_dependencies([check] if check is not None else []):
        return tf.identity(tensor)


def zero_padding(sequence, mask):
    """Return a `(batch, length, features)` tensor with zeros at masked steps."""
    if mask is None:
        return sequence
    return ops.where(ops.expand_dims(mask, -1), sequence, ops.zeros_like(sequence))


def masked_softmax(scores, mask):
    """Return the softmax over the last axis, exactly 0 where the mask is False.

    Args:
        scores: `(batch, …, length)`.
        mask: Boolean, of a shape that broadcasts to `scores`, or None.
    """
    # A float16 score may overflow to ±inf, and inf − inf would be NaN.
    scores = ops.clip(scores, -_LARGEST, _LARGEST)
    if mask is not None:
        scores = ops.where(mask, scores, ops.cast(-_LARGEST, scores.dtype))
    # exp(e − max e) cannot overflow, and the factor exp(−max e) cancels in the quotient.
    highest = ops.max(scores, axis=-1, keepdims=True, initial=-_LARGEST)
    exponentials = ops.exp(scores - ops.stop_gradient(highest))
    if mask is not None:
        exponentials = ops.where(mask, exponentials, ops.zeros_like(exponentials))
    total = ops.sum(exponentials, axis=-1, keepdims=True)
    # A total of 0 means that all positions are padding: 0 / 1 instead of 0 / 0.
    return exponentials / ops.where(total > 0, total, ops.ones_like(total))


# Keras attaches a mask to a tensor only when a layer returns it, and hands a mask only to a layer.
# On JAX there is no other way, since arrays take no attributes. The two layers below have no
# weights: they exist to carry one mask in, or to read one mask out.


class _WithMask(keras.layers.Layer):
    def call(self, tensor_and_mask):
        return tensor_and_mask[0]

    def compute_mask(self, tensor_and_mask, previous_mask):
        return tensor_and_mask[1]


def attach_mask(tensor, mask):
    """Return the tensor with `mask` attached, so that the next Keras layer receives the mask.

    Keras derives the mask of an output from the masks attached to the inputs. An explicit mask is
    attached to no input: it would be lost, and the loss would count padding.
    """
    if mask is None:
        return tensor
    return _WithMask(autocast=False, name="with_mask")([tensor, mask])


class _MaskOf(keras.layers.Layer):
    def call(self, tensor, mask=None):
        return ops.ones(ops.shape(tensor)[:2], dtype="bool") if mask is None else mask

    def compute_mask(self, tensor, previous_mask):
        return None


def mask_of(tensor):
    """Return the mask attached to a tensor `(batch, length, …)`; without a mask, all True."""
    return _MaskOf(autocast=False, name="mask_of")(tensor)
