"""One recurrent layer, forward and backward: ours, Keras' and PyTorch's.

    python benchmarks/layers.py [--dataset FOLDER --source de --target en]

`RNN(LSTMCell)` and `RNN(RNNCell)` against `keras.layers.LSTM` / `SimpleRNN` and `torch.nn.LSTM` /
`RNN`: outputs of all steps, then the gradients of the weights and the inputs, float32. Masked, the
sequences have the lengths of the corpus, cut at 16 (PyTorch: packed); else all have 16. Each counts
at its best: Keras under `tf.function` with XLA or without, PyTorch on one core or on all.
"""

import itertools

import keras
import lengths
import numpy as np
import tensorflow as tf
import timing
from timing import torch

import kerasseq

LENGTH, FEATURES = 16, 256
OURS = {"lstm": kerasseq.LSTMCell, "rnn": kerasseq.RNNCell}
KERAS = {"lstm": keras.layers.LSTM, "rnn": keras.layers.SimpleRNN}
HEADER = ["cell", "batch", "units", "mask", "ours, ms", "Keras, ms", "PyTorch, ms"]
HEADER += ["Keras / ours", "PyTorch / ours"]


def main(arguments=None):
    parser = timing.parse(__doc__, rounds=15)
    timing.add_sizes(parser)
    lengths.add_options(parser)
    options = parser.parse_args(arguments)
    if options.quick:
        options.batch, options.units = [4], [8]
    sizes = list(itertools.product(options.batch, options.units))
    sources, _ = lengths.load_corpus(options, vocab_size=100, pairs=max(options.batch))
    headline, rows = {}, []
    for cell in OURS:
        for batch_size, units in sizes:
            for masked in (True,) if options.quick else (True, False):
                longest = [min(len(ids), LENGTH) for ids in sources[:batch_size]]
                found = measure(cell, units, longest, masked, options)
                headline.setdefault(f"{cell}_vs_keras", timing.median(found["keras"]))
                headline.setdefault(f"{cell}_vs_torch", timing.median(found["torch"]))
                row = [
                    cell,
                    batch_size,
                    units,
                    "corpus" if masked else "none",
                    *found["milliseconds"],
                ]
                rows.append([*row, timing.quoted(found["keras"]), timing.quoted(found["torch"])])
    timing.print_table(HEADER, rows)
    timing.print_result("layers", **headline)


def measure(cell, units, longest, masked, options):
    """Measure one cell at one size: the times as text, and the ratios."""
    batch = len(longest)
    random = np.random.default_rng(0)
    inputs = random.normal(size=(batch, LENGTH, FEATURES)).astype("float32")
    gradients = random.normal(size=(batch, LENGTH, units)).astype("float32")
    mask = np.arange(LENGTH) < np.array(longest)[:, None] if masked else None
    functions = {}
    for xla in (False,) if options.quick else (False, True):
        setting = f"XLA {'on' if xla else 'off'}"
        layer = kerasseq.RNN(OURS[cell](units), return_sequences=True)
        functions["ours", setting] = in_keras(layer, inputs, gradients, mask, xla)
        layer = KERAS[cell](units, return_sequences=True)
        functions["keras", setting] = in_keras(layer, inputs, gradients, mask, xla)
    if torch:
        run = in_torch(cell, units, inputs, gradients, longest if masked else None)
        for setting, function in timing.in_threads(run).items():
            functions["torch", setting] = function
    seconds, best = timing.compete(functions, options.rounds, trial=3)
    milliseconds = []
    for competitor in ("ours", "keras", "torch"):
        times = timing.quoted(seconds.get(competitor), 1e3)
        milliseconds.append(f"{times}, {best[competitor]}" if competitor in best else times)
    return {
        "milliseconds": milliseconds,
        "keras": timing.ratios(seconds["keras"], seconds["ours"]),
        "torch": timing.ratios(seconds.get("torch"), seconds["ours"]),
    }


def in_keras(layer, inputs, output_gradients, mask, xla):
    """Return a function that runs a Keras layer forward and backward once."""
    inputs, output_gradients = tf.constant(inputs), tf.constant(output_gradients)
    mask = None if mask is None else tf.constant(mask)
    layer.build(tuple(inputs.shape))

    @tf.function(jit_compile=xla, autograph=False)
    def forward_and_backward():
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            outputs = layer(inputs, mask=mask)
        wanted = [inputs, *(weight.value for weight in layer.trainable_weights)]
        return tape.gradient(outputs, wanted, output_gradients)

    return lambda: [gradient.numpy() for gradient in forward_and_backward()]


def in_torch(cell, units, inputs, output_gradients, longest):
    """Return a function that runs a PyTorch layer forward and backward once."""
    kind = {"lstm": torch.nn.LSTM, "rnn": torch.nn.RNN}[cell]
    layer = kind(inputs.shape[-1], units, batch_first=True)
    inputs = torch.tensor(inputs, requires_grad=True)
    output_gradients = torch.tensor(output_gradients)
    wanted = [inputs, *layer.parameters()]

    def forward_and_backward():
        if longest is None:
            outputs, _ = layer(inputs)
        else:
            packed = torch.nn.utils.rnn.pack_padded_sequence(
                inputs, longest, batch_first=True, enforce_sorted=False
            )
            outputs, _ = layer(packed)
            outputs, _ = torch.nn.utils.rnn.pad_packed_sequence(
                outputs, batch_first=True, total_length=inputs.shape[1]
            )
        return torch.autograd.grad(outputs, wanted, output_gradients)

    return forward_and_backward


if __name__ == "__main__":
    main()
