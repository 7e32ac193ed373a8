"""`Translator`: text in, text and attention out; saved in one file."""

from kerasseq.checks import (
    check_boolean,
    check_folder,
    check_path,
    check_positive_integer,
    check_texts,
)
from kerasseq.decoding.compiled import CompiledSearch, length_limits
from kerasseq.decoding.forced import make_forced_scoring
from kerasseq.decoding.result import Hypothesis, check_beam, finite_hypotheses
from kerasseq.models.model_cache import ModelCache
from kerasseq.translation.batching import (
    check_text_processors,
    encode_rows,
    pad,
    run_in_batches,
)
from kerasseq.translation.file import read_translator, write_translator
from kerasseq.translation.result import attach_attention, make_translations
from kerasseq.translation.saved_model import export
from kerasseq.translation.word_attention import in_words

_LONGEST = 10_000  # tokens: the attention of each is kept


class Translator:
    """A trained model with the text processors of its two languages.

    Args:
        model: A model of `build_seq2seq` or `build_attention_seq2seq`. Its weights are shared, not
            copied: the translator always speaks for its present state, in the middle of training
            and after LoRA or quantization.
        source_text, target_text: The adapted `TextProcessor` of each side.
        jit_compile: Whether XLA compiles the search. Then `translate` is faster, but the first
            batches take seconds more, up to once for every power of two of texts and of lengths:
            for many texts.

    Raises:
        ValueError: If the model was not built here, or a vocabulary does not fit it.

    Example:
        >>> source = TextProcessor().adapt(["a b"])
        >>> target = TextProcessor().adapt(["c d"])
        >>> model = build_attention_seq2seq(6, 6, embedding_dim=4, units=4)
        >>> [translation] = Translator(model, source, target).translate(["b a"])
        >>> translation.source_tokens
        ['[START]', 'b', 'a', '[END]']
    """

    def __init__(self, model, source_text, target_text, jit_compile=False):
        self.model = model
        self.source_text = source_text
        self.target_text = target_text
        self._search = CompiledSearch(model, check_boolean("jit_compile", jit_compile))
        check_text_processors(model, source_text, target_text)
        self.has_attention = hasattr(model.get_layer("decoder"), "attention")
        self._force = ModelCache(model, make_forced_scoring)

    def __reduce__(self):  # its graphs cannot be copied, and are made again
        state = self.model, self.source_text, self.target_text, self._search.jit_compile
        return type(self), state

    def translate(
        self,
        texts,
        beam_width=1,
        length_penalty=0.0,
        n_best=1,
        max_length=None,
        replace_unknown=False,
        batch_size=64,
        verbose=False,
        keep_attention=True,
    ):
        """Translate texts, by greedy search or with a beam.

        A translation does not depend on the other texts of its batch; that of a blank text is "".

        Args:
            texts: A list of str, or one str.
            beam_width: 1 takes the likeliest next token, again and again; more keeps so many
                hypotheses of each sentence, as `kerasseq.decoding.beam_search` does.
            length_penalty: Not negative; the larger, the better for long hypotheses of the beam.
            n_best: How many translations of each text, at most `beam_width`.
            max_length: Most tokens of a translation, at most 10,000. Default: twice those of its
                source, plus ten, but no more than 2,000.
            replace_unknown: Whether to write [UNK] where it is likeliest, and to put in its place
                the source word that got most attention: names and numbers arrive that way (Luong et
                al. 2015). Without, another word is written.
            batch_size: How many texts to translate at once, fewer if they are long: no more tokens
                of sources and longest translations than 512 times as many.
            verbose: Whether to show on standard error how many are done.
            keep_attention: Whether to return attention, an array of target by source length for
                each translation; without it `attention_weights` is None.

        Returns:
            List of `Translation`, one per text, in their order. With `n_best` above 1 a list of
            such lists, best first, which are shorter where the search found fewer. No two have the
            same tokens; of subwords, different ones may spell the same text.

        Raises:
            ValueError: If something is not a str, a number not a positive integer, or a model
                without attention is to replace what is unknown.
        """
        if max_length is not None:
            max_length = check_positive_integer("max_length", max_length)
            if max_length > _LONGEST:
                expected = f"`max_length` must be at most {_LONGEST:,}."
                raise ValueError(f"{expected} Received: max_length={max_length}")
        batch_size = check_positive_integer("batch_size", batch_size)
        settings = self._check_search(beam_width, length_penalty, n_best, replace_unknown)
        keep_attention = check_boolean("keep_attention", keep_attention)
        texts = _as_list("texts", texts)
        check_text_processors(self.model, self.source_text, self.target_text)
        sources, source_tokens = encode_rows(self.source_text, texts)
        counts = [len(tokens) - 2 for tokens in source_tokens]  # without [START] and [END]
        limits = length_limits(texts, counts, max_length).numpy()

        def search(sources, rows):
            return self._search(sources, limits[rows], *settings, keep_attention or replace_unknown)

        sizes = [len(source) + limit for source, limit in zip(sources, limits, strict=True)]
        results = run_in_batches(search, sources, batch_size, verbose, sizes)
        found = [finite_hypotheses(*result) for result in results]  # for each text a list
        translations = make_translations(
            [one for best in found for one in best],
            [tokens for tokens, best in zip(source_tokens, found, strict=True) for _ in best],
            self.target_text,
        )
        if not keep_attention:
            translations = [one._replace(attention_weights=None) for one in translations]
        if n_best == 1:
            return translations
        translations = iter(translations)
        return [[next(translations) for _ in best] for best in found]

    def _check_search(self, beam_width, length_penalty, n_best, replace_unknown):
        """Return the settings of a search if they fit."""
        check_beam(beam_width, length_penalty, n_best)
        if check_boolean("replace_unknown", replace_unknown) and not self.has_attention:
            raise ValueError(
                "Only attention tells which word to put in the place of an unknown one. "
                f"Received: replace_unknown=True for a model without attention, {self.model.name!r}"
            )
        return beam_width, length_penalty, n_best, replace_unknown

    def align(self, source_texts, target_texts, batch_size=64):
        """Return the attention and the score under given translations instead of the model's own.

        Args:
            source_texts, target_texts: Lists of str of the same length.
            batch_size: How many pairs to take at once.

        Returns:
            List of `Translation`; `text` and `tokens` are those of the given target.

        Raises:
            ValueError: If something is not a str, the lists differ in length, or `batch_size` is
                not a positive integer.
        """
        batch_size = check_positive_integer("batch_size", batch_size)
        source_texts = _as_list("source_texts", source_texts)
        target_texts = _as_list("target_texts", target_texts)
        if len(source_texts) != len(target_texts):
            raise ValueError(
                "Every source needs one target. Received: "
                f"len(source_texts)={len(source_texts)}, len(target_texts)={len(target_texts)}"
            )
        check_text_processors(self.model, self.source_text, self.target_text)
        sources, source_tokens = encode_rows(self.source_text, source_texts)
        targets, target_tokens = encode_rows(self.target_text, target_texts)
        sizes = [len(source) + len(target) for source, target in zip(sources, targets, strict=True)]

        def force(sources, rows):
            return self._force()(sources, pad([targets[row] for row in rows]))

        results = run_in_batches(force, sources, batch_size, sizes=sizes)
        target_tokens = [tokens[1:-1] for tokens in target_tokens]
        hypotheses = [Hypothesis(*result) for result in results]
        return attach_attention(target_texts, target_tokens, source_tokens, hypotheses)

    def in_words(self, translations):
        """Return translations whose tokens are words, whatever those of the model are.

        What a token looks at is split among the words that stand in it, and a word looks where its
        tokens look on average; both in proportion to their bytes.

        Args:
            translations: List of `Translation` of this translator, from `translate` or `align`.

        Returns:
            List of `Translation`: `tokens` and `source_tokens` are those of a `TextProcessor` at
            word level, `attention_weights` lies between them.
        """
        return [in_words(one, self.source_text, self.target_text) for one in translations]

    def save(self, file):
        """Write model, text processors and settings into one file, whole or not at all.

        Args:
            file: Path of the file; an existing one is replaced.

        Raises:
            FileNotFoundError: If the folder does not exist.
            ValueError: If `file` is no path, or that of a folder.
        """
        write_translator(file, self.model, self.source_text, self.target_text)

    def export(self, folder, beam_width=5, length_penalty=1.0):
        """Write a SavedModel that translates strings where there is TensorFlow and no kerasseq.

        Keep what `tf.saved_model.load` returns as long as its functions are called:

            loaded = tf.saved_model.load(folder)
            found = loaded.greedy(tf.constant(["a b"]))
            print(found["texts"].numpy()[0].decode())

        - `greedy(texts)` and `beam(texts)` take strings of shape `(batch,)`, any number of them.
        - They return a dict of `texts` `(batch,)`, `tokens` `(batch, steps)` and `source_tokens`
          `(batch, source_length)`, which end in "", `scores` `(batch,)`, and `attention_weights`
          `(batch, steps, source_length)`, as `translate` has them.

        At level "subword" SentencePiece cuts the source in Python, and a SavedModel holds none. Its
        functions then take what `source_text.encode(texts)` gives, int32 ids `(batch, length)`.

        Args:
            folder: Where to write. What is there is replaced.
            beam_width, length_penalty: The settings of `beam`.

        Raises:
            ValueError: If an argument does not fit.
        """
        self._check_search(beam_width, length_penalty, 1, False)
        folder = check_folder("folder", check_path("folder", folder))
        export(self, folder, beam_width, length_penalty)

    @classmethod
    def load(cls, file, jit_compile=False):
        """Read what `save` wrote. Nothing in the file is executed.

        Args:
            file: Path of the file.
            jit_compile: As above.

        Returns:
            A `Translator`.

        Raises:
            FileNotFoundError: If there is no such file.
            ValueError: If the file is not a translator's, or its format is of a later release.
        """
        return cls(*read_translator(file), jit_compile)


def _as_list(name, texts):
    return check_texts(name, [texts] if isinstance(texts, str | bytes) else texts)
