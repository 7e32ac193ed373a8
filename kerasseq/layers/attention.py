"""Additive attention of Bahdanau, Cho & Bengio (2015): where to look in the source."""

import keras
from keras import ops

from kerasseq.checks import check_positive_integer, check_shape, check_tensor
from kerasseq.masks import masked_softmax, read_mask, zero_padding

_QUERY = "batch query_dim", "batch target_length query_dim"
_VALUES = "batch source_length value_dim"


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
        values_mask: Shape `(batch, source_length)`; True, 1 or a real token's id = a real
            position. Keras fills it in from a masked `values`. A `+` between encoder and attention
            loses Keras' mask: pass it by hand there.

    Returns:
        `(context, attention_weights)`, always both: `(batch, value_dim)` and
        `(batch, source_length)`, with `target_length` as second axis for a 3-D query. A row of
        weights sums to 1.

    Masking: padding has weight exactly 0. A sentence that is all padding has zero weights and a
    zero context. A query's own mask travels on with the context.

    Raises:
        ValueError: If `units` is not a positive integer, or a shape, dtype or mask does not fit.

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
        self.units = check_positive_integer("units", units)
        self.supports_masking = True

    def build(self, query_shape=None, values_shape=None, keys_shape=None):
        sizes = {}
        check_shape("query", query_shape, *_QUERY, sizes=sizes)
        check_shape("values", values_shape, _VALUES, sizes=sizes)
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
        self._read(query, values, keys, values_mask)
        return super().compute_output_spec(query, values, keys)

    def project(self, values):
        """Return the keys h_i U_a of a sentence, shape `(batch, source_length, units)`."""
        return ops.matmul(values, ops.cast(self.key_kernel, self.compute_dtype))

    def call(self, query, values, keys=None, values_mask=None, training=False):
        mask = self._read(query, values, keys, values_mask)
        values = zero_padding(values, mask)  # 0 times NaN would be NaN, here and in the gradients
        keys = zero_padding(self.project(values) if keys is None else keys, mask)
        return self.look(query, values, keys, mask)

    def look(self, query, values, keys, mask):
        """Do what `call` does, with values and keys that are zero at padding."""
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
        weights = masked_softmax(scores, None if mask is None else ops.expand_dims(mask, 1))
        return ops.matmul(weights, values), weights

    def _read(self, query, values, keys, values_mask):
        """Check the arguments and return the mask as booleans."""
        sizes = {
            "query_dim": self.query_kernel.shape[0],
            "value_dim": self.key_kernel.shape[0],
            "units": self.units,
        }
        check_tensor("query", query, *_QUERY, sizes=sizes)
        check_tensor("values", values, _VALUES, sizes=sizes)
        if keys is not None:
            check_tensor("keys", keys, "batch source_length units", sizes=sizes)
        return read_mask(values_mask, values, "values_mask")

    def compute_mask(self, query, query_mask):
        return [query_mask if len(query.shape) == 3 else None, None]

    def compute_output_shape(self, query_shape, values_shape, keys_shape=None):
        leading = tuple(query_shape[:-1])
        return (*leading, values_shape[-1]), (*leading, values_shape[1])

    def get_config(self):
        return {**super().get_config(), "units": self.units}
