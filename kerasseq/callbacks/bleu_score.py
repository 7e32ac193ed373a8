"""`BleuScore`: BLEU after each epoch, also for EarlyStopping and ModelCheckpoint."""

from kerasseq.callbacks.base import TranslationCallback, check_sentences
from kerasseq.metrics import bleu
from kerasseq.metrics.corpus import tokenizers


class BleuScore(TranslationCallback):
    """Translate held-out sentences and measure BLEU after each epoch.

    The callback puts `val_bleu` into `logs`, for History and for all later callbacks, and writes
    the scalar `bleu`. Larger is better: use `mode="max"`, since Keras cannot know.

    Epochs without a measurement have no `val_bleu`, as Keras' `val_loss` with `validation_freq`:
    EarlyStopping does not count such epochs (it warns once), and ModelCheckpoint saves no best
    model then.

    Args:
        translator: A `kerasseq.Translator` of the model in training, or of a model that shares its
            weights.
        source_texts: List of str.
        target_texts: List of str of the same length, the references.
        language: Code of the target language, as in `kerasseq.metrics.bleu`.
        log_dir: Folder of the run, as for `keras.callbacks.TensorBoard`. None writes nothing.
        every: Measure after epochs 0, every, 2·every, …

    Raises:
        ValueError: If the lists do not fit or the language is unknown. When training begins: if
            `log_dir` cannot be written.

    Example:
        >>> score = BleuScore(translator, sources, targets, language="fr")
        >>> stop = keras.callbacks.EarlyStopping("val_bleu", mode="max")
        >>> history = model.fit(batches, epochs=9, callbacks=[score, stop], verbose=0)
    """

    def __init__(
        self, translator, source_texts, target_texts, language=None, log_dir=None, every=1
    ):
        super().__init__(translator, log_dir, every)
        self.source_texts, self.target_texts = check_sentences(source_texts, target_texts)
        tokenizers(language)  # an unknown language fails now, not after an epoch
        self.language = language

    def record(self, epoch, logs):
        translations = self.translator.translate(self.source_texts, keep_attention=False)
        texts = [translation.text for translation in translations]
        logs["val_bleu"] = bleu(texts, self.target_texts, self.language).score
        self.write("scalar", "bleu", logs["val_bleu"], epoch)
