"""Small models with random weights and a batch with padding, for the tests of models and views."""

import keras
import numpy as np
import pytest
from keras.layers import GRUCell, StackedRNNCells

from kerasseq import LSTMCell

SOURCE = np.array([[2, 5, 6, 7, 3], [2, 8, 3, 0, 0], [2, 9, 10, 3, 0]], "int32")
TARGET_IN = np.array([[2, 4, 5, 6], [2, 7, 0, 0], [2, 8, 0, 0]], "int32")
TARGET_OUT = np.array([[4, 5, 6, 3], [7, 3, 0, 0], [8, 3, 0, 0]], "int32")
INPUTS = {"source": SOURCE, "target_in": TARGET_IN}
REAL = TARGET_OUT != 0
SIZES = {"embedding_dim": 5, "units": 6}


class LSTMBelowGRU:
    """A cell of cells; its name is the same in all processes of the tests."""

    def __call__(self, units):
        return StackedRNNCells([LSTMCell(units), GRUCell(units)])

    def __repr__(self):
        return "LSTM below GRU"


OPTIONS = [
    {},
    {"encoder": "forward"},
    {"encoder": "backward"},
    {"cell": "rnn"},
    {"cell": keras.layers.GRUCell},
    {"tie_embeddings": True},
    {"cell": keras.layers.LSTMCell, "encoder": "backward", "tie_embeddings": True},
    {"layers": 2},
    {"layers": 3, "cell": "rnn", "encoder": "backward"},
    {"cell": LSTMBelowGRU()},
]


PARAMS = [*OPTIONS[:-2], *(pytest.param(one, marks=pytest.mark.slow) for one in OPTIONS[-2:])]


def build(builder, **options):
    model = builder(11, 13, **SIZES, **options)
    rng = np.random.default_rng(7)
    model.set_weights([rng.normal(0, 0.5, weight.shape) for weight in model.get_weights()])
    return model
