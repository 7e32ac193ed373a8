"""Watch an LSTM learn what to keep: its gates over a sentence, epoch by epoch."""

from kerasseq.callbacks.base import SummaryCallback
from kerasseq.checks import check_finite, check_texts
from kerasseq.plotting import figure_to_array
from kerasseq.plotting.gates import plot_gates
from kerasseq.probes import gate_values


class GateMaps(SummaryCallback):
    """Draws the gates of a model's LSTM over a few inputs.

    Writes images `gates/0`, `gates/1`, …

    Args:
        inputs: Input of the model for a handful of samples: each becomes a picture.
        tokens: List of lists of str, the words at the axis; as long as the inputs or shorter, when
            what follows is padding.
        log_dir: Folder of the run, as given to `keras.callbacks.TensorBoard`.
        layer: Name of the LSTM, as in `probes.gate_values`.
        every: Draw after epochs 0, every, 2·every, …

    Raises:
        ValueError: When training begins, if the model has no such layer, the tokens do not fit, or
            `log_dir` cannot be written.

    Example:
        >>> maps = GateMaps(ids, [["the", "keys"]], "logs")
        >>> history = model.fit(ids, answers, epochs=2, callbacks=[maps], verbose=0)
    """

    def __init__(self, inputs, tokens, log_dir, layer=None, every=1):
        super().__init__(log_dir, every)
        self.inputs, self.layer = inputs, layer
        check_finite("tokens", tokens)
        self.tokens = [check_texts("tokens", one) for one in tokens]

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
            of_one = {name: gate[index, : len(tokens)] for name, gate in gates.items()}
            figure = plot_gates(of_one, tokens)
            self.write("image", f"gates/{index}", figure_to_array(figure)[None], epoch)
