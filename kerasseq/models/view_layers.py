"""The classes of the views beside the layers of the model; Keras saves and loads all of them."""

import keras

from kerasseq.layers import RNN

GATES = ("input_gate", "forget_gate", "candidate", "output_gate")


@keras.saving.register_keras_serializable(package="kerasseq")
class View(keras.Model):
    """A functional model that can be exported although its states are a list.

    A SavedModel needs a name for each input and output tensor. The exported model names the states
    `state_0`, `state_1`, … on both sides.
    """

    def export(self, filepath, *args, **kwargs):
        # A second model of the same layers; the weights are shared, not copied.
        flat = keras.Model(_flat(self.input), _flat(self.output))
        flat.export(filepath, *args, **kwargs)


def _flat(tensors):
    """Return a dict of tensors, each state under its own name."""
    if not (isinstance(tensors, dict) and "states" in tensors):
        return tensors
    states = {f"state_{index}": state for index, state in enumerate(tensors["states"])}
    return {name: tensor for name, tensor in tensors.items() if name != "states"} | states


@keras.saving.register_keras_serializable(package="kerasseq")
class AttentionKeys(keras.layers.Layer):
    """The keys of an attention, `attention.project(values)`, as a layer.

    Args:
        attention: A built `BahdanauAttention`, whose weights the layer uses.

    Call arguments:
        values: Shape `(batch, source_length, value_dim)`.

    Returns:
        Tensor of shape `(batch, source_length, attention units)`, without a mask.
    """

    def __init__(self, attention, **kwargs):
        super().__init__(**{"dtype": attention.dtype_policy, **kwargs})
        self.attention = attention  # a child of this layer: Keras saves its weights here, too
        self.supports_masking = True

    def call(self, values):
        return self.attention.project(values)  # (batch, source_length, attention units)

    def compute_mask(self, values, mask):
        return None  # the step model gets `values_mask` as an input of its own

    def get_config(self):
        attention = keras.saving.serialize_keras_object(self.attention)
        return {**super().get_config(), "attention": attention}

    @classmethod
    def from_config(cls, config):
        attention = keras.saving.deserialize_keras_object(config["attention"])
        return cls(**{**config, "attention": attention})


@keras.saving.register_keras_serializable(package="kerasseq")
class LSTMGates(keras.layers.Layer):
    """The gates of a forward LSTM at every step, as a layer.

    Once the outputs h are known, the gates need no loop: each gate of step t is a function of x_t
    and h_{t−1}.

    Args:
        cell: An `LSTMCell`, whose weights the layer uses.

    Call arguments:
        sequences: Shape `(batch, length, features)`.
        initial_state: List of h_0 and C_0, each `(batch, units)`; zeros if None.

    Returns:
        Dict of `input_gate`, `forget_gate`, `candidate` and `output_gate`, each
        `(batch, length, units)`, without a mask.
    """

    def __init__(self, cell, **kwargs):
        super().__init__(**{"dtype": cell.dtype_policy, **kwargs})
        self.rnn = RNN(cell, return_sequences=True, dtype=cell.dtype_policy)
        self.supports_masking = True

    def build(self, sequences_shape, initial_state_shape=None):
        if not self.rnn.built:
            self.rnn.build(sequences_shape)

    def call(self, sequences, initial_state=None, mask=None, sequences_mask=None):
        cell, mask = self.rnn.cell, sequences_mask if mask is None else mask
        if initial_state is None:
            initial_state = cell.get_initial_state(keras.ops.shape(sequences)[0])
        h = self.rnn(sequences, initial_state=initial_state, mask=mask)  # (batch, length, units)
        # h_0, …, h_{T−1}: (batch, length, units)
        h_prev = keras.ops.concatenate([initial_state[0][:, None], h[:, :-1]], axis=1)
        # All steps at once: `project` gives (batch, length, 4 * units).
        return cell.gate_values(cell.project(sequences), h_prev)

    def compute_output_shape(self, sequences_shape, initial_state_shape=None):
        shape = (*sequences_shape[:2], self.rnn.cell.units)
        return dict.fromkeys(GATES, shape)

    def compute_mask(self, sequences, mask):
        return None

    def get_config(self):
        cell = keras.saving.serialize_keras_object(self.rnn.cell)
        return {**super().get_config(), "cell": cell}

    @classmethod
    def from_config(cls, config):
        cell = keras.saving.deserialize_keras_object(config["cell"])
        return cls(**{**config, "cell": cell})
