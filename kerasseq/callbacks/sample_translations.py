"""`SampleTranslations`: a table of translations after each epoch."""

from kerasseq.callbacks.base import TranslationCallback, check_sentences

_MARKUP = str.maketrans({character: f"&#{ord(character)};" for character in "\\`*_[]<>&|~"})


class SampleTranslations(TranslationCallback):
    """Write a table of source, reference and translation as the text `translations`.

    Args:
        translator: A `kerasseq.Translator` of the model in training, or of a model that shares its
            weights.
        source_texts: List of str, a few sentences; each becomes a row.
        target_texts: List of str of the same length, the references.
        log_dir: Folder of the run, as for `keras.callbacks.TensorBoard`.
        every: Write after epochs 0, every, 2·every, …

    Raises:
        ValueError: If the lists do not fit. When training begins: if `log_dir` cannot be written.

    Example:
        >>> samples = SampleTranslations(translator, ["the cat"], ["le chat"])
        >>> history = model.fit(batches, epochs=2, callbacks=[samples], verbose=0)
    """

    def __init__(self, translator, source_texts, target_texts, log_dir="logs", every=1):
        super().__init__(translator, log_dir, every)
        self.source_texts, self.target_texts = check_sentences(source_texts, target_texts)

    def record(self, epoch, logs):
        translations = self.translator.translate(self.source_texts, keep_attention=False)
        texts = [translation.text for translation in translations]
        rows = zip(self.source_texts, self.target_texts, texts, strict=True)
        self.write("text", "translations", _table(rows), epoch)


def _table(rows):
    lines = ["| source | reference | translation |", "|---|---|---|"]
    lines += ["| " + " | ".join(_escape(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def _escape(text):
    # HTML entities mean the same in all dialects of Markdown; backslashes do not.
    return " ".join(text.split()).translate(_MARKUP)
