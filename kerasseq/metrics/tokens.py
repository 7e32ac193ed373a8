"""Perplexity and accuracy of the next token, averaged over the real tokens."""

import keras
from keras import ops

from kerasseq.checks import check_ids, check_integer_or_none, check_shape, check_tensor
from kerasseq.losses import check_targets, crossentropy, real_tokens
from kerasseq.masks import mask_of


class _TokenMean(keras.metrics.Metric):
    # The mean over all tokens of all batches. Keras' own mean averages over time first, so that a
    # token of a short batch counts more than a token of a long batch.

    def __init__(self, name, dtype, ignore_class):
        super().__init__(name=name, dtype=dtype)
        self.ignore_class = check_integer_or_none("ignore_class", ignore_class)
        self.total = self.add_variable((), "zeros", dtype=dtype, name="total")
        self.count = self.add_variable((), "zeros", dtype=dtype, name="count")

    def update_state(self, y_true, y_pred, sample_weight=None):
        y_true, y_pred = ops.convert_to_tensor(y_true), ops.convert_to_tensor(y_pred)
        sizes = {"1": 1}
        check_tensor("y_pred", y_pred, "batch target_length vocabulary", sizes=sizes)
        mask = mask_of(y_pred)
        forms = "batch target_length", "batch target_length 1"
        check_ids("y_true", y_true, *forms, sizes=sizes)
        logits = ops.cast(y_pred, self.dtype)
        y_true = ops.cast(y_true, "int32")
        if len(y_true.shape) == len(logits.shape):  # (batch, target_length, 1)
            y_true = ops.squeeze(y_true, -1)
        real = real_tokens(y_true, mask, self.ignore_class)
        y_true, poison = check_targets(y_true, real, logits)
        values = self.token_values(y_true, logits, real) + poison  # (batch, target_length)
        weights = ops.cast(real, self.dtype)
        if sample_weight is not None:
            sample_weight = ops.cast(sample_weight, self.dtype)
            forms = "batch", "batch target_length"
            check_shape("sample_weight", tuple(sample_weight.shape), *forms, sizes=sizes)
            if len(sample_weight.shape) < len(values.shape):
                sample_weight = ops.expand_dims(sample_weight, -1)
            weights *= sample_weight
        # `where`, since 0 times the infinity of an overflowed step would be NaN.
        values = ops.where(weights > 0, values, ops.zeros_like(values))
        self.total.assign_add(ops.sum(values * weights))
        self.count.assign_add(ops.sum(weights))

    def reset_state(self):
        self.total.assign(0.0)
        self.count.assign(0.0)

    def result(self):
        return ops.divide_no_nan(self.total, self.count)

    def get_config(self):
        return {**super().get_config(), "ignore_class": self.ignore_class}


@keras.saving.register_keras_serializable(package="kerasseq")
class Perplexity(_TokenMean):
    """The number of equally likely words between which a guess would be as hard.

        perplexity = exp(− Σ log p(y_t | y_{<t}, x) / number of real tokens)

    The sums run over all real tokens of all batches, so that perplexity does not depend on how the
    data is cut into batches. (The exponential of Keras' `loss` does: Keras weighs a batch by its
    number of sentences.) Label smoothing of the loss does not enter. Before the first token
    perplexity is 1.

    Args:
        name: Name of the metric.
        dtype: The type of the computation; logits of another type are cast first.
        ignore_class: The id that does not count. Default 0, padding; None counts every id.

    Call arguments:
        y_true: Integer ids, shape `(batch, target_length)`.
        y_pred: Logits, shape `(batch, target_length, vocabulary)`.
        sample_weight: Weights, shape `(batch,)` or `(batch, target_length)`.

    Masking: honors the mask that the logits carry. Masked tokens and padding ids do not count.
    An id outside of the vocabulary is refused as by `SmoothedCrossentropy`. Under JAX, `fit` of
    Keras loses the mask on its way to every metric (the loss, `evaluate` and validation keep it):
    pass `fit` a `sample_weight` there, and `compile` the metric in `weighted_metrics`.

    Example:
        >>> metric = Perplexity()
        >>> metric.update_state([[1, 2]], keras.ops.zeros((1, 2, 7)))
        >>> round(float(metric.result()), 3)
        7.0
    """

    def __init__(self, name="perplexity", dtype="float32", ignore_class=0):
        super().__init__(name, dtype, ignore_class)

    def token_values(self, y_true, logits, real):
        return crossentropy(y_true, logits, 0.0, real, ops.zeros_like(logits[..., 0]))

    def result(self):
        return ops.exp(super().result())


@keras.saving.register_keras_serializable(package="kerasseq")
class TokenAccuracy(_TokenMean):
    """The share of real tokens whose greatest logit is the right one.

    Keras' own `"accuracy"` agrees where all batches are padded to the same length. Elsewhere it
    counts a token of a short batch more than a token of a long batch.

    Arguments, shapes and masking are those of `Perplexity`. Before the first token the accuracy is
    0.

    Example:
        >>> metric = TokenAccuracy()
        >>> metric.update_state([[1, 2]], [[[0.0, 3.0, 1.0], [0.0, 3.0, 1.0]]])
        >>> float(metric.result())
        0.5
    """

    def __init__(self, name="accuracy", dtype="float32", ignore_class=0):
        super().__init__(name, dtype, ignore_class)

    def token_values(self, y_true, logits, real):
        return ops.cast(ops.argmax(logits, axis=-1) == y_true, self.dtype)
