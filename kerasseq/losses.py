"""`SmoothedCrossentropy`: cross-entropy with label smoothing for integer targets."""

import keras
from keras import ops

from kerasseq.checks import check_ids, check_integer_or_none, check_rate, check_tensor
from kerasseq.masks import attach_mask, mask_of


@keras.saving.register_keras_serializable(package="kerasseq")
class SmoothedCrossentropy(keras.losses.Loss):
    """Cross-entropy between integer targets and logits, with label smoothing.

    Keras' sparse cross-entropy has no label smoothing; its dense cross-entropy needs a one-hot
    target as large as the logits. With p = softmax(logits), V words and smoothing ε, the cost of a
    token y is

        −(1 − ε) log p_y − ε · (1/V) Σ_v log p_v

    This is the cross-entropy with the target (1 − ε) · onehot(y) + ε/V (Szegedy et al. 2016).

    The loss of a batch is the mean over real tokens. A token is real if its id is not
    `ignore_class` and the mask of the logits, if there is one, is True. Other tokens have no
    influence. A batch without real tokens costs 0. Over an epoch, Keras averages the batches by
    their number of sentences; `kerasseq.Perplexity` averages over tokens. Under `tf.distribute`
    each replica takes the mean over its own tokens: the loss equals the loss of one device only if
    all replicas hold the same number of tokens.

    Args:
        label_smoothing: ε in [0, 1). Default 0.
        ignore_class: Id of tokens that do not count. Default 0, padding; None counts all tokens.
        **kwargs: `reduction`, `name`, `dtype` of `keras.losses.Loss`.

    Call arguments:
        y_true: Integer ids, shape `(batch, length)`.
        y_pred: Logits, shape `(batch, length, vocab_size)`.

    The gradient is written out below: the logits are by far the largest tensor of a translator, and
    automatic differentiation would read and write them more often.

    Raises:
        ValueError: If `label_smoothing` is outside [0, 1), a shape does not fit, or a real token
            is not in the vocabulary. Such a token raises `InvalidArgumentError` in a graph; under
            XLA and on other backends, which cannot raise, the loss is NaN.

    Example:
        >>> loss = SmoothedCrossentropy()
        >>> float(loss([[1]], keras.ops.zeros((1, 1, 4))))  # ln 4
        1.38629...

    References:
        - Szegedy et al. (2016), Rethinking the Inception architecture, section 7.
    """

    def __init__(self, label_smoothing=0.0, name="smoothed_crossentropy", ignore_class=0, **kwargs):
        super().__init__(name=name, **kwargs)
        self.label_smoothing = check_rate("label_smoothing", label_smoothing)
        self.ignore_class = check_integer_or_none("ignore_class", ignore_class)

    def __call__(self, y_true, y_pred, sample_weight=None):
        # Keras casts the logits before `call`, and a cast loses the mask.
        y_pred = ops.convert_to_tensor(y_pred)
        y_pred = attach_mask(ops.cast(y_pred, self.dtype), mask_of(y_pred))
        return super().__call__(y_true, y_pred, sample_weight)

    def call(self, y_true, y_pred):
        y_true, y_pred = ops.cast(y_true, "int32"), ops.convert_to_tensor(y_pred)
        sizes = {}
        check_tensor("y_pred", y_pred, "batch length vocab_size", sizes=sizes)
        check_ids("y_true", y_true, "batch length", sizes=sizes)
        real = real_tokens(y_true, mask_of(y_pred), self.ignore_class)
        targets, poison = check_targets(y_true, real, y_pred)
        cost = crossentropy(targets, y_pred, self.label_smoothing, real, poison)
        return attach_mask(cost, real)  # Keras takes the mean over the masked costs

    def get_config(self):
        return {
            **super().get_config(),
            "label_smoothing": self.label_smoothing,
            "ignore_class": self.ignore_class,
        }


def real_tokens(targets, mask, ignore_class):
    """Return the mask of real tokens: padding neither by mask nor by id."""
    return mask if ignore_class is None else ops.logical_and(mask, targets != ignore_class)


def check_targets(targets, real, logits):
    """Raise if a real token is not in the vocabulary; prepare a NaN cost where nothing can raise.

    Args:
        targets: Integer ids of shape `(…)`.
        real: Booleans `(…)`, True = a real token.
        logits: Shape `(…, vocab_size)`.

    Returns:
        `(targets, poison)`: the ids, 0 for tokens that are not real, and a term to add to the
        costs: NaN for an id outside the vocabulary, else 0.
    """
    vocab_size = ops.shape(logits)[-1]
    fits = ops.logical_or(ops.logical_not(real), (targets >= 0) & (targets < vocab_size))
    if keras.backend.backend() == "tensorflow":
        _assert_in_vocabulary(targets, fits, vocab_size)
    targets = ops.where(ops.logical_and(real, fits), targets, ops.zeros_like(targets))
    fits = ops.cast(fits, logits.dtype)
    return targets, ops.zeros_like(fits) / fits  # 0 / 1 = 0 and 0 / 0 = NaN


def _assert_in_vocabulary(targets, fits, vocab_size):
    import tensorflow as tf

    text = "`y_true` must hold ids of the vocabulary that `y_pred` has logits for"
    if not tf.executing_eagerly():  # XLA skips assertions
        received = [f"{text}. Received: y_true, vocabulary size:", targets, vocab_size]
        tf.debugging.Assert(tf.reduce_all(fits), received)
    elif not tf.reduce_all(fits):
        wrong = sorted(set(tf.boolean_mask(targets, tf.logical_not(fits)).numpy().tolist()))
        raise ValueError(f"{text}, 0 to {int(vocab_size) - 1}. Received: y_true with {wrong}")


def crossentropy(targets, logits, label_smoothing, real, poison):
    """Return the cost of each token as in `SmoothedCrossentropy`, with a written-out gradient.

    With z the logits, p = softmax(z) and V words:

        loss     = log Σ_v exp(z_v) − (1 − ε) z_y − ε · (1/V) Σ_v z_v
        ∂loss/∂z = p − (1 − ε) · onehot(y) − ε/V

    Args:
        targets: y, integer ids of shape `(…)`, all below `vocab_size`.
        logits: z, floats of shape `(…, vocab_size)`.
        label_smoothing: ε.
        real: Booleans `(…)`. Other tokens have cost 0 and gradient 0, whatever their logits.
        poison: Shape `(…)`, added to the cost and to the gradient.

    Returns:
        Tensor of the shape of `targets` and the dtype of `logits`.
    """
    targets, real, poison = (ops.expand_dims(x, -1) for x in (targets, real, poison))  # (…, 1)
    vocab_size = ops.shape(logits)[-1]
    is_half = keras.backend.standardize_dtype(logits.dtype) == "float16"
    lowest = -65504.0 if is_half else -3e38  # the maximum of a batch without rows needs a start

    @ops.custom_gradient
    def loss(logits):
        highest = ops.max(logits, axis=-1, keepdims=True, initial=lowest)
        log_total = highest + ops.log(ops.sum(ops.exp(logits - highest), axis=-1, keepdims=True))
        chosen = ops.take_along_axis(logits, targets, axis=-1)
        cost = log_total - (1 - label_smoothing) * chosen
        if label_smoothing:
            cost = cost - label_smoothing * ops.mean(logits, axis=-1, keepdims=True)
        cost = ops.where(real, cost + poison, ops.zeros_like(cost))

        def gradient(*args, upstream=None):  # PyTorch passes it by name
            upstream = args[0] if upstream is None else upstream
            share = label_smoothing / vocab_size
            is_target = ops.arange(vocab_size, dtype=targets.dtype) == targets
            smoothed = ops.where(is_target, 1 - label_smoothing + share, share)  # (…, vocab_size)
            slope = ops.exp(logits - log_total) - ops.cast(smoothed, logits.dtype)  # p − target
            # `where` instead of a product with 0: the logits of padding may be infinite.
            return ops.where(real, (upstream + poison) * slope, ops.zeros_like(slope))

        return cost, gradient

    return ops.squeeze(loss(logits), axis=-1)
