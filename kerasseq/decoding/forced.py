"""Forced decoding: feed a given target to the decoder, and return its score and attention."""

import tensorflow as tf

from kerasseq.models.views import forced_view
from kerasseq.text.control_tokens import PADDING

_IDS = tf.TensorSpec((None, None), tf.int32)


def make_forced_scoring(model):
    """Return a function that scores given targets in one graph for all batches.

    Args:
        model: A model of `build_seq2seq` or `build_attention_seq2seq`. Its weights are shared.

    Returns:
        A function `(source, target) -> (ids, scores, attention_weights)`. Source and target are
        int32 ids `(batch, length)` from [START] to [END]. The results are the target without
        [START], `(batch, steps)`; the sum of the log-probabilities of its ids, `(batch,)`; and
        `(batch, steps, source_length)`.
    """
    view = forced_view(model)

    def score(source, target):
        forced = view({"source": source, "target_in": target[:, :-1]})
        target = target[:, 1:]  # each step predicts the next token
        log_probs = tf.nn.log_softmax(tf.cast(forced["logits"], tf.float32))
        chosen = tf.gather(log_probs, target, batch_dims=2)  # (batch, steps)
        scores = tf.reduce_sum(tf.where(target == PADDING, 0.0, chosen), axis=1)
        no_weights = tf.zeros((tf.shape(target)[0], 0, 0))
        return target, scores, forced.get("attention_weights", no_weights)

    return tf.function(score, [_IDS, _IDS], autograph=False)
