"""Watch attention find the words: a heat map for each sentence and epoch."""

import numpy as np

from kerasseq.callbacks.base import TranslationCallback, attention_of, check_sentences
from kerasseq.checks import check_links, check_texts
from kerasseq.plotting import figure_to_array, plot_attention
from kerasseq.plotting.fonts import fit_fonts


class AttentionMaps(TranslationCallback):
    """Draws the attention of a few sentences as heat maps, and logs how spread out it is.

    With `target_texts` the model is led along the given target, so that the axes are the same at
    each epoch and only the weights move. Without, the map is that of the model's own translation;
    an empty one leaves a gray row.

    Writes images `attention/0`, `attention/1`, … and the scalar `attention_entropy`: the mean, over
    all rows (target tokens) of all these maps, of

        H_t = − Σ_i α_{t,i} log α_{t,i}        in nats, i over the whole source with [START], [END]

    It is 0 when each target word looks at one source word, and log(source length) when it looks
    everywhere alike. It is not written when no map has a row.

    Args:
        translator: A `kerasseq.Translator` around the model being trained, or one that shares its
            weights.
        source_texts: List of str, a handful: each becomes a picture.
        target_texts: List of str of the same length, or None.
        log_dir: Folder of the run, as given to `keras.callbacks.TensorBoard`.
        every: Draw after epochs 0, every, 2·every, …
        gold: True alignments to outline, or None: for each sentence an integer array of shape
            `(links, 2)` of (source_index, target_index), counted without control tokens. Needs
            `target_texts`.
        font: Family name or file of a font for the words, or None to search one.

    Raises:
        ValueError: If the lists do not fit; when training begins, if `log_dir` cannot be written or
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
            self.source_texts, self.target_texts = (
                check_sentences(source_texts, source_texts)[0],
                None,
            )
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
            self.gold = [check_links(f"gold[{i}]", one, None, None) for i, one in enumerate(gold)]
        if font is not None:
            fit_fonts([], font)  # refuses an unknown font now, not after an epoch
        self.font = font

    def on_train_begin(self, logs=None):
        super().on_train_begin(logs)
        attention_of(self._translations())  # rather now than after an epoch of training

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
    return np.reshape(links, (-1, 2)).astype("int64") + np.array([1, 0])


def _mean_entropy(weights):
    rows = [row[row > 0] for matrix in weights for row in np.asarray(matrix, "float64")]
    return float(np.mean([-(row * np.log(row)).sum() for row in rows]))
