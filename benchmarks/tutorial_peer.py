"""The network of TensorFlow's tutorial "Neural machine translation with attention", in Keras 3.

https://www.tensorflow.org/text/tutorials/nmt_with_attention: a bidirectional GRU whose directions
are added up, a GRU decoder, cross-attention of one head with a residual connection and layer
normalization behind it, and logits; a cross-entropy that leaves out padding. The attention stands
behind the decoder's loop, not in it, so all its steps are computed at once: less work than ours.
"""

import keras
from keras import layers, ops


def build(source_vocab_size, target_vocab_size, embedding_dim, units):
    """Return the model, with the inputs and the output of `kerasseq.build_attention_seq2seq`."""
    source = keras.Input((None,), dtype="int32", name="source")
    target_in = keras.Input((None,), dtype="int32", name="target_in")
    embedded = layers.Embedding(source_vocab_size, embedding_dim, mask_zero=True)(source)
    one_way = layers.GRU(units, return_sequences=True)
    values = layers.Bidirectional(one_way, merge_mode="sum")(embedded)
    embedded = layers.Embedding(target_vocab_size, embedding_dim, mask_zero=True)(target_in)
    states = layers.GRU(units, return_sequences=True)(embedded)
    found = layers.MultiHeadAttention(num_heads=1, key_dim=units)(query=states, value=values)
    states = layers.LayerNormalization()(layers.Add()([states, found]))
    return keras.Model(
        {"source": source, "target_in": target_in}, layers.Dense(target_vocab_size)(states)
    )


def masked_loss(target_out, logits):
    """Return the mean cross-entropy of the real tokens."""
    loss = keras.losses.sparse_categorical_crossentropy(target_out, logits, from_logits=True)
    mask = ops.cast(target_out != 0, loss.dtype)
    return ops.sum(loss * mask) / ops.sum(mask)
