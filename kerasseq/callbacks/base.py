"""What the callbacks for TensorBoard share: when they run and where they write."""

import os

import keras

from kerasseq.callbacks.writers import close_writer, open_writer
from kerasseq.checks import check_path, check_positive_integer, check_texts

_ATTENTION = "`translator` must be that of a model with attention: build_attention_seq2seq."


class SummaryCallback(keras.callbacks.Callback):
    """Calls `record` after epochs 0, every, 2·every, …, which writes to `<log_dir>/translation`.

    The weights, the optimizer, the metrics and `stop_training` of the model are left alone.
    """

    def __init__(self, log_dir, every):
        super().__init__()
        self.every = check_positive_integer("every", every)
        self.folder = None
        if log_dir is not None:
            self.folder = os.path.join(check_path("log_dir", log_dir), "translation")

    def record(self, epoch, logs):
        """Measure, write, and put into `logs` what other callbacks are to see."""
        raise NotImplementedError

    def write(self, kind, tag, data, epoch):
        """Write one summary of kind "scalar", "image" or "text"."""
        if self.folder is not None:
            import tensorflow as tf

            with open_writer(self.folder, self).as_default(step=epoch):  # flushes at its end
                getattr(tf.summary, kind)(tag, data)

    def on_train_begin(self, logs=None):
        if self.folder is not None:
            open_writer(self.folder, self, begins=True)

    def on_epoch_end(self, epoch, logs=None):
        if epoch % self.every == 0:
            self.record(epoch, {} if logs is None else logs)

    def on_train_end(self, logs=None):
        if self.folder is not None:
            close_writer(self.folder, self)


class TranslationCallback(SummaryCallback):
    """A callback that looks at a translator."""

    needs_attention = False

    def __init__(self, translator, log_dir, every):
        super().__init__(log_dir, every)
        if not (hasattr(translator, "translate") and hasattr(translator, "align")):
            expected = "`translator` must be a Translator around the model."
            raise ValueError(f"{expected} Received: translator={translator!r}")
        if self.needs_attention and not getattr(translator, "has_attention", True):
            raise ValueError(f"{_ATTENTION} Received: translator={translator!r}")
        self.translator = translator


def check_sentences(source_texts, target_texts):
    """Return both as lists of str, one pair a sentence.

    Raises:
        ValueError: If there is none, the lengths differ, or something else than str is inside.
    """
    source_texts = check_texts("source_texts", source_texts)
    target_texts = check_texts("target_texts", target_texts)
    if not source_texts or len(source_texts) != len(target_texts):
        raise ValueError(
            "Expected one or more source texts and as many target texts. Received: "
            f"len(source_texts)={len(source_texts)}, len(target_texts)={len(target_texts)}"
        )
    return source_texts, target_texts


def attention_of(translations):
    """Return the attention weights of each translation.

    Raises:
        ValueError: If the translator's model has no attention.
    """
    weights = [translation.attention_weights for translation in translations]
    if any(matrix is None for matrix in weights):
        raise ValueError(f"{_ATTENTION} Received: attention_weights=None")
    return weights
