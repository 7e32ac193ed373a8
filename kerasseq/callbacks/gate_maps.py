"""`GateMaps`: the gates of an LSTM over a few sentences, after each epoch."""

from kerasseq.callbacks.base import SummaryCallback
from kerasseq.checks import check_finite, check_texts
from kerasseq.plotting import figure_to_array
from kerasseq.plotting.gates import plot_gates
from kerasseq.probes import gate_values


class GateMaps(SummaryCallback):
    """Draw the gates of the model's LSTM over a few inputs.

    The callback writes the images `gates/0`, `gates/1`, …

    Args:
        inputs: Input of the model for a few samples; each becomes an image.
        tokens: List of lists of str, the words of each sample. A list may be shorter than the
            input, which ends in padding then.
        log_dir: Folder of the run, as for `keras.callbacks.TensorBoard`.
        layer: Name of the LSTM, as in `probes.gate_values`.
        every: Draw after epochs 0, every, 2·every, …

    Raises:
        ValueError: When training begins: if the model has no such layer, the tokens do not fit, or
            `log_dir` cannot be written.

    Example:
        >>> maps = GateMaps(ids, [["the", "keys"]], "logs")
        >>> history = model.fit(ids, answers, epochs=2, callbacks=[maps], verbose=0)
    """

    def __init__(self, inputs, tokens, log_dir, layer=None, every=1):
        super().__init__(log_dir, every)
        self.inputs, self.layer = inputs, layer
        check_finite("tokens", tokens)
        self.tokens = [check_texts("tokens", words) for words in tokens]

    def on_train_begin(self, logs=None):
        super().on_train_begin(logs)
        gates = gate_values(self.model, self.inputs, self.layer)["forget_gate"]
        longest = max(map(len, self.tokens), default=0)
        if len(gates) != len(self.tokens) or longest > gates.shape[1]:
            raise ValueError(
                "`tokens` must hold a list of words for each input. "
                f"Received: tokens={self.tokens} for inputs of shape {gates.shape[:2]}"
            )

    def record(self, epoch, logs):
        gates = gate_values(self.model, self.inputs, self.layer)
        for index, tokens in enumerate(self.tokens):
            # (length, units) each, without padding
            of_sample = {name: gate[index, : len(tokens)] for name, gate in gates.items()}
            figure = plot_gates(of_sample, tokens)
            self.write("image", f"gates/{index}", figure_to_array(figure)[None], epoch)
