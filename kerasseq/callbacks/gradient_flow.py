"""`GradientFlow`: how far back the gradient reaches, after each epoch."""

import numpy as np

from kerasseq.callbacks.base import SummaryCallback
from kerasseq.checks import check_whole_number
from kerasseq.probes import input_gradients


class GradientFlow(SummaryCallback):
    """Measure the gradient at the input words, by their distance from the last word.

    The callback writes the scalars `gradient_norm/<lag>`, the mean over the samples of

        ‖∂L / ∂x_{T−lag}‖

    x_T is the embedding of the last position; see `kerasseq.probes.input_gradients`. If the norm is
    0, or 10⁻⁶ of the norm at lag 0, the network cannot learn from the word at this lag.

    Args:
        inputs: Input of the model for a few samples, of the same length and without padding.
        targets: Targets of the model for these samples.
        log_dir: Folder of the run, as for `keras.callbacks.TensorBoard`.
        lags: Integers, numbers of steps before the last position.
        embedding: Name of the embedding layer. Default: the first embedding of the model.
        every: Measure after epochs 0, every, 2·every, …

    Raises:
        ValueError: If a lag is negative. When training begins: if the model has no such embedding,
            a lag is not shorter than the inputs, or `log_dir` cannot be written.

    Example:
        >>> flow = GradientFlow(ids, answers, "logs", lags=(0, 1))
        >>> history = model.fit(ids, answers, epochs=2, callbacks=[flow], verbose=0)
    """

    def __init__(self, inputs, targets, log_dir, lags=(0, 5, 10, 20), embedding=None, every=1):
        super().__init__(log_dir, every)
        self.inputs, self.targets = inputs, targets
        self.lags = [check_whole_number("lags", lag, least=0) for lag in lags]
        self.embedding = embedding

    def on_train_begin(self, logs=None):
        super().on_train_begin(logs)
        length = self._norms().size  # an argument that does not fit fails now, not after an epoch
        if max(self.lags, default=0) >= length:
            raise ValueError(
                f"`lags` must be shorter than the inputs, {length} steps. "
                f"Received: lags={self.lags}"
            )

    def record(self, epoch, logs):
        norms = self._norms()
        for lag in self.lags:
            self.write("scalar", f"gradient_norm/{lag}", norms[-1 - lag], epoch)

    def _norms(self):
        """Return the mean norm at each position, `(length,)`."""
        norms = input_gradients(self.model, self.inputs, self.targets, self.embedding)
        return np.mean(norms, axis=0)
