"""`CompiledSearch`: search a model's translations in one graph for all batches."""

import numpy as np
import tensorflow as tf

from kerasseq import views
from kerasseq.decoding import greedy_search

# One trace serves every batch size and length.
_IDS, _LENGTHS = tf.TensorSpec((None, None), tf.int32), tf.TensorSpec((None,), tf.int32)
_SHORTEST = 8


class CompiledSearch:
    """Search a model's translations of batches of source ids.

    XLA needs to know all shapes and compiles for seconds whenever one is new. Under it, rows and
    lengths are therefore padded to powers of two, which changes no translation.

    Args:
        model: A model of `build_seq2seq` or `build_attention_seq2seq`. Its weights are shared.
        jit_compile: Whether XLA compiles the search.

    Call arguments:
        source: Integer array `(batch, source_length)`, 0 = padding.
        max_length: Integer array `(batch,)`, the most tokens of each translation.

    Returns:
        A `kerasseq.decoding.Decoded` of arrays, cut to the given shapes.
    """

    def __init__(self, model, jit_compile=False):
        self.jit_compile = jit_compile
        self._encoder, self._step = views.encoder_view(model), views.step_view(model)
        self._has_attention = "values" in self._encoder.output
        signature = None if jit_compile else [_IDS, _LENGTHS]
        self._search = tf.function(
            self._search_batch, signature, jit_compile=jit_compile, autograph=False
        )

    def __call__(self, source, max_length):
        if not self.jit_compile:
            return self._search(source, max_length)
        rows, length = source.shape
        longest = max(max_length)
        new_rows, new_length = _power_of_two(rows), _power_of_two(max(length, _SHORTEST))
        source = np.pad(source, [(0, new_rows - rows), (0, new_length - length)])
        max_length = np.pad(max_length, (0, new_rows - rows))
        # Mostly the same for all that are padded to one length.
        steps = _power_of_two(max(longest, 4 * new_length))
        tokens, scores, weights = self._search(source, max_length, steps)
        return tokens[:rows, :longest], scores[:rows], weights[:rows, :longest, :length]

    @property
    def traces(self):
        """How often the search was traced, and under XLA compiled."""
        return self._search.experimental_get_tracing_count()

    def _search_batch(self, source, max_length, steps=None):
        def step(tokens, states):
            decoded = self._step({"token": tokens[:, None], **states})
            weights = decoded.get("attention_weights", tf.zeros((tf.shape(tokens)[0], 0)))
            return decoded["logits"], {**states, "states": decoded["states"]}, weights

        source_length = tf.shape(source)[1] if self._has_attention else 0
        return greedy_search(step, self._encoder(source), source_length, max_length, steps)


def _power_of_two(number):
    """Return the least power of two that is not below `number`."""
    return 1 << (int(number) - 1).bit_length()
