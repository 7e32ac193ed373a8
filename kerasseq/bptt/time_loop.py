"""The loop over time, for steps forward and steps backward, and the products after the loop."""

import tensorflow as tf


def scan(step, carried, length, shapes, backward=False):
    """Run `step(t, carried) -> (carried, written)` for every t.

    Args:
        step: The function. `carried` goes from one step to the next: any structure of tensors.
            `written` is a list of tensors, kept for each step.
        carried: What the first step starts from.
        length: Number of steps, a scalar tensor.
        shapes: The shape of each tensor in `written`.
        backward: Start with the last step.

    Returns:
        `(carried, written)`: `carried` as the last step left it; in `written` the tensors of all
        steps stacked in the order of t, `(length, …)` each.
    """
    dtype = tf.nest.flatten(carried)[0].dtype
    arrays = [tf.TensorArray(dtype, length, element_shape=shape) for shape in shapes]

    def advance(count, carried, arrays):
        t = length - 1 - count if backward else count
        carried, written = step(t, carried)
        arrays = [array.write(t, tensor) for array, tensor in zip(arrays, written, strict=True)]
        return count + 1, carried, arrays

    _, carried, arrays = tf.while_loop(
        lambda count, carried, arrays: count < length,
        advance,
        (tf.constant(0), carried, arrays),
        maximum_iterations=length,  # XLA must know a bound to compile the gradient
    )
    return carried, [array.stack() for array in arrays]


def where_real(mask, t, real, padded):
    """Return `real` in the rows where step t is a real step, `padded` where it is padding.

    Args:
        mask: Boolean `(length, batch, 1)`, or None: all steps are real.
        t: Number of the step.
        real, padded: A tensor `(batch, …)` each, or structures of tensors.
    """
    if mask is None:
        return real
    return tf.nest.map_structure(lambda r, p: tf.where(mask[t], r, p), real, padded)


def step_of(t, sequences):
    """Return step t of each `(length, …)` tensor in a structure."""
    return tf.nest.map_structure(lambda sequence: sequence[t], sequences)


def previous(first, sequence):
    """Return what came before each step: `first`, then all but the last of `(length, …)`."""
    return tf.concat([first[None], sequence[:-1]], axis=0)


def weight_gradient(inputs, deltas):
    """Return Σ_t x_tᵀ δ_t, the gradient of the matrix K where the forward pass computes x_t K.

    All steps and sequences are rows of one matrix, so the sum is one product.

    Args:
        inputs: x, `(length, batch, a)`.
        deltas: δ, `(length, batch, b)`.

    Returns:
        Tensor of shape `(a, b)`.
    """
    rows = [tf.reshape(tensor, (-1, tensor.shape[-1])) for tensor in (inputs, deltas)]
    return tf.matmul(*rows, transpose_a=True)


def times_transposed(delta, kernel):
    """Return δ Kᵀ, the gradient of x where the forward pass computes x K.

    Computed as (K δᵀ)ᵀ: TensorFlow's product of δ and Kᵀ takes up to three times as long.
    """
    return tf.transpose(tf.matmul(kernel, delta, transpose_b=True))


def forbid_second_gradient(*gradients):
    """Return the gradients as they are; their own gradient raises NotImplementedError."""

    @tf.custom_gradient
    def identity(*gradients):
        def back(*_):
            raise NotImplementedError(
                "The hand-written backward pass has no gradient of its own. For gradients of "
                "gradients, build the model under `kerasseq.bptt.enabled(False)`."
            )

        return gradients, back

    return identity(*gradients)
