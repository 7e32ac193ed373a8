"""Read what the model says: a table of translations for each epoch."""

from kerasseq.callbacks.base import TranslationCallback, check_sentences

_MARKUP = str.maketrans({character: f"&#{ord(character)};" for character in "\\`*_[]<>&|~"})


class SampleTranslations(TranslationCallback):
    """Writes a table of source, reference and translation as the text `translations`.

    Args:
        translator: A `kerasseq.Translator` around the model being trained, or one that shares its
            weights.
        source_texts: List of str, a handful: each becomes a row.
        target_texts: List of str of the same length, the references.
        log_dir: Folder of the run, as given to `keras.callbacks.TensorBoard`.
        every: Write after epochs 0, every, 2·every, …

    Raises:
        ValueError: If the lists do not fit; when training begins, if `log_dir` cannot be written.

    Example:
        >>> samples = SampleTranslations(translator, ["the cat"], ["le chat"])
        >>> history = model.fit(batches, epochs=2, callbacks=[samples], verbose=0)
    """

    def __init__(self, translator, source_texts, target_texts, log_dir="logs", every=1):
        super().__init__(translator, log_dir, every)
        self.source_texts, self.target_texts = check_sentences(source_texts, target_texts)

    def record(self, epoch, logs):
        found = self.translator.translate(self.source_texts, keep_attention=False)
        translations = [one.text for one in found]
        rows = zip(self.source_texts, self.target_texts, translations, strict=True)
        self.write("text", "translations", _table(rows), epoch)


def _table(rows):
    lines = ["| source | reference | translation |", "|---|---|---|"]
    lines += ["| " + " | ".join(_escape(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def _escape(text):
    # As HTML entities, which unlike backslashes mean the same in all dialects of Markdown.
    return " ".join(text.split()).translate(_MARKUP)
