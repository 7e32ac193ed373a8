"""`BahdanauAttention`: the additive attention of Bahdanau, Cho & Bengio (2015)."""

import keras
from keras import ops

from kerasseq.checks import check_positive_integer, check_shape, check_tensor
from kerasseq.masks import masked_softmax, read_mask, zero_padding

_QUERY = "batch query_dim", "batch target_length query_dim"
_VALUES = "batch source_length value_dim"


@keras.saving.register_keras_serializable(package="kerasseq")
class BahdanauAttention(keras.layers.Layer):
    """Additive attention, section 3.4.3 of the chapter.

    The query is the previous state s_{t−1} of the decoder. A small network scores each encoder
    state h_i against the query. The softmax of the scores gives the weights, and the context is the
    weighted mean of the encoder states.

        e_{t,i} = v_a · tanh(s_{t−1} W_a + h_i U_a)       scores                  (3.4.3, step 1)
        α_{t,i} = exp(e_{t,i}) / Σ_j exp(e_{t,j})         attention weights       (step 2)
        c_t     = Σ_i α_{t,i} h_i                         context                 (step 3)

    W_a is `query_kernel`, U_a `key_kernel`, v_a `score_kernel`. The keys h_i U_a are the same for
    every t: compute them once per sentence with `project`, and pass them as `keys`.

    Args:
        units: Positive integer, the width of the hidden layer of the small network.
        **kwargs: `name`, `dtype` and so on of `keras.layers.Layer`.

    Call arguments:
        query: s_{t−1}, shape `(batch, query_dim)`, or several queries per sentence,
            `(batch, target_length, query_dim)`.
        values: h, shape `(batch, source_length, value_dim)`.
        keys: `project(values)`, shape `(batch, source_length, units)`. Computed here if None.
        values_mask: Shape `(batch, source_length)`; True, 1 or the id of a real token marks a real
            position. Keras fills in the mask of `values`. Arithmetic such as `+` between encoder
            and attention loses the mask of Keras: pass `values_mask` yourself then.

    Returns:
        `(context, attention_weights)`, always both: `(batch, value_dim)` and
        `(batch, source_length)`, with `target_length` as second axis for a 3-D query. The weights
        of one query sum to 1.

    Masking: padding has weight exactly 0. A sentence of padding alone has zero weights and a zero
    context. The mask of a 3-D query goes on with the context.

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
        # Keras infers the shapes of a symbolic call without `call`, so the checks stand here, too.
        self._read(query, values, keys, values_mask)
        return super().compute_output_spec(query, values, keys)

    def project(self, values):
        """Return the keys h_i U_a of a sentence, shape `(batch, source_length, units)`."""
        return ops.matmul(values, ops.cast(self.key_kernel, self.compute_dtype))

    def call(self, query, values, keys=None, values_mask=None, training=False):
        mask = self._read(query, values, keys, values_mask)
        # Padding has weight 0, but 0 · NaN is NaN, in the context and in the gradients.
        values = zero_padding(values, mask)
        keys = zero_padding(self.project(values) if keys is None else keys, mask)
        return self.attend(query, values, keys, mask)

    def attend(self, query, values, keys, mask):
        """Return context and weights as `call` does; padding of values and keys must be zero."""
        projected = ops.matmul(query, ops.cast(self.query_kernel, self.compute_dtype))  # s W_a
        if len(query.shape) == 2:  # one query per sentence
            context, weights = self._compare(ops.expand_dims(projected, 1), values, keys, mask)
            return ops.squeeze(context, 1), ops.squeeze(weights, 1)
        return self._compare(projected, values, keys, mask)

    def _compare(self, projected, values, keys, mask):
        """Compare projected queries, `(batch, target_length, units)`, with all keys."""
        score_kernel = ops.cast(self.score_kernel, self.compute_dtype)
        # Every query meets every key: (batch, target_length, source_length, units).
        hidden = ops.tanh(ops.expand_dims(projected, 2) + ops.expand_dims(keys, 1))
        # hidden · v_a as a sum: XLA cannot compile the gradient of such a matmul in a loop.
        scores = ops.sum(hidden * score_kernel[:, 0], axis=-1)
        # (batch, target_length, source_length)
        weights = masked_softmax(scores, None if mask is None else ops.expand_dims(mask, 1))
        context = ops.matmul(weights, values)  # (batch, target_length, value_dim)
        return context, weights

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
