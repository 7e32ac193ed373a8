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
        loss = keras.losses.sparse_categorical_crossentropy(y_true, y_pred, from_logits=True)
        if not self.label_smoothing:
            return loss
        uniform = ops.logsumexp(y_pred, axis=-1) - ops.mean(y_pred, axis=-1)
        return (1 - self.label_smoothing) * loss + self.label_smoothing * uniform

    def get_config(self):
        return {**super().get_config(), "label_smoothing": self.label_smoothing}
