"""`AttentionMaps`: heat maps of attention, for each sentence and epoch."""

import numpy as np

from kerasseq.callbacks.base import TranslationCallback, attention_of, check_sentences
from kerasseq.checks import check_links, check_texts
from kerasseq.plotting import figure_to_array, plot_attention
from kerasseq.plotting.fonts import fit_fonts


class AttentionMaps(TranslationCallback):
    """Draw the attention of a few sentences as heat maps, and log its entropy.

    With `target_texts` the decoder reads the given targets (forced decoding): the words at the axes
    stay the same in all epochs, and only the weights change. Without `target_texts` each map shows
    the model's own translation; an empty translation leaves a gray row.

    The callback writes the images `attention/0`, `attention/1`, … and the scalar
    `attention_entropy`, the mean over the rows (target tokens) of all maps of

        H_t = − Σ_i α_{t,i} log α_{t,i}        in nats; i runs over [START], the source and [END]

    The entropy is 0 if every target token attends to one source token, and log(source length) if
    all weights are equal. Without any row, nothing is written.

    Args:
        translator: A `kerasseq.Translator` of the model in training, or of a model that shares its
            weights.
        source_texts: List of str, a few sentences; each becomes an image.
        target_texts: List of str of the same length, or None.
        log_dir: Folder of the run, as for `keras.callbacks.TensorBoard`.
        every: Draw after epochs 0, every, 2·every, …
        gold: True alignments to outline, or None. For each sentence an integer array of shape
            `(links, 2)` of (source_index, target_index), counted without control tokens. Needs
            `target_texts`.
        font: Family name or file of a font for the words. None chooses an installed font.

    Raises:
        ValueError: If the lists do not fit. When training begins: if `log_dir` cannot be written or
            the model has no attention.

    Example:
        >>> maps = AttentionMaps(translator, ["the cat"], ["le chat"])
        >>> history = model.fit(batches, epochs=2, callbacks=[maps], verbose=0)
    """

    needs_attention = True

    def __init__(
        self,
        translator,
        source_texts,
        target_texts=None,
        log_dir="logs",
        every=1,
        gold=None,
        font=None,
    ):
        super().__init__(translator, log_dir, every)
        if target_texts is None:
            source_texts = check_texts("source_texts", source_texts)
            self.source_texts, _ = check_sentences(source_texts, source_texts)
            self.target_texts = None
        else:
            self.source_texts, self.target_texts = check_sentences(source_texts, target_texts)
        misfit = not hasattr(gold, "__len__") or len(gold) != len(self.source_texts)
        if gold is not None and (target_texts is None or misfit):
            raise ValueError(
                "`gold` must hold one alignment for each of the `target_texts`. "
                f"Received: gold={gold!r}, target_texts={target_texts!r}"
            )
        self.gold = [None] * len(self.source_texts)
        if gold is not None:
            self.gold = [
                check_links(f"gold[{index}]", links, None, None) for index, links in enumerate(gold)
            ]
        if font is not None:
            fit_fonts([], font)  # an unknown font fails now, not after an epoch
        self.font = font

    def on_train_begin(self, logs=None):
        super().on_train_begin(logs)
        attention_of(self._translations())  # fails now, not after an epoch, without attention

    def record(self, epoch, logs):
        translations = self._translations()
        weights = attention_of(translations)
        for index, (translation, gold) in enumerate(zip(translations, self.gold, strict=True)):
            figure = plot_attention(
                translation.attention_weights,
                translation.source_tokens,
                translation.tokens,
                font=self.font,
                gold=None if gold is None else _count_start_token(gold),
            )
            self.write("image", f"attention/{index}", figure_to_array(figure)[None], epoch)
        if any(len(matrix) for matrix in weights):
            self.write("scalar", "attention_entropy", _mean_entropy(weights), epoch)

    def _translations(self):
        if self.target_texts is None:
            translations = self.translator.translate(self.source_texts)
        else:
            translations = self.translator.align(self.source_texts, self.target_texts)
        return self.translator.in_words(translations)


def _count_start_token(links):
    """Return links whose source indices count [START], too, as the maps show it."""
    return np.reshape(links, (-1, 2)).astype("int64") + np.array([1, 0])


def _mean_entropy(weights):
    # 0 log 0 is 0: the sum runs over the positive weights.
    rows = [row[row > 0] for matrix in weights for row in np.asarray(matrix, "float64")]
    return float(np.mean([-(row * np.log(row)).sum() for row in rows]))
