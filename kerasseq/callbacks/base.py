"""Base classes of the callbacks for TensorBoard: when they run and where they write."""

import os

import keras

from kerasseq.callbacks.writers import close_writer, open_writer
from kerasseq.checks import check_path, check_positive_integer, check_texts

_ATTENTION = "`translator` must have a model with attention: use build_attention_seq2seq."


class SummaryCallback(keras.callbacks.Callback):
    """Call `record` after epochs 0, every, 2·every, …, and write to `<log_dir>/translation`.

    The callback changes no weight, optimizer or metric, and does not stop the training.
    """

    def __init__(self, log_dir, every):
        super().__init__()
        self.every = check_positive_integer("every", every)
        self.folder = None
        if log_dir is not None:
            self.folder = os.path.join(check_path("log_dir", log_dir), "translation")

    def record(self, epoch, logs):
        """Measure, write, and add values for other callbacks to `logs`."""
        raise NotImplementedError

    def write(self, kind, tag, data, epoch):
        """Write one summary of kind "scalar", "image" or "text"."""
        if self.folder is not None:
            import tensorflow as tf

            with open_writer(self.folder, self).as_default(step=epoch):  # the block ends in a flush
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
    """Base class of callbacks around a `Translator`."""

    needs_attention = False

    def __init__(self, translator, log_dir, every):
        super().__init__(log_dir, every)
        if not (hasattr(translator, "translate") and hasattr(translator, "align")):
            expected = "`translator` must be a Translator of the model."
            raise ValueError(f"{expected} Received: translator={translator!r}")
        if self.needs_attention and not getattr(translator, "has_attention", True):
            raise ValueError(f"{_ATTENTION} Received: translator={translator!r}")
        self.translator = translator


def check_sentences(source_texts, target_texts):
    """Return both arguments as lists of str.

    Raises:
        ValueError: If there is no text, the lengths differ, or a value is not a str.
    """
    source_texts = check_texts("source_texts", source_texts)
    target_texts = check_texts("target_texts", target_texts)
    if not source_texts or len(source_texts) != len(target_texts):
        raise ValueError(
            "`source_texts` and `target_texts` must have the same length, at least 1. Received: "
            f"len(source_texts)={len(source_texts)}, len(target_texts)={len(target_texts)}"
        )
    return source_texts, target_texts


def attention_of(translations):
    """Return the attention weights of each translation.

    Raises:
        ValueError: If a translation has no attention.
    """
    weights = [translation.attention_weights for translation in translations]
    if any(matrix is None for matrix in weights):
        raise ValueError(f"{_ATTENTION} Received: attention_weights=None")
    return weights
