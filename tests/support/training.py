"""A small training run: sequences of letters, to be reversed."""

from kerasseq import training

PAIRS = [(f"{a} {b} {c}", f"{c} {b} {a}") for a in "abcd" for b in "efgh" for c in "ijkl"]
SIZES = {
    "level": "word",
    "embedding_dim": 8,
    "units": 8,
    "batch_size": 16,
    "learning_rate": 0.02,
    "average": 0.5,
    "patience": 9,
    "verbose": 0,
}


def run(folder, epochs=3, **options):
    return training.train_translator(PAIRS, PAIRS[:8], folder, epochs=epochs, **SIZES | options)


def weights_of(trained):
    return trained.translator.model.get_weights()
