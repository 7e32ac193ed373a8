"""Additive attention of Bahdanau, Cho & Bengio (2015): where to look in the source."""

import keras
from keras import ops

from kerasseq.masking import read_mask


@keras.saving.register_keras_serializable(package="kerasseq")
class BahdanauAttention(keras.layers.Layer):
    """Additive attention, section 3.4.3 of the chapter.

    The decoder asks a question, its previous state s_{t−1}; each encoder state h_i is compared with
    it by a small network; the context is the mean of the encoder states under the weights so found.

        e_{t,i} = v_a · tanh(s_{t−1} W_a + h_i U_a)       scores                  (3.4.3, step 1)
        α_{t,i} = exp(e_{t,i}) / Σ_j exp(e_{t,j})         attention weights       (step 2)
        c_t     = Σ_i α_{t,i} h_i                         context                 (step 3)

    W_a is `query_kernel`, U_a `key_kernel`, v_a `score_kernel`. The products h_i U_a, the keys, are
    the same for every t: compute them once a sentence with `project` and pass them as `keys`.

    Args:
        units: Positive integer, the width of the hidden layer that compares query and key.
        **kwargs: `name`, `dtype` and so on of `keras.layers.Layer`.

    Call arguments:
        query: s_{t−1}, shape `(batch, query_dim)`, or several at once,
            `(batch, target_length, query_dim)`.
        values: h, shape `(batch, source_length, value_dim)`.
        keys: `project(values)`, shape `(batch, source_length, units)`. Computed here if None.
        values_mask: Shape `(batch, source_length)`, any dtype; True or non-zero = a real
            position. Keras fills it in from a masked `values`. A `+` between encoder and attention
            loses Keras' mask: pass it by hand there.

    Returns:
        `(context, attention_weights)`, always both: `(batch, value_dim)` and
        `(batch, source_length)`, with `target_length` as second axis for a 3-D query. A row of
        weights sums to 1.

    Masking: padding has weight exactly 0. A sentence that is all padding has zero weights and a
    zero context. A query's own mask travels on with the context.

    Raises:
        ValueError: If `units` is not a positive integer, or a rank, batch or mask does not fit.

    Example:
        >>> attention = BahdanauAttention(8)
        >>> context, weights = attention(keras.ops.ones((2, 5)), keras.ops.ones((2, 7, 3)))
        >>> context.shape, weights.shape
        (TensorShape([2, 3]), TensorShape([2, 7]))

    References:
        - Bahdanau, Cho & Bengio (2015), Neural machine translation by jointly learning to align and
          translate, https://arxiv.org/abs/1409.0473, section 3 and appendix A.1.2.
    """

    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        if isinstance(units, bool) or not isinstance(units, int) or units <= 0:
            raise ValueError(f"`units` must be a positive integer. Received: units={units!r}")
        self.units = units
        self.supports_masking = True

    def build(self, query_shape, values_shape, keys_shape=None):
        self._check_shapes(query_shape, values_shape)
        self.query_kernel = self.add_weight(
            name="query_kernel", shape=(query_shape[-1], self.units), initializer="glorot_uniform"
        )
        self.key_kernel = self.add_weight(
            name="key_kernel", shape=(values_shape[-1], self.units), initializer="glorot_uniform"
        )
        self.score_kernel = self.add_weight(
            name="score_kernel", shape=(self.units, 1), initializer="glorot_uniform"
        )

    def compute_output_spec(self, query, values, keys=None, values_mask=None, training=False):
        # A symbolic call goes by shapes alone and does not reach `call` and its checks.
        self._check_shapes(query.shape, values.shape)
        read_mask(values_mask, values, "values_mask")
        return super().compute_output_spec(query, values, keys)

    def project(self, values):
        """Return the keys h_i U_a of a sentence, shape `(batch, source_length, units)`."""
        return ops.matmul(values, ops.cast(self.key_kernel, self.compute_dtype))

    def call(self, query, values, keys=None, values_mask=None, training=False):
        self._check_shapes(query.shape, values.shape)
        mask = read_mask(values_mask, values, "values_mask")
        if keys is None:
            keys = self.project(values)
        projected = ops.matmul(query, ops.cast(self.query_kernel, self.compute_dtype))
        if len(query.shape) == 2:
            context, weights = self._attend(ops.expand_dims(projected, 1), values, keys, mask)
            return ops.squeeze(context, 1), ops.squeeze(weights, 1)
        return self._attend(projected, values, keys, mask)

    def _attend(self, query, values, keys, mask):
        """Compare projected queries, `(batch, target_length, units)`, with keys."""
        score_kernel = ops.cast(self.score_kernel, self.compute_dtype)
        hidden = ops.tanh(ops.expand_dims(query, 2) + ops.expand_dims(keys, 1))
        # Not a matmul: of rank 3 or 4 and in a loop, XLA cannot compile its gradient.
        scores = ops.sum(hidden * score_kernel[:, 0], axis=-1)  # (batch, target, source)
        weights = _masked_softmax(scores, mask)
        return ops.matmul(weights, values), weights

    def _check_shapes(self, query_shape, values_shape):
        if len(query_shape) not in (2, 3):
            raise ValueError(
                "`query` must have shape (batch, query_dim) or (batch, target_length, query_dim). "
                f"Received: query.shape={tuple(query_shape)}"
            )
        if len(values_shape) != 3:
            raise ValueError(
                "`values` must have shape (batch, source_length, value_dim). "
                f"Received: values.shape={tuple(values_shape)}"
            )
        if None not in (query_shape[0], values_shape[0]) and query_shape[0] != values_shape[0]:
            raise ValueError(
                "`query` and `values` must hold the same number of sentences. Received: "
                f"query.shape={tuple(query_shape)}, values.shape={tuple(values_shape)}"
            )

    def compute_mask(self, query, query_mask):
        return [query_mask if len(query.shape) == 3 else None, None]

    def compute_output_shape(self, query_shape, values_shape, keys_shape=None):
        leading = tuple(query_shape[:-1])
        return (*leading, values_shape[-1]), (*leading, values_shape[1])

    def get_config(self):
        return {**super().get_config(), "units": self.units}


def _masked_softmax(scores, mask):
    """Softmax over the last axis of `(batch, target_length, source_length)`, padding exactly 0."""
    if mask is None:
        return ops.softmax(scores, axis=-1)
    mask = ops.expand_dims(mask, 1)  # (batch, 1, source_length)
    lowest = -6e4  # far below any score, and still a float16
    weights = ops.softmax(ops.where(mask, scores, ops.cast(lowest, scores.dtype)), axis=-1)
    # In a row without any real position the softmax is uniform over padding: no weight at all.
    return ops.where(mask, weights, ops.zeros_like(weights))
