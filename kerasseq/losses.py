"""`SmoothedCrossentropy`: cross-entropy with label smoothing for integer targets."""

import keras
from keras import ops

from kerasseq.arguments import check_ids, check_tensor, rate


@keras.saving.register_keras_serializable(package="kerasseq")
class SmoothedCrossentropy(keras.losses.Loss):
    """Cross-entropy between integer targets and logits, with label smoothing.

    Keras' sparse cross-entropy has no label smoothing, and its dense one would need a one-hot
    target as large as the logits. With p = softmax(logits), V words and smoothing ε a token y costs

        −(1 − ε) log p_y − ε · (1/V) Σ_v log p_v

    which is the cross-entropy with the target (1 − ε) · onehot(y) + ε/V (Szegedy et al. 2016).

    Within a batch the loss is the mean over real tokens: those that the mask of the logits marks as
    real. Over an epoch Keras averages its batches by their number of sentences; for a figure by
    tokens report `kerasseq.Perplexity`. Under `tf.distribute` each replica takes the mean over its
    own tokens, so the loss equals that of one device only if all replicas hold as many.

    Args:
        label_smoothing: ε in [0, 1). Default 0.
        **kwargs: `reduction`, `name`, `dtype` of `keras.losses.Loss`.

    Call arguments:
        y_true: Integer ids, shape `(batch, length)`.
        y_pred: Logits, shape `(batch, length, vocab_size)`.

    The gradient is written out below, as the logits are by far the largest tensor of a translator,
    and automatic gradients pass over them more often.

    Raises:
        ValueError: If `label_smoothing` is outside [0, 1), or a shape does not fit.

    Example:
        >>> loss = SmoothedCrossentropy()
        >>> float(loss([[1]], keras.ops.zeros((1, 1, 4))))  # ln 4
        1.38629...

    References:
        - Szegedy et al. (2016), Rethinking the Inception architecture, section 7.
    """

    def __init__(self, label_smoothing=0.0, name="smoothed_crossentropy", **kwargs):
        super().__init__(name=name, **kwargs)
        self.label_smoothing = rate("label_smoothing", label_smoothing)

    def call(self, y_true, y_pred):
        y_true, y_pred = ops.cast(y_true, "int32"), ops.convert_to_tensor(y_pred)
        sizes = {}
        check_tensor("y_pred", y_pred, "batch length vocab_size", sizes=sizes)
        check_ids("y_true", y_true, "batch length", sizes=sizes)
        return crossentropy(y_true, y_pred, self.label_smoothing)

    def get_config(self):
        return {**super().get_config(), "label_smoothing": self.label_smoothing}


def crossentropy(targets, logits, label_smoothing=0.0):
    """Return what each token costs under `SmoothedCrossentropy`, with the gradient written out.

    With z the logits, p = softmax(z) and V words:

        loss     = log Σ_v exp(z_v) − (1 − ε) z_y − ε · (1/V) Σ_v z_v
        ∂loss/∂z = p − (1 − ε) · onehot(y) − ε/V

    Args:
        targets: y, integer ids of shape `(…)`.
        logits: z, floats of shape `(…, vocab_size)`.
        label_smoothing: ε.

    Returns:
        Tensor of the shape and dtype of `targets` and `logits`.
    """
    targets = ops.expand_dims(targets, -1)
    vocab_size = ops.shape(logits)[-1]

    @ops.custom_gradient
    def loss(logits):
        highest = ops.max(logits, axis=-1, keepdims=True, initial=-float("inf"))
        log_total = highest + ops.log(ops.sum(ops.exp(logits - highest), axis=-1, keepdims=True))
        chosen = ops.take_along_axis(logits, targets, axis=-1)
        cost = log_total - (1 - label_smoothing) * chosen
        if label_smoothing:
            cost = cost - label_smoothing * ops.mean(logits, axis=-1, keepdims=True)

        def gradient(*args, upstream=None):  # PyTorch passes it by name
            upstream = args[0] if upstream is None else upstream
            rest = label_smoothing / vocab_size
            right = ops.arange(vocab_size, dtype=targets.dtype) == targets
            wanted = ops.where(right, 1 - label_smoothing + rest, rest)
            return upstream * (ops.exp(logits - log_total) - ops.cast(wanted, logits.dtype))

        return cost, gradient

    return ops.squeeze(loss(logits), axis=-1)
