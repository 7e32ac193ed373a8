"""BLEU after each epoch, where EarlyStopping and ModelCheckpoint can see it."""

from kerasseq.callbacks.base import TranslationCallback, check_sentences
from kerasseq.metrics import bleu
from kerasseq.metrics.corpus import tokenizers


class BleuScore(TranslationCallback):
    """Translates held-out sentences and measures BLEU.

    Puts `val_bleu` into `logs`, for History and for all callbacks that stand after this one, and
    writes the scalar `bleu`. Keras does not know that more is better: give `mode="max"`.

    Epochs between two measurements have no `val_bleu`, as Keras' `val_loss` with `validation_freq`:
    EarlyStopping does not count them (it warns once), and ModelCheckpoint saves no best model then.

    Args:
        translator: A `kerasseq.Translator` around the model being trained, or one that shares its
            weights.
        source_texts: List of str.
        target_texts: List of str of the same length, the references.
        language: Code of the target language, as in `kerasseq.metrics.bleu`.
        log_dir: Folder of the run, as given to `keras.callbacks.TensorBoard`. None writes nothing.
        every: Measure after epochs 0, every, 2·every, …

    Raises:
        ValueError: If the lists do not fit or the language is unknown; when training begins, if
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
        tokenizers(language)  # refuses an unknown language now, not after an epoch
        self.language = language

    def record(self, epoch, logs):
        found = self.translator.translate(self.source_texts, keep_attention=False)
        translations = [one.text for one in found]
        logs["val_bleu"] = bleu(translations, self.target_texts, self.language).score
        self.write("scalar", "bleu", logs["val_bleu"], epoch)
