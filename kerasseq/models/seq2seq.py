"""Sequence to sequence models, with and without attention.

Apart from the attention, both builders make the same network, so the two can be compared:

    source    → embedding → encoder → bridge → first state of the decoder
    target_in → embedding → decoder → readout → logits

The layers have fixed names; `kerasseq.models.views` finds them by name.
"""

import keras

from kerasseq.checks import (
    check_boolean,
    check_one_of,
    check_positive_integer,
    check_rate,
    check_vocabulary_size,
)
from kerasseq.layers import RNN, AttentionRNN
from kerasseq.layers.attention import BahdanauAttention
from kerasseq.layers.cell_stack import state_sizes
from kerasseq.models.cells import make_cells

_ENCODERS = ("forward", "backward", "bidirectional")


@keras.saving.register_keras_serializable(package="kerasseq")
class TiedEmbedding(keras.layers.ReversibleEmbedding):
    """An embedding whose matrix also turns vectors into logits, and keeps the mask there.

    Keras' own `ReversibleEmbedding` drops the mask of the vectors, and the loss counts padding.

    Example:
        >>> embedding = TiedEmbedding(10, 4, mask_zero=True)
        >>> embedding(embedding(keras.ops.ones((2, 3), dtype="int32")), reverse=True).shape
        TensorShape([2, 3, 10])
    """

    def compute_mask(self, inputs, mask=None):
        # Ids have a mask of their own, ids != 0; vectors, on the way to logits, keep the mask that
        # they came with.
        if keras.backend.is_float_dtype(keras.backend.standardize_dtype(inputs.dtype)):
            return mask
        return super().compute_mask(inputs, mask)


def build_seq2seq(
    source_vocab_size,
    target_vocab_size,
    *,
    cell="lstm",
    layers=1,
    encoder="bidirectional",
    embedding_dim=128,
    units=256,
    readout_dim=None,
    dropout=0.0,
    tie_embeddings=False,
    name=None,
):
    """Build an encoder–decoder without attention, section 3.4.1 of the chapter.

    The decoder starts from the final state of the encoder and sees nothing else of the source. This
    one vector is the bottleneck of section 3.4.2 (Sutskever, Vinyals & Le 2014).

    Args:
        source_vocab_size, target_vocab_size: Numbers of ids, the four control tokens included.
        cell, layers, encoder, embedding_dim, units, readout_dim, dropout, tie_embeddings, name: As
            in `build_attention_seq2seq`.

    Returns:
        A functional `keras.Model` as in `build_attention_seq2seq`.

    Raises:
        ValueError: If an option does not fit.

    Example:
        >>> model = build_seq2seq(20, 30, embedding_dim=8, units=16)
        >>> model.output_shape
        (None, None, 30)
    """
    return _build(
        source_vocab_size,
        target_vocab_size,
        attention=None,
        cell=cell,
        layers=layers,
        encoder=encoder,
        embedding_dim=embedding_dim,
        units=units,
        readout_dim=readout_dim,
        dropout=dropout,
        tie_embeddings=tie_embeddings,
        name=name,
    )


def build_attention_seq2seq(
    source_vocab_size,
    target_vocab_size,
    *,
    cell="lstm",
    layers=1,
    encoder="bidirectional",
    embedding_dim=128,
    units=256,
    attention_units=None,
    readout_dim=None,
    dropout=0.0,
    tie_embeddings=False,
    name=None,
):
    """Build an encoder–decoder with Bahdanau attention, section 3.4.3 of the chapter.

    Args:
        source_vocab_size, target_vocab_size: Numbers of ids, the four control tokens included.
        cell: `"rnn"`, `"lstm"`, or any callable units -> Keras cell, such as
            `keras.layers.GRUCell`, the cell of the paper.
        layers: Number of stacked cells, in the encoder and in the decoder. A bidirectional encoder
            has this number of cells in each direction.
        encoder: `"forward"`; `"backward"`, which reads the source from its end (Sutskever et al.
            2014); or `"bidirectional"`, with half of `units` in each direction.
        embedding_dim: Width of both embeddings.
        units: Width of the decoder state and of the encoder outputs.
        attention_units: Width of the hidden layer of the attention. Default: `units`.
        readout_dim: Width of the layer between decoder and logits. Default: `embedding_dim`.
        dropout: Dropout rate on both embeddings and the readout.
        tie_embeddings: Use the target embedding also as output matrix (Press & Wolf 2017).
            `readout_dim` must then equal `embedding_dim`.
        name: Name of the model.

    Returns:
        A functional `keras.Model` with inputs `{"source", "target_in"}`, integer ids of shape
        `(batch, source_length)` and `(batch, target_length)`, 0 = padding. The output is logits
        `(batch, target_length, target_vocab_size)`, float32, with the mask of the target. Compile
        the model with `SmoothedCrossentropy` or a loss of Keras with `from_logits=True`.

    Raises:
        ValueError: If an option does not fit.

    Example:
        >>> model = build_attention_seq2seq(20, 30, embedding_dim=8, units=16)
        >>> attention_view(model)({"source": keras.ops.ones((1, 5), dtype="int32"),
        ...                        "target_in": keras.ops.ones((1, 4), dtype="int32")}).shape
        TensorShape([1, 4, 5])
    """
    units = check_positive_integer("units", units)
    width = units if attention_units is None else attention_units
    return _build(
        source_vocab_size,
        target_vocab_size,
        attention=BahdanauAttention(check_positive_integer("attention_units", width)),
        cell=cell,
        layers=layers,
        encoder=encoder,
        embedding_dim=embedding_dim,
        units=units,
        readout_dim=readout_dim,
        dropout=dropout,
        tie_embeddings=tie_embeddings,
        name=name,
    )


def _build(
    source_vocab_size,
    target_vocab_size,
    attention,
    cell,
    layers,
    encoder,
    embedding_dim,
    units,
    readout_dim,
    dropout,
    tie_embeddings,
    name,
):
    """Build the model; `attention` is a layer, or None for a decoder without attention."""
    source_vocab_size = check_vocabulary_size("source_vocab_size", source_vocab_size)
    target_vocab_size = check_vocabulary_size("target_vocab_size", target_vocab_size)
    embedding_dim = check_positive_integer("embedding_dim", embedding_dim)
    readout_dim = embedding_dim if readout_dim is None else readout_dim
    readout_dim = check_positive_integer("readout_dim", readout_dim)
    tie_embeddings = check_boolean("tie_embeddings", tie_embeddings)
    if tie_embeddings and readout_dim != embedding_dim:
        raise ValueError(
            "With `tie_embeddings`, `readout_dim` must equal `embedding_dim`. "
            f"Received: readout_dim={readout_dim!r}, embedding_dim={embedding_dim!r}"
        )
    depth = check_positive_integer("layers", layers)
    # All layers by name, made once: training, search and views call the same layers.
    layers = _make_layers(cell, depth, encoder, units, attention, dropout)
    floats = keras.config.dtype_policy().variable_dtype  # logits stay float32 in mixed precision
    layers["source_embedding"] = _make_embedding("source", source_vocab_size, embedding_dim)
    layers["readout"] = keras.layers.Dense(readout_dim, activation="tanh", name="readout")
    if tie_embeddings:
        # One matrix, (target_vocab_size, embedding_dim), reads tokens and writes logits.
        layers["target_embedding"] = _make_embedding(
            "target", target_vocab_size, embedding_dim, TiedEmbedding, reverse_dtype=floats
        )
    else:
        layers["target_embedding"] = _make_embedding("target", target_vocab_size, embedding_dim)
        layers["logits"] = keras.layers.Dense(target_vocab_size, dtype=floats, name="logits")
    source = keras.Input((None,), dtype="int32", name="source")  # (batch, source_length)
    target_in = keras.Input((None,), dtype="int32", name="target_in")  # (batch, target_length)
    decoded = decode(layers, target_in, **encode(layers, source))
    inputs = {"source": source, "target_in": target_in}
    return keras.Model(inputs, decoded["logits"], name=name)


def _make_embedding(side, vocab_size, width, layer=keras.layers.Embedding, **options):
    # Keras' default, numbers within ±0.05, gives attention hardly any signal at first: the loss
    # after 225 steps on phrasebook was 4.1 with it, and 2.0 with a standard deviation of 1. A tied
    # embedding is also the output matrix; it begins small, so that the first logits are near zero.
    stddev = width**-0.5 if layer is TiedEmbedding else 1.0
    initializer = keras.initializers.RandomNormal(stddev=stddev)
    options |= {"embeddings_initializer": initializer, "name": f"{side}_embedding"}
    # `mask_zero`: id 0 is padding, and every layer above learns so from the mask.
    return layer(vocab_size, width, mask_zero=True, **options)


def _make_layers(cell, depth, encoder, units, attention, dropout):
    """Return a dict of the layers that do not depend on a vocabulary, by name."""
    check_one_of("encoder", encoder, _ENCODERS)
    units = check_positive_integer("units", units)
    dropout = check_rate("dropout", dropout)
    if encoder == "bidirectional" and units % 2:
        raise ValueError(
            f"`units` must be even with a bidirectional encoder. Received: units={units!r}"
        )
    # Attention reads every output of the encoder; the decoder begins with the final states.
    sequences = {"return_sequences": True, "return_state": True}
    if encoder == "bidirectional":
        # Half of the units in each direction: the outputs side by side are `units` wide.
        one_way = RNN(make_cells(cell, units // 2, depth), **sequences)
        layers = {"encoder": keras.layers.Bidirectional(one_way, name="encoder")}
        # Each state of the decoder, `units` wide, comes from the two directions' states.
        for index in range(len(state_sizes(one_way.cell))):
            bridge = keras.layers.Dense(units, activation="tanh", name=f"bridge_{index}")
            layers[f"bridge_{index}"] = bridge
    else:
        options = sequences | {"go_backwards": encoder == "backward"}
        layers = {"encoder": RNN(make_cells(cell, units, depth), name="encoder", **options)}
    if attention is not None:
        layers["decoder"] = AttentionRNN(make_cells(cell, units, depth), attention, name="decoder")
    else:
        layers["decoder"] = RNN(make_cells(cell, units, depth), name="decoder", **sequences)
    # Dropout between the layers only: recurrent dropout would take the decoder off the fast path.
    for part in ("source", "target", "readout"):
        layers[f"{part}_dropout"] = keras.layers.Dropout(dropout, name=f"{part}_dropout")
    return layers


def encode(layers, source):
    """Encode the source, `(batch, source_length)`.

    Returns:
        Dict of `states`, a list of `(batch, units)`, the first states of the decoder; with
        attention also `values` `(batch, source_length, units)` and `values_mask` `(batch,
        source_length)`.
    """
    # (batch, source_length, embedding_dim)
    embedded = layers["source_dropout"](layers["source_embedding"](source))
    # (batch, source_length, units), then the final states, (batch, units) each
    values, *states = keras.tree.flatten(layers["encoder"](embedded))
    if "bridge_0" in layers:  # a bidirectional encoder: forward states, then backward states
        count = len(states) // 2
        pairs = zip(states[:count], states[count:], strict=True)
        joined = [keras.layers.Concatenate()(pair) for pair in pairs]  # (batch, units) each
        states = [layers[f"bridge_{index}"](state) for index, state in enumerate(joined)]
    if not isinstance(layers["decoder"], AttentionRNN):
        return {"states": states}  # the bottleneck: nothing else of the source goes on
    if getattr(layers["encoder"], "go_backwards", False):
        values = keras.ops.flip(values, axis=1)  # back into the order of the source
    return {"states": states, "values": values, "values_mask": keras.ops.not_equal(source, 0)}


def decode(layers, target_in, states, values=None, values_mask=None, keys=None):
    """Decode the target, `(batch, target_length)`, from what `encode` returned.

    Returns:
        Dict of `logits` `(batch, target_length, target_vocab_size)` and `states`, the final states
        of the decoder; with attention also `attention_weights` `(batch, target_length,
        source_length)`.
    """
    # (batch, target_length, embedding_dim)
    embedded = layers["target_dropout"](layers["target_embedding"](target_in))
    decoded = {}
    if values is None:
        outputs, *states = keras.tree.flatten(layers["decoder"](embedded, initial_state=states))
        parts = [outputs, embedded]  # (batch, target_length, …) each
    else:
        # Training has no keys: the decoder projects the values itself. A search passes keys, which
        # it has computed once per sentence.
        outputs, contexts, decoded["attention_weights"], *states = layers["decoder"](
            embedded, values, initial_state=states, keys=keys, values_mask=values_mask
        )
        parts = [outputs, contexts, embedded]
    # Deep output (Pascanu et al. 2014): state, context and previous word go through a narrow layer.
    # Every part carries the target mask; Concatenate drops the mask if one part has none.
    # (batch, target_length, readout_dim)
    readout = layers["readout_dropout"](layers["readout"](keras.layers.Concatenate()(parts)))
    # Logits, not probabilities, (batch, target_length, target_vocab_size): the loss takes their
    # logarithm and softmax in one step, which no small probability can spoil.
    if "logits" in layers:
        logits = layers["logits"](readout)
    else:
        logits = layers["target_embedding"](readout, reverse=True)
    return {"logits": logits, "states": states} | decoded
