"""`AlignmentError`: the alignment error rate of attention after each epoch."""

from kerasseq.callbacks.base import TranslationCallback, attention_of
from kerasseq.checks import check_finite, is_iterable
from kerasseq.metrics import alignment_error_rate


class AlignmentError(TranslationCallback):
    """Compare the attention of the model with true word alignments after each epoch.

    The model reads the references (forced decoding). The callback puts `val_alignment_error_rate`
    into `logs`, for History and for all later callbacks, and writes the scalar
    `alignment_error_rate`. Smaller is better: use `mode="min"`. Epochs without a measurement have
    no value.

    Args:
        translator: A `kerasseq.Translator` of the model in training, or of a model that shares its
            weights. The alignments must count the words of its text processors.
        examples: List of objects with `source`, `target`, `sure` and `possible`, as
            `kerasseq.phrasebook.load_examples` returns them.
        log_dir: Folder of the run, as for `keras.callbacks.TensorBoard`. None writes nothing.
        every: Measure after epochs 0, every, 2·every, …

    Raises:
        ValueError: If there is no example. When training begins: if `log_dir` cannot be written or
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
        # Any object with these four attributes will do.
        for index, example in enumerate(self.examples):
            if not all(hasattr(example, name) for name in ("source", "target", "sure", "possible")):
                raise ValueError(
                    "Each of `examples` must have source, target, sure and possible. "
                    f"Received: examples[{index}]={example!r}"
                )
        if not self.examples:
            raise ValueError("`examples` must not be empty. Received: examples=[]")

    def on_train_begin(self, logs=None):
        super().on_train_begin(logs)
        self._attention(self.examples[:1])  # fails now, not after an epoch, without attention

    def record(self, epoch, logs):
        rate = alignment_error_rate(
            self._attention(self.examples),
            [example.sure for example in self.examples],
            [example.possible for example in self.examples],
        )
        logs["val_alignment_error_rate"] = rate
        self.write("scalar", "alignment_error_rate", rate, epoch)

    def _attention(self, examples):
        sources = [example.source for example in examples]
        targets = [example.target for example in examples]
        aligned = self.translator.in_words(self.translator.align(sources, targets))
        return attention_of([each.without_control_tokens() for each in aligned])
