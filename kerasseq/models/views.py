"""Views: models that share the layers of a translation model and return inner values.

A view uses the weights of the model as they are now. A view is a Keras model: it can be saved,
cloned and exported, for example to serve encoder and decoder step separately.
"""

import keras

from kerasseq.layers import LSTMCell
from kerasseq.layers.cell_stack import cells_of
from kerasseq.models.seq2seq import decode, encode
from kerasseq.models.view_layers import AttentionKeys, LSTMGates, View


def layers_of(model):
    """Return the layers of a model by name; raise ValueError for a model of other builders."""
    layers = {layer.name: layer for layer in getattr(model, "layers", [])}
    # What both builders have; `logits` is missing with tied embeddings, bridges in one direction.
    expected = {"source_embedding", "target_embedding", "encoder", "decoder", "readout"}
    if not expected <= layers.keys():
        raise ValueError(
            "`model` must come from build_seq2seq or build_attention_seq2seq. "
            f"Received: model={model!r}"
        )
    return layers


def encoder_view(model):
    """Return a model of the encoder, which runs once per sentence.

    Args:
        model: A model of `build_seq2seq` or `build_attention_seq2seq`, trained or not.

    Returns:
        A `keras.Model` from source ids `(batch, source_length)` to a dict of `states`, the initial
        states of the decoder; with attention also `values`, `keys` and `values_mask`.

    Example:
        >>> model = build_seq2seq(20, 30, embedding_dim=8, units=16)
        >>> [state.shape for state in encoder_view(model)(keras.ops.ones((1, 5)))["states"]]
        [TensorShape([1, 16]), TensorShape([1, 16])]
    """
    layers = layers_of(model)
    source = keras.Input((None,), dtype="int32", name="source")
    encoded = encode(layers, source)
    if "values" in encoded:
        # (batch, source_length, attention units): computed here, once, not at every step
        keys = AttentionKeys(layers["decoder"].attention, name="keys")
        encoded["keys"] = keys(encoded["values"])
        # A copy carries no mask: the decoder gets `values_mask` as an input of its own.
        encoded["values"] = keras.ops.copy(encoded["values"])
    return View(source, encoded)


def step_view(model):
    """Return a model of one decoding step.

    Args:
        model: A model of `build_seq2seq` or `build_attention_seq2seq`, trained or not.

    Returns:
        A `keras.Model` between two dicts. Inputs: `token` `(batch, 1)` and the outputs of
        `encoder_view`. Outputs: `logits` `(batch, target_vocab_size)`, the new `states`, and with
        attention `attention_weights` `(batch, source_length)`.

    Example:
        >>> model = build_seq2seq(20, 30, embedding_dim=8, units=16)
        >>> encoded = encoder_view(model)(keras.ops.ones((1, 5)))
        >>> step_view(model)({"token": keras.ops.full((1, 1), 2), **encoded})["logits"].shape
        TensorShape([1, 30])
    """
    layers = layers_of(model)
    token = keras.Input((1,), dtype="int32", name="token")
    # One input for each output of the encoder, of the same shape and dtype.
    inputs = {
        name: [_input_like(state, f"state_{index}") for index, state in enumerate(tensor)]
        if name == "states"
        else _input_like(tensor, name)
        for name, tensor in encoder_view(model).output.items()
    }
    decoded = decode(layers, token, **inputs)
    # From (batch, 1, …) to (batch, …): one step has no time axis.
    for name in ("logits", "attention_weights"):
        if name in decoded:
            decoded[name] = keras.ops.squeeze(decoded[name], axis=1)
    return View({"token": token, **inputs}, decoded)


def _input_like(tensor, name):
    return keras.Input(tensor.shape[1:], dtype=tensor.dtype, name=name)


def attention_view(model):
    """Return a model of the attention weights under a given target.

    Args:
        model: A model of `build_attention_seq2seq`, trained or not.

    Returns:
        A `keras.Model` with the inputs of `model` and the output `attention_weights`,
        `(batch, target_length, source_length)`. Row t holds the weights of the step that reads
        `target_in[t]` and predicts the next token.

    Raises:
        ValueError: If `model` comes from other builders or has no attention.

    Example:
        >>> model = build_attention_seq2seq(20, 30, embedding_dim=8, units=16)
        >>> ids = {"source": keras.ops.ones((1, 5)), "target_in": keras.ops.ones((1, 4))}
        >>> attention_view(model)(ids).shape
        TensorShape([1, 4, 5])
    """
    forced = forced_view(model)
    if "attention_weights" not in forced.output:
        raise ValueError(
            "`model` has no attention: build it with build_attention_seq2seq. "
            f"Received: model={model!r}"
        )
    return View(forced.input, forced.output["attention_weights"])


def forced_view(model):
    """Return a model of the logits and the attention weights under a given target.

    Args:
        model: A model of `build_seq2seq` or `build_attention_seq2seq`, trained or not.

    Returns:
        A `keras.Model` from the inputs of `model` to a dict of `logits`, the output of `model`, and
        with attention `attention_weights`, the output of `attention_view`.
    """
    layers = layers_of(model)
    source, target_in = model.input["source"], model.input["target_in"]
    decoded = decode(layers, target_in, **encode(layers, source))
    del decoded["states"]  # the target is given: nobody goes on from the last state
    return View(model.input, decoded)


def gate_view(model):
    """Return a model of the gates of the forward LSTM of the encoder, at every source position.

    Of a stack, the lowest cell is shown: the cell that reads the words.

    Args:
        model: A model of either builder whose cell is an `LSTMCell`, trained or not.

    Returns:
        A `keras.Model` from source ids to a dict of `input_gate`, `forget_gate`, `candidate` and
        `output_gate`, each `(batch, source_length, units)`.

    Raises:
        ValueError: If `model` comes from other builders, or its encoder has no forward LSTM.

    Example:
        >>> model = build_seq2seq(20, 30, embedding_dim=8, units=16)
        >>> gate_view(model)(keras.ops.ones((1, 5)))["forget_gate"].shape
        TensorShape([1, 5, 8])
    """
    layers = layers_of(model)
    # A bidirectional encoder has two layers; a backward cell reads the words in another order.
    encoder = getattr(layers["encoder"], "forward_layer", layers["encoder"])
    cell = cells_of(encoder.cell)[0]
    if not isinstance(cell, LSTMCell) or encoder.go_backwards:
        raise ValueError(
            "`model` must have a forward LSTM in its encoder. "
            f"Received: model={model!r} with cell={encoder.cell!r}"
        )
    source = keras.Input((None,), dtype="int32", name="source")
    embedded = layers["source_dropout"](layers["source_embedding"](source))
    return View(source, LSTMGates(cell, name="gates")(embedded))
