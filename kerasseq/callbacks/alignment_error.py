"""Alignment error rate after each epoch: does attention look where the grammar says?"""

from kerasseq.callbacks.base import TranslationCallback, attention_of
from kerasseq.checks import check_finite, is_iterable
from kerasseq.metrics import alignment_error_rate


class AlignmentError(TranslationCallback):
    """Leads the model along the references and scores its attention against true alignments.

    Puts `val_alignment_error_rate` into `logs`, for History and for all callbacks that stand after
    this one (less is better: `mode="min"`), and writes the scalar `alignment_error_rate`. Epochs
    between two measurements have no value.

    Args:
        translator: A `kerasseq.Translator` around the model being trained, or one that shares its
            weights. Its texts must be cut into the words that the alignments count.
        examples: List of objects with `source`, `target`, `sure` and `possible`, as
            `kerasseq.phrasebook.load_examples` returns them.
        log_dir: Folder of the run, as given to `keras.callbacks.TensorBoard`. None writes nothing.
        every: Measure after epochs 0, every, 2·every, …

    Raises:
        ValueError: If there is no example; when training begins, if `log_dir` cannot be written or
            the model has no attention.

    Example:
        >>> examples = load_examples("en_fr", split="validation[:9]")
        >>> error = AlignmentError(translator, examples, log_dir="logs")
        >>> history = model.fit(batches, epochs=2, callbacks=[error], verbose=0)
    """

    needs_attention = True

    def __init__(self, translator, examples, log_dir=None, every=1):
        super().__init__(translator, log_dir, every)
        if isinstance(examples, str) or not is_iterable(examples):
            raise ValueError(f"`examples` must be a list. Received: examples={examples!r}")
        check_finite("examples", examples)
        self.examples = list(examples)
        for index, example in enumerate(self.examples):
            if not all(hasattr(example, name) for name in ("source", "target", "sure", "possible")):
                raise ValueError(
                    "Each of `examples` must have source, target, sure and possible. "
                    f"Received: examples[{index}]={example!r}"
                )
        if not self.examples:
            raise ValueError("Expected at least one example. Received: examples=[]")

    def on_train_begin(self, logs=None):
        super().on_train_begin(logs)
        self._attention(self.examples[:1])  # rather now than after an epoch of training

    def record(self, epoch, logs):
        rate = alignment_error_rate(
            self._attention(self.examples),
            [example.sure for example in self.examples],
            [example.possible for example in self.examples],
        )
        logs["val_alignment_error_rate"] = rate
        self.write("scalar", "alignment_error_rate", rate, epoch)

    def _attention(self, examples):
        sources, targets = [one.source for one in examples], [one.target for one in examples]
        aligned = self.translator.in_words(self.translator.align(sources, targets))
        weights = attention_of(aligned)
        return [matrix[:, 1:-1] for matrix in weights]  # without [START] and [END]
