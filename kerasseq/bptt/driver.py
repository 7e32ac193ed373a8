"""The loop over time, for steps forward and for steps back."""

import tensorflow as tf


def through_time(step, carried, length, shapes, backwards=False):
    """Run `step(t, carried) -> (carried, written)` for every t.

    Args:
        step: The function; `carried` and `written` are lists of tensors.
        carried: What the first step starts from.
        length: Number of steps, a scalar tensor.
        shapes: The shape of each tensor in `written`.
        backwards: Begin at the last step.

    Returns:
        `(carried, written)`: the first as the last step left it, the second with all steps stacked
        in the order of t, each `(length, …)`.
    """
    arrays = [tf.TensorArray(carried[0].dtype, length, element_shape=shape) for shape in shapes]

    def advance(count, carried, arrays):
        t = length - 1 - count if backwards else count
        carried, written = step(t, carried)
        arrays = [array.write(t, one) for array, one in zip(arrays, written, strict=True)]
        return count + 1, list(carried), arrays

    _, carried, arrays = tf.while_loop(
        lambda count, carried, arrays: count < length,
        advance,
        (tf.constant(0), list(carried), arrays),
        maximum_iterations=length,
    )
    return carried, [array.stack() for array in arrays]


def choose(mask, t, real, padded):
    """Return the list `real` where step t is a real one, `padded` where it is padding."""
    if mask is None:
        return real
    return [tf.where(mask[t], *pair) for pair in zip(real, padded, strict=True)]


def at(t, sequences):
    """Return step t of each sequence."""
    return [sequence[t] for sequence in sequences]


def shifted(first, sequence):
    """Return what stood before each step: `first`, then all but the last of `sequence`."""
    return tf.concat([first[None], sequence[:-1]], axis=0)


def over_steps(inputs, deltas):
    """Return Σ_t x_tᵀ δ_t for `(length, batch, …)` tensors: one matrix product."""
    flat = [tf.reshape(tensor, (-1, tensor.shape[-1])) for tensor in (inputs, deltas)]
    return tf.matmul(*flat, transpose_a=True)


def through(kernel, delta):
    """Return δ Kᵀ: a gradient on the way back through a product with the kernel.

    As (K δᵀ)ᵀ: TensorFlow's own product of δ and Kᵀ takes up to three times as long.
    """
    return tf.transpose(tf.matmul(kernel, delta, transpose_b=True))


def refuse(*gradients):
    """Pass gradients on that cannot themselves be differentiated."""

    @tf.custom_gradient
    def once(*gradients):
        def again(*_):
            raise NotImplementedError(
                "The hand-written backward pass has no gradient of its own. For gradients of "
                "gradients, build the model under `kerasseq.bptt.enabled(False)`."
            )

        return gradients, again

    return once(*gradients)
