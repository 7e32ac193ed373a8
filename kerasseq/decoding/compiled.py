"""`CompiledSearch`: encoder, decoder and search of a model in one TensorFlow graph."""

import numpy as np
import tensorflow as tf

from kerasseq.decoding import beam_search, greedy_search
from kerasseq.models import views
from kerasseq.models.model_cache import ModelCache
from kerasseq.text.tensors import as_tensor

# One trace serves every batch size and length.
_IDS, _LENGTHS = tf.TensorSpec((None, None), tf.int32), tf.TensorSpec((None,), tf.int32)
_SHORTEST = 8
_LONGEST = 2_000  # tokens of a translation, unless `max_length` allows more
_BLANK = r"[\s\p{Z}\x0b\x1c-\x1f\x{85}]*"


class CompiledSearch:
    """Search for the translations of batches of source ids.

    XLA compiles for some seconds whenever a shape is new. With `jit_compile`, rows and lengths are
    therefore padded to powers of two, which changes no translation.

    Args:
        model: A model of `build_seq2seq` or `build_attention_seq2seq`. The search uses its weights.
        jit_compile: Whether XLA compiles the search.

    Call arguments:
        source: Integer array `(batch, source_length)`, 0 = padding.
        max_length: Integer array `(batch,)`, the largest number of tokens of each translation.
        beam_width: 1 for greedy search, larger for `kerasseq.decoding.beam_search`.
        length_penalty, n_best, allow_unknown, keep_attention: As in `beam_search`.

    Returns:
        `(tokens, scores, attention_weights)` in the shapes of `beam_search`, also for greedy
        search. The width is the length of the longest translation; with `jit_compile` the largest
        `max_length`.
    """

    def __init__(self, model, jit_compile=False):
        views.layers_of(model)  # raises ValueError for a model of other builders
        self.jit_compile = jit_compile
        self._update = ModelCache(model, self._make_views)
        self._update()

    def _make_views(self, model):
        self._encoder, self._step = views.encoder_view(model), views.step_view(model)
        self._has_attention = "values" in self._encoder.output
        self._searches = {}

    def __call__(
        self,
        source,
        max_length,
        beam_width=1,
        length_penalty=0.0,
        n_best=1,
        allow_unknown=False,
        keep_attention=True,
    ):
        search = self._search(beam_width, length_penalty, n_best, allow_unknown, keep_attention)
        if not self.jit_compile:
            return search(source, max_length)
        rows, length = source.shape
        longest = max(max_length)
        new_rows, new_length = _power_of_two(rows), _power_of_two(max(length, _SHORTEST))
        source = np.pad(source, [(0, new_rows - rows), (0, new_length - length)])
        max_length = np.pad(max_length, (0, new_rows - rows))
        # Round the width of the result, too, so that batches of one padded length share a trace.
        steps = _power_of_two(max(longest, 4 * new_length))
        tokens, scores, weights = search(source, max_length, steps)
        return tokens[:rows, :, :longest], scores[:rows], weights[:rows, :, :longest, :length]

    @property
    def traces(self):
        """Number of traces so far; with XLA each trace is compiled, too."""
        return sum(search.experimental_get_tracing_count() for search in self._searches.values())

    def _search(self, *settings):
        """Return the graph function of these settings; the first call makes the function."""
        self._update()  # new views if the model computes in another way than before
        beam_width, length_penalty, n_best, *choices = settings  # as the searches take them

        def step(tokens, states):
            decoded = self._step({"token": tokens[:, None], **states})
            weights = decoded.get("attention_weights", tf.zeros((tf.shape(tokens)[0], 0)))
            # A loop must keep the dtypes of its states; a layer with another dtype policy would
            # change them.
            states_after = tf.nest.map_structure(
                lambda after, before: tf.cast(after, before.dtype),
                decoded["states"],
                states["states"],
            )
            return decoded["logits"], {**states, "states": states_after}, weights

        def search(source, max_length, steps=None):
            source_length = tf.shape(source)[1] if self._has_attention else 0
            begin = step, self._encoder(source), source_length, max_length
            end = steps, *choices, steps is None  # XLA cannot trim
            if beam_width == 1:
                return [part[:, None] for part in greedy_search(*begin, *end)]
            return tuple(beam_search(*begin, beam_width, length_penalty, n_best, *end))

        if settings not in self._searches:
            signature = None if self.jit_compile else [_IDS, _LENGTHS]
            self._searches[settings] = tf.function(
                search, signature, jit_compile=self.jit_compile, autograph=False
            )
        return self._searches[settings]


def _power_of_two(number):
    """Return the smallest power of two that is at least `number`."""
    return 1 << (int(number) - 1).bit_length()


def length_limits(texts, counts, max_length=None):
    """Return the largest number of tokens of each translation; 0 for a blank text.

    Args:
        texts: Strings, shape `(batch,)`.
        counts: Numbers of source tokens, `(batch,)`.
        max_length: One limit for all texts. Default: twice the number of tokens plus ten, at most
            2,000.
    """
    counts = tf.convert_to_tensor(counts, tf.int32)
    blank = tf.strings.regex_full_match(as_tensor(texts), _BLANK)
    if max_length is None:
        limits = tf.minimum(2 * counts + 10, _LONGEST)
    else:
        limits = max_length * tf.ones_like(counts)
    return tf.where(blank | (counts == 0), 0, limits)
