"""Sequence to sequence models, with and without attention, and views that show their insides.

Both builders make the same network but for the attention, so that the two can be compared: an
encoder reads the source, a bridge hands its final states to the decoder, the decoder reads the
target so far, and a deep output turns what it found into logits. The layers have fixed names; a
view is another graph over the same layers, so it shows what the model knows at this moment.
"""

import keras

from kerasseq.attention import BahdanauAttention
from kerasseq.cells import LSTMCell, RNNCell
from kerasseq.recurrence import RNN, AttentionRNN

_CELLS = {"rnn": RNNCell, "lstm": LSTMCell}
_ENCODERS = ("forward", "backward", "bidirectional")


@keras.saving.register_keras_serializable(package="kerasseq")
class TiedEmbedding(keras.layers.ReversibleEmbedding):
    """An embedding whose matrix also turns vectors back into logits, mask and all.

    Keras' own `ReversibleEmbedding` drops the mask on the way back, and the loss counts padding.

    Example:
        >>> embedding = TiedEmbedding(10, 4, mask_zero=True)
        >>> embedding(embedding(keras.ops.ones((2, 3), dtype="int32")), reverse=True).shape
        TensorShape([2, 3, 10])
    """

    def compute_mask(self, inputs, mask=None):
        if keras.backend.is_float_dtype(keras.backend.standardize_dtype(inputs.dtype)):
            return mask
        return super().compute_mask(inputs, mask)


def build_seq2seq(source_vocab_size, target_vocab_size, **options):
    """Build an encoder–decoder that squeezes the source into one vector, section 3.4.1.

    The decoder begins with the encoder's final state and sees nothing else of the source: the
    bottleneck of section 3.4.2 (Sutskever, Vinyals & Le 2014).

    Args:
        source_vocab_size, target_vocab_size: Numbers of ids, the four control tokens included.
        **options: As in `build_attention_seq2seq`, but for `attention_units`.

    Returns:
        A functional `keras.Model` as in `build_attention_seq2seq`.

    Example:
        >>> model = build_seq2seq(20, 30, embedding_dim=8, units=16)
        >>> model.output_shape
        (None, None, 30)
    """
    return _build(source_vocab_size, target_vocab_size, None, **options)


def build_attention_seq2seq(
    source_vocab_size, target_vocab_size, *, attention_units=None, **options
):
    """Build an encoder–decoder with Bahdanau attention, section 3.4.3 of the chapter.

    Args:
        source_vocab_size, target_vocab_size: Numbers of ids, the four control tokens included.
        attention_units: Width of the attention's hidden layer. Default: `units`.
        cell: `"rnn"`, `"lstm"`, or any callable units -> Keras cell, such as
            `keras.layers.GRUCell`, the paper's own. Default `"lstm"`.
        encoder: `"forward"`; `"backward"`, which reads the source from its end (Sutskever et al.
            2014); `"bidirectional"`, half of `units` each way. Default `"bidirectional"`.
        embedding_dim: Width of both embeddings. Default 128.
        units: Width of the decoder state and of the encoder's outputs. Default 256.
        readout_dim: Width of the layer between decoder and logits. Default: `embedding_dim`.
        dropout: Rate on embeddings and readout. Default 0.
        tie_embeddings: Use the target embedding as output matrix, too (Press & Wolf 2017); then
            `readout_dim` must be `embedding_dim`. Default False.
        name: The model's name.

    Returns:
        A functional `keras.Model` with inputs `{"source", "target_in"}`, integer ids of shape
        `(batch, source_length)` and `(batch, target_length)`, 0 = padding, and logits
        `(batch, target_length, target_vocab_size)`, float32, which carry the target's mask. Compile
        it with `SmoothedCrossentropy` or Keras' own loss with `from_logits=True`.

    Raises:
        ValueError: If an option is unknown or does not fit.

    Example:
        >>> model = build_attention_seq2seq(20, 30, embedding_dim=8, units=16)
        >>> attention_view(model)({"source": keras.ops.ones((1, 5), dtype="int32"),
        ...                        "target_in": keras.ops.ones((1, 4), dtype="int32")}).shape
        TensorShape([1, 4, 5])
    """
    units = options.get("units", 256)
    return _build(source_vocab_size, target_vocab_size, attention_units or units, **options)


def _build(
    source_vocab_size,
    target_vocab_size,
    attention_units,
    *,
    cell="lstm",
    encoder="bidirectional",
    embedding_dim=128,
    units=256,
    readout_dim=None,
    dropout=0.0,
    tie_embeddings=False,
    name=None,
):
    readout_dim = readout_dim or embedding_dim
    if tie_embeddings and readout_dim != embedding_dim:
        raise ValueError(
            "With `tie_embeddings` the readout must be as wide as the embedding. "
            f"Received: readout_dim={readout_dim!r}, embedding_dim={embedding_dim!r}"
        )
    layers = _make_layers(_cell_maker(cell), encoder, units, attention_units, dropout)
    floats = keras.config.dtype_policy().variable_dtype  # logits stay float32 in mixed precision
    layers["source_embedding"] = keras.layers.Embedding(
        source_vocab_size, embedding_dim, mask_zero=True, name="source_embedding"
    )
    layers["readout"] = keras.layers.Dense(readout_dim, activation="tanh", name="readout")
    target_embedding = {"input_dim": target_vocab_size, "output_dim": embedding_dim}
    target_embedding |= {"mask_zero": True, "name": "target_embedding"}
    if tie_embeddings:
        layers["target_embedding"] = TiedEmbedding(reverse_dtype=floats, **target_embedding)
    else:
        layers["target_embedding"] = keras.layers.Embedding(**target_embedding)
        layers["logits"] = keras.layers.Dense(target_vocab_size, dtype=floats, name="logits")
    source = keras.Input((None,), dtype="int32", name="source")
    target_in = keras.Input((None,), dtype="int32", name="target_in")
    decoded = _decode(layers, target_in, **_encode(layers, source))
    inputs = {"source": source, "target_in": target_in}
    return keras.Model(inputs, decoded["logits"], name=name)


def _make_layers(make_cell, encoder, units, attention_units, dropout):
    """Make the layers that do not depend on a vocabulary, by name."""
    if encoder not in _ENCODERS:
        raise ValueError(f"`encoder` must be one of {_ENCODERS}. Received: encoder={encoder!r}")
    if encoder == "bidirectional" and units % 2:
        raise ValueError(f"A bidirectional encoder halves `units`. Received: units={units!r}")
    sequences = {"return_sequences": True, "return_state": True}
    if encoder == "bidirectional":
        one_way = RNN(make_cell(units // 2), **sequences)
        layers = {"encoder": keras.layers.Bidirectional(one_way, name="encoder")}
        for index in range(len(one_way.state_size)):
            bridge = keras.layers.Dense(units, activation="tanh", name=f"bridge_{index}")
            layers[f"bridge_{index}"] = bridge
    else:
        options = sequences | {"go_backwards": encoder == "backward"}
        layers = {"encoder": RNN(make_cell(units), name="encoder", **options)}
    if attention_units:
        attention = BahdanauAttention(attention_units)
        layers["decoder"] = AttentionRNN(make_cell(units), attention, name="decoder")
    else:
        layers["decoder"] = RNN(make_cell(units), name="decoder", **sequences)
    for part in ("source", "target", "readout"):
        layers[f"{part}_dropout"] = keras.layers.Dropout(dropout, name=f"{part}_dropout")
    return layers


def _encode(layers, source):
    """Return what the decoder needs: `states`, with attention also `values` and `values_mask`."""
    embedded = layers["source_dropout"](layers["source_embedding"](source))
    values, *states = layers["encoder"](embedded)
    count = len(states) // 2
    bridges = [layers[name] for name in ("bridge_0", "bridge_1") if name in layers]
    if bridges:  # the final states of the two directions, side by side
        pairs = zip(states[:count], states[count:], strict=True)
        joined = [keras.layers.Concatenate()(pair) for pair in pairs]
        states = [bridge(state) for bridge, state in zip(bridges, joined, strict=True)]
    if not isinstance(layers["decoder"], AttentionRNN):
        return {"states": states}
    if getattr(layers["encoder"], "go_backwards", False):
        values = keras.ops.flip(values, axis=1)  # back into the order of the source
    return {"states": states, "values": values, "values_mask": keras.ops.not_equal(source, 0)}


def _decode(layers, target_in, states, values=None, values_mask=None, keys=None):
    """Return `logits` and `states`; with attention `attention_weights`, too."""
    embedded = layers["target_dropout"](layers["target_embedding"](target_in))
    if values is None:
        outputs, *states = layers["decoder"](embedded, initial_state=states)
        decoded, found = {}, [outputs, embedded]
    else:
        outputs, contexts, weights, *states = layers["decoder"](
            embedded, values, initial_state=states, keys=keys, values_mask=values_mask
        )
        decoded, found = {"attention_weights": weights}, [outputs, contexts, embedded]
    # Deep output: the state, where it looked and the previous word, through a narrow layer. Each of
    # the parts carries the target's mask; one that did not would lose it for all.
    readout = layers["readout_dropout"](layers["readout"](keras.layers.Concatenate()(found)))
    if "logits" in layers:
        logits = layers["logits"](readout)
    else:
        logits = layers["target_embedding"](readout, reverse=True)
    return {"logits": logits, "states": states} | decoded


class _Bound(keras.layers.Layer):
    """Call a method of a layer inside a functional graph, on its weights as they then are."""

    def __init__(self, layer, method, **kwargs):
        super().__init__(**kwargs)
        self.layer, self.method = layer, method
        self.supports_masking = True

    def call(self, *tensors):
        return self.method(*tensors)

    def compute_mask(self, inputs, previous_mask):
        return None


def _cell_maker(cell):
    if callable(cell):
        return cell
    if cell not in _CELLS:
        raise ValueError(
            f"`cell` must be one of {sorted(_CELLS)} or a callable units -> Keras cell. "
            f"Received: cell={cell!r}"
        )
    return _CELLS[cell]


def _layers_of(model):
    """Return a model's layers by name, or raise ValueError if it was not built here."""
    layers = {layer.name: layer for layer in getattr(model, "layers", [])}
    expected = {"source_embedding", "target_embedding", "encoder", "decoder", "readout"}
    if not expected <= layers.keys():
        raise ValueError(
            "`model` must come from build_seq2seq or build_attention_seq2seq. "
            f"Received: model={model!r}"
        )
    return layers


def _attention_layers_of(model):
    layers = _layers_of(model)
    if not isinstance(layers["decoder"], AttentionRNN):
        raise ValueError(
            "`model` has no attention: build it with build_attention_seq2seq. "
            f"Received: model={model!r}"
        )
    return layers


def encoder_view(model):
    """Return a model of what the encoder hands to the decoder, to be computed once a sentence.

    Args:
        model: A model of `build_seq2seq` or `build_attention_seq2seq`, trained or not.

    Returns:
        A `keras.Model` from source ids `(batch, source_length)` to a dict: `states`, the decoder's
        initial states; with attention also `values`, `keys` and `values_mask`.

    Example:
        >>> model = build_seq2seq(20, 30, embedding_dim=8, units=16)
        >>> [state.shape for state in encoder_view(model)(keras.ops.ones((1, 5)))["states"]]
        [TensorShape([1, 16]), TensorShape([1, 16])]
    """
    layers = _layers_of(model)
    source = keras.Input((None,), dtype="int32", name="source")
    encoded = _encode(layers, source)
    if "values" in encoded:
        attention = layers["decoder"].attention
        encoded["keys"] = _Bound(attention, attention.project, name="keys")(encoded["values"])
        encoded["values"] = keras.ops.copy(encoded["values"])  # its mask travels as values_mask
    return keras.Model(source, encoded)


def step_view(model):
    """Return a model of one decoding step.

    Args:
        model: A model of `build_seq2seq` or `build_attention_seq2seq`, trained or not.

    Returns:
        A `keras.Model` from a dict, `token` `(batch, 1)` beside what `encoder_view` returns, to a
        dict: `logits` `(batch, target_vocab_size)`, the new `states`, and with attention
        `attention_weights` `(batch, source_length)`.

    Example:
        >>> model = build_seq2seq(20, 30, embedding_dim=8, units=16)
        >>> encoded = encoder_view(model)(keras.ops.ones((1, 5)))
        >>> step_view(model)({"token": keras.ops.full((1, 1), 2), **encoded})["logits"].shape
        TensorShape([1, 30])
    """
    layers = _layers_of(model)
    token = keras.Input((1,), dtype="int32", name="token")
    inputs = {
        name: [_input_like(state, f"state_{index}") for index, state in enumerate(tensor)]
        if name == "states"
        else _input_like(tensor, name)
        for name, tensor in encoder_view(model).output.items()
    }
    decoded = _decode(layers, token, **inputs)
    for name in ("logits", "attention_weights"):
        if name in decoded:
            decoded[name] = keras.ops.squeeze(decoded[name], axis=1)
    return keras.Model({"token": token, **inputs}, decoded)


def _input_like(tensor, name):
    return keras.Input(tensor.shape[1:], dtype=tensor.dtype, name=name)


def attention_view(model):
    """Return a model of the attention weights under a given target.

    Args:
        model: A model of `build_attention_seq2seq`, trained or not.

    Returns:
        A `keras.Model` with the inputs of `model` and the output `attention_weights`,
        `(batch, target_length, source_length)`: row t holds where the model looked before it
        predicted the token after `target_in[t]`.

    Raises:
        ValueError: If `model` was not built here or has no attention.
    """
    layers = _attention_layers_of(model)
    source, target_in = model.input["source"], model.input["target_in"]
    decoded = _decode(layers, target_in, **_encode(layers, source))
    return keras.Model(model.input, decoded["attention_weights"])


def gate_view(model):
    """Return a model of the gates of the encoder's LSTM, reading forward, over the source.

    Given the outputs h, no loop is needed: every gate of step t is a function of x_t and h_{t−1}.

    Args:
        model: A model of either builder whose cell is an `LSTMCell`, trained or not.

    Returns:
        A `keras.Model` from source ids to a dict of `input_gate`, `forget_gate`, `candidate` and
        `output_gate`, each `(batch, source_length, units)`.

    Raises:
        ValueError: If `model` was not built here, or its encoder has no LSTM that reads forward.
    """
    layers = _layers_of(model)
    encoder = getattr(layers["encoder"], "forward_layer", layers["encoder"])
    if not isinstance(encoder.cell, LSTMCell) or encoder.go_backwards:
        raise ValueError(
            "`model` must have an LSTM encoder that reads forward. "
            f"Received: model={model!r} with cell={encoder.cell!r}"
        )
    source = keras.Input((None,), dtype="int32", name="source")
    embedded = layers["source_dropout"](layers["source_embedding"](source))
    h, *_ = layers["encoder"](embedded)

    def gates(embedded, h):
        h = h[..., : encoder.cell.units]  # of a bidirectional encoder, its forward half
        h_prev = keras.ops.pad(h[:, :-1], [(0, 0), (1, 0), (0, 0)])
        return encoder.cell.gate_values(encoder.cell.project(embedded), h_prev)

    return keras.Model(source, _Bound(encoder, gates, name="gates")(embedded, h))
