"""A translator as a SavedModel: strings in, strings out, in a process without kerasseq."""

from pathlib import Path

import keras
import tensorflow as tf

from kerasseq import bptt
from kerasseq.decoding.compiled import CompiledSearch, length_limits
from kerasseq.text.control_tokens import END, PADDING

_TEXTS = tf.TensorSpec((None,), tf.string, name="texts")
_IDS = tf.TensorSpec((None, None), tf.int32, name="source")


def export(translator, folder, beam_width=5, length_penalty=1.0):
    """Write a SavedModel with the endpoints `greedy` and `beam`; see `Translator.export`."""
    archive = keras.export.ExportArchive()
    archive.track(translator.model)
    for text in (translator.source_text, translator.target_text):
        archive.track(text)
    in_python = translator.source_text.level == "subword"
    # A SavedModel cannot hold gradients that are written out, and TensorFlow would warn.
    with bptt.enabled(False):
        for name, settings in (("greedy", (1, 0.0)), ("beam", (beam_width, length_penalty))):
            run = _endpoint(translator, settings, from_ids=in_python)
            archive.add_endpoint(name, run, input_signature=[_IDS if in_python else _TEXTS])
        archive.write_out(str(Path(folder)), verbose=False)


def _endpoint(translator, settings, from_ids):
    """Return a function from texts, or from ids, to the dict of `Translator.export`."""
    search = CompiledSearch(translator.model)
    source_text, target_text = translator.source_text, translator.target_text

    def run(source, source_tokens, texts):
        lengths = tf.math.count_nonzero(source, axis=1, dtype=tf.int32)
        limits = length_limits(texts, lengths - 2)  # without [START] and [END]
        # The best hypothesis of each text: (batch, steps), (batch,), (batch, steps, source_length).
        tokens, scores, weights = (part[:, 0] for part in search(source, limits, *settings))
        kept = tf.cast((tokens != END) & (tokens != PADDING), tf.float32)
        return {
            "texts": target_text.decode_tensor(tokens),
            "tokens": _tokens(target_text, tf.where(tokens == END, PADDING, tokens)),
            "source_tokens": source_tokens,
            "scores": scores,
            "attention_weights": weights * kept[:, :, None],
        }

    # A batch without texts would have tensors without rows. So both functions append a blank row,
    # and drop the row of its results.
    def translate_texts(texts):
        texts = tf.concat([texts, [""]], axis=0)
        ids, source_tokens = source_text.encode_with_tokens(texts)
        return _all_but_last(run(ids.to_tensor(), source_tokens.to_tensor(""), texts))

    def translate_ids(source):
        source = tf.pad(source, [(0, 1), (0, 1)])  # without texts the ids have no columns, either
        texts = source_text.decode_tensor(source)
        return _all_but_last(run(source, _tokens(source_text, source), texts))

    return translate_ids if from_ids else translate_texts


def _all_but_last(results):
    return {name: tensor[:-1] for name, tensor in results.items()}


def _tokens(text, ids):
    """Return the tokens of ids as strings, "" for padding."""
    with tf.init_scope():  # the vocabulary is read outside the graph
        vocabulary = ["", *text.readable_vocabulary[1:]]
    return tf.gather(tf.constant(vocabulary), ids)
