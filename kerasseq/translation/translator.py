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

_LONGEST = 10_000  # tokens of a translation


class Translator:
    """A trained model with the text processors of its two languages.

    Args:
        model: A model of `build_seq2seq` or `build_attention_seq2seq`. The translator shares the
            weights with the model: it always uses the present weights, in the middle of training
            and after LoRA or quantization.
        source_text, target_text: The adapted `TextProcessor` of each side.
        jit_compile: Whether XLA compiles the search, which pays for many texts. `translate` is
            faster then, but each new shape takes seconds to compile; the shapes are powers of two.

    Raises:
        ValueError: If the model comes from other builders, or a vocabulary does not fit the model.

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

    def __reduce__(self):  # a copy makes graphs of its own: graphs cannot be copied
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
        """Translate texts by greedy search or beam search.

        A translation does not depend on the other texts. The translation of a blank text is "".

        Args:
            texts: A list of str, or one str.
            beam_width: 1 chooses the most likely next token at every step (greedy search). A larger
                number keeps this number of hypotheses, see `kerasseq.decoding.beam_search`.
            length_penalty: Not negative. Larger values favor longer hypotheses of the beam.
            n_best: Number of translations of each text, at most `beam_width`.
            max_length: Largest number of tokens of a translation, at most 10,000. Default: twice
                the number of source tokens plus ten, at most 2,000.
            replace_unknown: Whether the search may choose [UNK]. Each [UNK] is then replaced by the
                source word with the largest attention weight, which carries over names and numbers
                (Luong et al. 2015). Otherwise the search chooses the next best word.
            batch_size: Number of texts to translate at once. Long texts come in smaller batches,
                see `kerasseq.data.buckets.rows_that_fit`.
            verbose: Whether to show progress on standard error.
            keep_attention: Whether to return attention, an array `(target_length, source_length)`
                per translation. If False, `attention_weights` is None and memory is saved.

        Returns:
            List of `Translation`, one per text, in the order of the texts. With `n_best` above 1: a
            list of lists, each with up to `n_best` translations of a text, best first. No two
            translations of a text have the same tokens; different subwords may spell the same text.

        Raises:
            ValueError: If a text is not a str, a number is not a positive integer, or
                `replace_unknown` is True for a model without attention.
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
        hypotheses = [finite_hypotheses(*result) for result in results]  # for each text a list
        # One flat list, so that the target text is decoded once; regrouped by text below.
        translations = make_translations(
            [hypothesis for best in hypotheses for hypothesis in best],
            [tokens for tokens, best in zip(source_tokens, hypotheses, strict=True) for _ in best],
            self.target_text,
        )
        if not keep_attention:
            translations = [
                translation._replace(attention_weights=None) for translation in translations
            ]
        if n_best == 1:
            return translations
        translations = iter(translations)
        return [[next(translations) for _ in best] for best in hypotheses]

    def _check_search(self, beam_width, length_penalty, n_best, replace_unknown):
        """Return the settings of a search; raise ValueError if a setting does not fit."""
        check_beam(beam_width, length_penalty, n_best)
        if check_boolean("replace_unknown", replace_unknown) and not self.has_attention:
            raise ValueError(
                "`replace_unknown` needs a model with attention: attention says which source word "
                "replaces [UNK]. Received: replace_unknown=True for a model without attention, "
                f"{self.model.name!r}"
            )
        return beam_width, length_penalty, n_best, replace_unknown

    def align(self, source_texts, target_texts, batch_size=64):
        """Return the attention and the score of given translations (forced decoding).

        Args:
            source_texts, target_texts: Lists of str of the same length.
            batch_size: Number of pairs to compute at once.

        Returns:
            List of `Translation`, one per pair, with the text and the tokens of the given target.

        Raises:
            ValueError: If a text is not a str, the lists differ in length, or `batch_size` is not a
                positive integer.
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
        """Return translations whose tokens are words, for a model of subwords or characters.

        The weight of a source token is split among the words in the token. The weights of a target
        word are the mean of the weights of its tokens. Both count by bytes.

        Args:
            translations: List of `Translation` of this translator, from `translate` or `align`.

        Returns:
            List of `Translation`. `tokens` and `source_tokens` are words as a `TextProcessor` of
            level "word" makes them; `attention_weights` are the weights between these words.
        """
        texts = self.source_text, self.target_text
        return [in_words(translation, *texts) for translation in translations]

    def save(self, file):
        """Write model, text processors and settings into one file, whole or not at all.

        Args:
            file: Path of the file. An existing file is replaced.

        Raises:
            FileNotFoundError: If the folder does not exist.
            ValueError: If `file` is not a path, or is the path of a folder.
        """
        write_translator(file, self.model, self.source_text, self.target_text)

    def export(self, folder, beam_width=5, length_penalty=1.0):
        """Write a SavedModel that translates strings with TensorFlow alone, without kerasseq.

        Keep the loaded object as long as you call its functions:

            loaded = tf.saved_model.load(folder)
            results = loaded.greedy(tf.constant(["a b"]))
            print(results["texts"].numpy()[0].decode())

        - `greedy(texts)` and `beam(texts)` take strings of shape `(batch,)`, any number of them.
        - They return a dict of `texts` `(batch,)`, `tokens` `(batch, steps)`, `source_tokens`
          `(batch, source_length)`, `scores` `(batch,)` and `attention_weights`
          `(batch, steps, source_length)`, with the same values as `translate`. The tokens are
          padded with "".

        At level "subword" SentencePiece cuts the source in Python, and a SavedModel holds no
        Python. `greedy` and `beam` then take the result of `source_text.encode(texts)`, int32 ids
        `(batch, length)`.

        Args:
            folder: Folder to write. Its contents are replaced.
            beam_width, length_penalty: The settings of `beam`.

        Raises:
            ValueError: If an argument does not fit.
        """
        self._check_search(beam_width, length_penalty, 1, False)
        folder = check_folder("folder", check_path("folder", folder))
        export(self, folder, beam_width, length_penalty)

    @classmethod
    def load(cls, file, jit_compile=False):
        """Read a file of `save`. Nothing in the file is executed.

        Args:
            file: Path of the file.
            jit_compile: As in the constructor.

        Returns:
            A `Translator`.

        Raises:
            FileNotFoundError: If the file does not exist.
            ValueError: If the file is not the file of a translator, or comes from a later release.
        """
        return cls(*read_translator(file), jit_compile)


def _as_list(name, texts):
    return check_texts(name, [texts] if isinstance(texts, str | bytes) else texts)
