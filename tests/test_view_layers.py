import keras
import numpy as np
from support.reference import normal, randomize

from kerasseq import BahdanauAttention, LSTMCell
from kerasseq.models.view_layers import AttentionKeys, LSTMGates

SEQUENCES = normal(2, 5, 3)


def test_the_gates_are_those_of_each_step():
    cell = LSTMCell(4)
    cell.build((None, 3))
    randomize(cell)
    gates = LSTMGates(cell)(SEQUENCES)
    states = cell.get_initial_state(2)
    for t in range(5):
        expected = cell.gate_values(cell.project(SEQUENCES[:, t]), states[0])
        for name, gate in gates.items():
            np.testing.assert_allclose(gate[:, t], expected[name], atol=1e-6)
        _, states = cell(SEQUENCES[:, t], states)


def test_the_keys_are_those_of_the_attention_and_carry_no_mask():
    attention = BahdanauAttention(6)
    attention.build((2, 7), (2, 5, 3))
    values = keras.layers.Masking()(SEQUENCES)
    keys = AttentionKeys(attention)(values)
    np.testing.assert_allclose(keys, attention.project(SEQUENCES), atol=1e-6)
    assert getattr(keys, "_keras_mask", None) is None
