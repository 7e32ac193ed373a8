"""Whatever does not fit is refused by a ValueError that names what was expected and received.

One line a mistake: what the layer is called with, and the text that follows. Every call is made
with arrays, with symbols and in a graph that knows the shapes, and on a new and a built layer.
"""

import json
import re

import keras
import numpy as np
import pytest
import tensorflow as tf
from support.reference import assert_close, normal

from kerasseq import (
    RNN,
    AttentionRNN,
    BahdanauAttention,
    LSTMCell,
    RNNCell,
    SmoothedCrossentropy,
)
from kerasseq.metrics import Perplexity, TokenAccuracy

# Another prime for every axis.
BATCH, LENGTH, FEATURES, UNITS = 3, 5, 2, 11
SOURCE_LENGTH, VALUE_DIM, ATTENTION_UNITS, WRONG = 7, 13, 17, 19


class Of(tuple):
    """A tensor yet to be made: its shape, and its dtype where that is not float32."""

    dtype = "float32"


def of(*shape, dtype="float32"):
    made = Of(shape)
    made.dtype = dtype
    return made


def array(spec):
    if spec.dtype == "string":
        return np.full(spec, "x")
    return np.ones(spec, spec.dtype) if spec.dtype != "float32" else normal(*spec)


def symbol(spec):
    return keras.Input(batch_shape=tuple(spec), dtype=spec.dtype)


def make(value, how):
    """Replace every `Of` in a possibly nested argument."""
    if isinstance(value, Of):
        return how(value)
    return [make(one, how) for one in value] if isinstance(value, list) else value


STATE = of(BATCH, UNITS)
FITTING = {
    "cell": {"inputs": of(BATCH, FEATURES), "states": [STATE, STATE]},
    "elman": {"inputs": of(BATCH, FEATURES), "states": [STATE]},
    "rnn": {"sequences": of(BATCH, LENGTH, FEATURES)},
    "stack": {"sequences": of(BATCH, LENGTH, FEATURES)},
    "keras cell": {"sequences": of(BATCH, LENGTH, FEATURES)},
    "attention": {
        "query": of(BATCH, FEATURES),
        "values": of(BATCH, SOURCE_LENGTH, VALUE_DIM),
    },
    "decoder": {
        "inputs": of(BATCH, LENGTH, FEATURES),
        "values": of(BATCH, SOURCE_LENGTH, VALUE_DIM),
    },
}
MAKE = {
    "cell": lambda: LSTMCell(UNITS),
    "elman": lambda: RNNCell(UNITS),
    "rnn": lambda: RNN(LSTMCell(UNITS)),
    "stack": lambda: RNN([LSTMCell(UNITS), RNNCell(FEATURES)]),
    "keras cell": lambda: RNN(keras.layers.GRUCell(UNITS)),
    "attention": lambda: BahdanauAttention(ATTENTION_UNITS),
    "decoder": lambda: AttentionRNN(LSTMCell(UNITS), BahdanauAttention(ATTENTION_UNITS)),
}
IDS = "hold floating-point numbers: integer ids go through a keras.layers.Embedding first. "
SEQUENCES = "`sequences` must have shape (batch, length, features)"
QUERY = "`query` must have shape (batch, query_dim) or (batch, target_length, query_dim)"
VALUES = "`values` must have shape (batch, source_length, value_dim)"
INPUTS = "`inputs` must have shape (batch, target_length, features)"
KEYS = "`keys` must have shape (batch, source_length, units)"
CELL_INPUTS = "`inputs` must have shape (batch, features)"
TWO = "must hold 2 states of shape (batch, 11), (batch, 11)"
INITIAL = f"`initial_state` {TWO}"
MASK = "must have the shape (batch, length) of its sequence, "
BOOL = "must hold booleans, True = real. "

# Mistakes that a new layer sees, too.
MISTAKES = [
    # layer, arguments, what is said
    ("cell", {"inputs": of(BATCH, LENGTH, FEATURES)}, f"{CELL_INPUTS}. inputs.shape=(3, 5, 2)"),
    ("cell", {"inputs": of(BATCH)}, f"{CELL_INPUTS}. inputs.shape=(3,)"),
    ("cell", {"inputs": [of(BATCH, 2), of(BATCH, 2)]}, f"{CELL_INPUTS}. inputs=[(3, 2), (3, 2)]"),
    ("cell", {"inputs": None}, f"{CELL_INPUTS}. inputs=None"),
    ("cell", {"inputs": of(BATCH, 2, dtype="int32")}, f"`inputs` must {IDS}inputs.dtype=int32"),
    ("cell", {"inputs": of(BATCH, 2, dtype="string")}, f"`inputs` must {IDS}inputs.dtype=string"),
    ("cell", {"states": None}, f"`states` {TWO}. states of shape [None]"),
    ("cell", {"states": STATE}, f"`states` {TWO}. states of shape [(3, 11)]"),
    ("cell", {"states": [STATE]}, f"`states` {TWO}. states of shape [(3, 11)]"),
    ("cell", {"states": [STATE] * 3}, f"`states` {TWO}. states of shape [(3, 11), (3, 11), (3"),
    ("cell", {"states": [of(BATCH, WRONG), STATE]}, f"`states` {TWO}. states of shape [(3, 19), "),
    ("cell", {"states": [of(2, UNITS)] * 2}, f"{TWO} with batch = 3. states of shape [(2, 11), (2"),
    ("elman", {"states": of(UNITS)}, "`states` must hold 1 states of shape (batch, 11). "),
    ("rnn", {"sequences": of(BATCH, LENGTH)}, f"{SEQUENCES}. sequences.shape=(3, 5)"),
    ("rnn", {"sequences": of(1, 3, 5, 2)}, f"{SEQUENCES}. sequences.shape=(1, 3, 5, 2)"),
    ("rnn", {"sequences": of(BATCH, LENGTH, dtype="int32")}, f"{SEQUENCES}. sequences.shape=(3,"),
    ("rnn", {"sequences": of(3, 5, 2, dtype="int64")}, f"must {IDS}sequences.dtype=int64"),
    ("rnn", {"sequences": of(3, 5, 2, dtype="string")}, f"must {IDS}sequences.dtype=string"),
    ("rnn", {"sequences": [of(3, 5, 2)] * 2}, f"{SEQUENCES}. sequences=[(3, 5, 2), (3, 5, 2)]"),
    ("rnn", {"sequences": None}, f"{SEQUENCES}. sequences=None"),
    ("rnn", {"initial_state": [STATE]}, f"{INITIAL}. initial_state of shape [(3, 11)]"),
    ("rnn", {"initial_state": STATE}, f"{INITIAL}. initial_state of shape [(3, 11)]"),
    ("rnn", {"initial_state": [STATE] * 3}, f"{INITIAL}. initial_state of shape [(3, 11), (3,"),
    ("rnn", {"initial_state": [STATE, None]}, f"{INITIAL}. initial_state of shape [(3, 11), None]"),
    ("rnn", {"initial_state": [of(3, 5, 11)] * 2}, f"{INITIAL}. initial_state of shape [(3, 5, 11"),
    ("rnn", {"initial_state": [of(3, WRONG)] * 2}, f"{INITIAL}. initial_state of shape [(3, 19"),
    ("rnn", {"initial_state": [of(2, UNITS)] * 2}, f"{INITIAL} with batch = 3. initial_state "),
    ("stack", {"initial_state": [STATE, STATE]}, "(batch, 2). initial_state of shape [(3, 11), ("),
    (
        "stack",
        {"initial_state": [of(3, FEATURES), STATE, STATE]},
        "(batch, 11), (batch, 11), (batch, 2). initial_state of shape [(3, 2), (3, 11), (3, 11)]",
    ),
    ("keras cell", {"initial_state": [STATE, STATE]}, "hold 1 states of shape (batch, 11). init"),
    ("rnn", {"mask": of(BATCH, WRONG)}, f"`mask` {MASK}(3, 5). mask.shape=(3, 19)"),
    ("rnn", {"mask": of(2, LENGTH)}, f"`mask` {MASK}(3, 5). mask.shape=(2, 5)"),
    ("rnn", {"mask": of(LENGTH)}, f"`mask` {MASK}(3, 5). mask.shape=(5,)"),
    ("rnn", {"mask": of(3, 5, dtype="string")}, f"`mask` {BOOL}mask.dtype=string"),
    ("rnn", {"sequences_mask": of(3, 4)}, f"`mask` {MASK}(3, 5). mask.shape=(3, 4)"),
    ("attention", {"query": of(BATCH)}, f"{QUERY}. query.shape=(3,)"),
    ("attention", {"query": of(3, 1, 1, 2)}, f"{QUERY}. query.shape=(3, 1, 1, 2)"),
    ("attention", {"query": None}, f"{QUERY}. query=None"),
    ("attention", {"query": [of(3, 2), of(3, 2)]}, f"{QUERY}. query=[(3, 2), (3, 2)]"),
    ("attention", {"query": of(3, 2, dtype="int32")}, f"`query` must {IDS}query.dtype=int32"),
    ("attention", {"query": of(3, 2, dtype="string")}, f"`query` must {IDS}query.dtype=string"),
    ("attention", {"values": of(BATCH, VALUE_DIM)}, f"{VALUES}. values.shape=(3, 13)"),
    ("attention", {"values": of(2, 7, 13)}, f"{VALUES} with batch = 3. values.shape=(2, 7, 13)"),
    ("attention", {"values": None}, f"{VALUES}. values=None"),
    ("attention", {"values": [of(3, 7, 13)] * 2}, f"{VALUES}. values=[(3, 7, 13), (3, 7, 13)]"),
    ("attention", {"values": of(3, 7, 13, dtype="int32")}, f"must {IDS}values.dtype=int32"),
    ("attention", {"values": of(3, 2)}, f"{VALUES}. values.shape=(3, 2)"),
    ("attention", {"keys": of(3, 17)}, f"{KEYS}. keys.shape=(3, 17)"),
    ("attention", {"keys": of(3, 7, WRONG)}, f"{KEYS} with units = 17. keys.shape=(3, 7, 19)"),
    ("attention", {"keys": of(3, 1, 17)}, f"{KEYS} with source_length = 7. keys.shape=(3, 1, 17)"),
    ("attention", {"keys": of(1, 7, 17)}, f"{KEYS} with batch = 3. keys.shape=(1, 7, 17)"),
    ("attention", {"keys": of(3, 7, 17, dtype="int32")}, f"`keys` must {IDS}keys.dtype=int32"),
    ("attention", {"values_mask": of(3, 6)}, f"{MASK}(3, 7). values_mask.shape=(3, 6)"),
    ("attention", {"values_mask": of(3, 7, 1)}, f"{MASK}(3, 7). values_mask.shape=(3, 7, 1)"),
    ("attention", {"values_mask": of(3, 7, dtype="string")}, f"{BOOL}values_mask.dtype=string"),
    ("decoder", {"inputs": of(3, 5)}, f"{INPUTS}. inputs.shape=(3, 5)"),
    ("decoder", {"inputs": of(3, 5, dtype="int32")}, f"{INPUTS}. inputs.shape=(3, 5)"),
    ("decoder", {"inputs": None}, f"{INPUTS}. inputs=None"),
    ("decoder", {"inputs": of(3, 5, 2, dtype="int32")}, f"`inputs` must {IDS}inputs.dtype=int32"),
    ("decoder", {"inputs": [of(3, 5, 2)] * 2}, f"{INPUTS}. inputs=[(3, 5, 2), (3, 5, 2)]"),
    ("decoder", {"values": of(3, 13)}, f"{VALUES}. values.shape=(3, 13)"),
    ("decoder", {"values": None}, f"{VALUES}. values=None"),
    ("decoder", {"values": of(3, 7, 13, dtype="string")}, f"must {IDS}values.dtype=string"),
    ("decoder", {"values": of(2, 7, 13)}, f"{VALUES} with batch = 3. values.shape=(2, 7, 13)"),
    ("decoder", {"keys": of(3, 7, WRONG)}, f"{KEYS} with units = 17. keys.shape=(3, 7, 19)"),
    ("decoder", {"keys": of(3, 6, 17)}, f"{KEYS} with source_length = 7. keys.shape=(3, 6, 17)"),
    ("decoder", {"initial_state": [STATE]}, f"{INITIAL}. initial_state of shape [(3, 11)]"),
    ("decoder", {"initial_state": [STATE, None]}, f"{INITIAL}. initial_state of shape [(3, 11), N"),
    ("decoder", {"initial_state": [of(2, 11)] * 2}, f"{INITIAL} with batch = 3. initial_state of "),
    ("decoder", {"inputs_mask": of(3, 7)}, f"`inputs_mask` {MASK}(3, 5). inputs_mask.shape=(3, 7)"),
    ("decoder", {"values_mask": of(3, 5)}, f"`values_mask` {MASK}(3, 7). values_mask.shape=(3, 5)"),
    ("decoder", {"inputs_mask": of(3, 5, dtype="string")}, f"{BOOL}inputs_mask.dtype=string"),
]  # fmt: skip

# Mistakes that only a layer sees which knows its widths.
OTHER_WIDTHS = [
    ("cell", {"inputs": of(3, 1)}, f"{CELL_INPUTS} with features = 2. inputs.shape=(3, 1)"),
    ("cell", {"inputs": of(3, WRONG)}, f"{CELL_INPUTS} with features = 2. inputs.shape=(3, 19)"),
    ("rnn", {"sequences": of(3, 5, 1)}, f"{SEQUENCES} with features = 2. sequences.shape=(3, 5,"),
    ("stack", {"sequences": of(3, 5, 3)}, f"{SEQUENCES} with features = 2. sequences.shape=(3, 5"),
    ("keras cell", {"sequences": of(3, 5, 3)}, f"{SEQUENCES} with features = 2. sequences.shape=("),
    ("attention", {"query": of(3, WRONG)}, f"{QUERY} with query_dim = 2. query.shape=(3, 19)"),
    ("attention", {"values": of(3, 7, 2)}, f"{VALUES} with value_dim = 13. values.shape=(3, 7, 2)"),
    (
        "attention",
        {"query": of(3, 7, 13), "values": of(3, 5, 2)},
        f"{QUERY} with query_dim = 2. query.shape=(3, 7, 13)",
    ),
    ("decoder", {"inputs": of(3, 5, 1)}, f"{INPUTS} with features = 2. inputs.shape=(3, 5, 1)"),
    ("decoder", {"values": of(3, 7, 12)}, f"{VALUES} with value_dim = 13. values.shape=(3, 7, 12)"),
    (
        "decoder",
        {"inputs": of(3, 7, 13), "values": of(3, 5, 2)},
        f"{INPUTS} with features = 2. inputs.shape=(3, 7, 13)",
    ),
]  # fmt: skip


def called(layer, arguments, how):
    """Call a layer with arrays, with symbols, or in a graph that knows the shapes."""

    def call(kind):
        return layer(**{name: make(value, kind) for name, value in arguments.items()})

    if how == "graph":
        return tf.function(
            lambda: call(lambda spec: tf.constant(array(spec)))
        ).get_concrete_function()
    return call(symbol if how == "symbols" else array)


def pattern(said):
    """Return `said`, which leaves out the "Received: ", as a regular expression."""
    expected, _, received = said.rpartition(". ")
    return re.escape(f"{expected}. Received: {received}")


@pytest.fixture(scope="module")
def built():
    layers = {}
    for name, make_layer in MAKE.items():
        layers[name] = make_layer()
        called(layers[name], FITTING[name], "arrays")
    return layers


def table(rows):
    return pytest.mark.parametrize(
        ("name", "wrong", "said"), rows, ids=[f"{name}: {said}" for name, _, said in rows]
    )


HOW = pytest.mark.parametrize("how", ["arrays", "symbols", "graph"])


@HOW
@table(MISTAKES + OTHER_WIDTHS)
def test_a_mistake_is_explained(built, name, wrong, said, how):
    with pytest.raises(ValueError, match=pattern(said)):
        called(built[name], FITTING[name] | wrong, how)


@pytest.mark.parametrize("how", ["arrays", "symbols"])
@table(MISTAKES)
def test_a_new_layer_explains_it_too(name, wrong, said, how):
    with pytest.raises(ValueError, match=pattern(said)):
        called(MAKE[name](), FITTING[name] | wrong, how)


@HOW
@pytest.mark.parametrize("name", MAKE)
def test_what_fits_is_taken(name, how, built):
    called(built[name], FITTING[name], how)
    called(MAKE[name](), FITTING[name], how)


# Calls that are not of one tensor's shape


def test_values_left_out():
    for layer, first in (
        (BahdanauAttention(4), normal(3, 2)),
        (MAKE["decoder"](), normal(3, 5, 2)),
    ):
        with pytest.raises(TypeError, match="missing a required argument: 'values'"):
            layer(first)


@pytest.mark.parametrize("values", [[0.5] * LENGTH, [0.0, -1e9, 0, 0, 0]], ids=["half", "additive"])
def test_a_mask_of_floats_is_of_zeros_and_ones(built, values):
    mask = np.array([values] * BATCH, "float32")
    sequences = normal(BATCH, LENGTH, FEATURES)
    expected = r"`mask` must hold booleans, True = real; of floats only 0 and 1\."
    with pytest.raises(ValueError, match=rf"{expected} Received: mask=\[\["):
        built["rnn"](sequences, mask=mask)
    graph = tf.function(lambda mask: built["rnn"](sequences, mask=mask))
    with pytest.raises(tf.errors.InvalidArgumentError, match=expected):
        graph(tf.constant(mask))
    right = np.arange(LENGTH)[None] < np.full((BATCH, 1), 2)
    assert_close(graph(tf.constant(right, "float32")), built["rnn"](sequences, mask=right))


# Constructors

CELLS = pytest.mark.parametrize("make_cell", [RNNCell, LSTMCell, BahdanauAttention])


@CELLS
@pytest.mark.parametrize("units", [0, -1, 1.5, 4.0, True, "7", None, np.float32(3), np.bool_(True)])
def test_units_must_be_a_positive_integer(make_cell, units):
    expected = f"`units` must be a positive integer. Received: units={units!r}"
    with pytest.raises(ValueError, match=f"^{re.escape(expected)}$"):
        make_cell(units)


@CELLS
def test_an_integer_of_numpy_is_one(make_cell):
    config = json.dumps(make_cell(np.int64(4)).get_config())
    assert make_cell.from_config(json.loads(config)).units == 4


@pytest.mark.parametrize("make_cell", [RNNCell, LSTMCell])
@pytest.mark.parametrize("name", ["dropout", "recurrent_dropout"])
@pytest.mark.parametrize("rate", [1.0, -0.1, 2, "a", None, True, float("nan")])
def test_dropout_must_be_a_rate(make_cell, name, rate):
    expected = f"`{name}` must be a rate in [0, 1). Received: {name}={rate!r}"
    with pytest.raises(ValueError, match=f"^{re.escape(expected)}$"):
        make_cell(UNITS, **{name: rate})


def test_a_rate_of_numpy_is_one():
    config = json.dumps(LSTMCell(3, dropout=np.float32(0.5)).get_config())
    assert json.loads(config)["dropout"] == 0.5


@pytest.mark.parametrize("rate", [1.0, -0.1, "a", None, True])
def test_label_smoothing_must_be_a_rate(rate):
    expected = f"`label_smoothing` must be a rate in [0, 1). Received: label_smoothing={rate!r}"
    with pytest.raises(ValueError, match=f"^{re.escape(expected)}$"):
        SmoothedCrossentropy(rate)


KINDS = {
    "activation": ["activation", "recurrent_activation"],
    "initializer": ["kernel_initializer", "recurrent_initializer", "bias_initializer"],
    "regularizer": ["kernel_regularizer", "recurrent_regularizer", "bias_regularizer"],
    "constraint": ["kernel_constraint", "recurrent_constraint", "bias_constraint"],
}


@pytest.mark.parametrize("value", ["tahn", 5])
@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in KINDS for name in KINDS[kind]])
def test_an_unknown_name(kind, name, value):
    expected = f"`{name}` must be the name of a Keras {kind}, its config or a callable. "
    with pytest.raises(ValueError, match=f"^{re.escape(f'{expected}Received: {name}={value!r}')}$"):
        LSTMCell(UNITS, **{name: value})


@pytest.mark.parametrize("cell", [LSTMCell, LSTMCell(2).step, keras.layers.Dense(2), None, "lstm"])
@pytest.mark.parametrize(
    "make_layer",
    [
        RNN,
        lambda cell: RNN([RNNCell(2), cell]),
        lambda cell: AttentionRNN(cell, MAKE["attention"]()),
    ],
    ids=["rnn", "stack", "decoder"],
)
def test_a_cell_that_is_none(make_layer, cell):
    expected = (
        "`cell` must be an instance of a Keras cell: callable, with a `state_size`. Received: "
    )
    with pytest.raises(ValueError, match=f"^{re.escape(f'{expected}cell={cell!r}')}$"):
        make_layer(cell)


@pytest.mark.parametrize("attention", [BahdanauAttention, keras.layers.AdditiveAttention(), None])
def test_an_attention_that_is_none(attention):
    expected = f"Received: attention={attention!r}"
    with pytest.raises(ValueError, match=f"`attention` must .*{re.escape(expected)}$"):
        AttentionRNN(LSTMCell(UNITS), attention)


@pytest.mark.parametrize(("query_dim", "value_dim"), [(UNITS, WRONG), (WRONG, VALUE_DIM)])
@pytest.mark.parametrize("how", ["arrays", "symbols"])
def test_an_attention_built_for_other_widths(query_dim, value_dim, how):
    attention = BahdanauAttention(4)
    attention(normal(BATCH, query_dim), normal(BATCH, SOURCE_LENGTH, value_dim))
    expected = (
        "`attention` must be new or built for inputs of width (11, 13). "
        f"Received: attention built for width ({query_dim}, {value_dim})"
    )
    with pytest.raises(ValueError, match=re.escape(expected)):
        called(AttentionRNN(LSTMCell(UNITS), attention), FITTING["decoder"], how)


@pytest.mark.parametrize(
    ("name", "make_layer", "width"),
    [
        ("rnn", RNN, FEATURES),
        ("rnn", lambda cell: RNN([cell, RNNCell(2)]), FEATURES),
        ("decoder", lambda cell: AttentionRNN(cell, BahdanauAttention(4)), FEATURES + VALUE_DIM),
    ],
)
def test_a_cell_built_for_another_width(name, make_layer, width):
    cell = LSTMCell(UNITS)
    cell.build((None, WRONG))
    expected = (
        f"`cell` must be new or built for inputs of width ({width},). "
        f"Received: cell built for width ({WRONG},)"
    )
    with pytest.raises(ValueError, match=re.escape(expected)):
        called(make_layer(cell), FITTING[name], "arrays")


# Loss and metrics

LOGITS = "`y_pred` must have shape (batch, length, vocab_size)"
LOSS_IDS = "`y_true` must have shape (batch, length)"
PREDICTED = "`y_pred` must have shape (batch, target_length, vocabulary)"
METRIC_IDS = "`y_true` must have shape (batch, target_length) or (batch, target_length, 1)"
IDS_3_5 = of(3, 5, dtype="int32")
WEIGHTS = "`sample_weight` must have shape (batch) or (batch, target_length)"


@pytest.mark.parametrize(
    ("ids", "logits", "said"),
    [
        (of(3, 5), of(3, 5), f"{LOGITS}. y_pred.shape=(3, 5)"),
        (of(3, 5, 7), of(3, 5), f"{LOGITS}. y_pred.shape=(3, 5)"),
        (of(3), of(3, 5, 7), f"{LOSS_IDS}. y_true.shape=(3,)"),
        (of(3, 5, 7), of(3, 5, 7), f"{LOSS_IDS}. y_true.shape=(3, 5, 7)"),
        (of(3, 4), of(3, 5, 7), f"{LOSS_IDS} with length = 5. y_true.shape=(3, 4)"),
        (of(1, 5), of(3, 5, 7), f"{LOSS_IDS} with batch = 3. y_true.shape=(1, 5)"),
    ],
)
def test_a_loss_of_what_does_not_fit(ids, logits, said):
    with pytest.raises(ValueError, match=pattern(said)):
        SmoothedCrossentropy()(array(ids), array(logits))


@pytest.mark.parametrize("make_metric", [Perplexity, TokenAccuracy])
@pytest.mark.parametrize(
    ("ids", "logits", "weights", "said"),
    [
        (of(3, 5), of(3, 5), None, f"{PREDICTED}. y_pred.shape=(3, 5)"),
        (of(3, 5, 7), of(3, 5), None, f"{PREDICTED}. y_pred.shape=(3, 5)"),
        (of(3, 5), of(3, 5, 7, dtype="int32"), None, f"`y_pred` must {IDS}y_pred.dtype=int32"),
        (of(3, 5, dtype="string"), of(3, 5, 7), None, "`y_true` must hold integer ids. y_true.dt"),
        (of(3), of(3, 5, 7), None, f"{METRIC_IDS}. y_true.shape=(3,)"),
        (of(3, 4), of(3, 5, 7), None, f"{METRIC_IDS} with target_length = 5. y_true.shape=(3, 4)"),
        (of(1, 5), of(3, 5, 7), None, f"{METRIC_IDS} with batch = 3. y_true.shape=(1, 5)"),
        (of(3, 5, 7), of(3, 5, 7), None, f"{METRIC_IDS} with 1 = 1. y_true.shape=(3, 5, 7)"),
        (IDS_3_5, of(3, 5, 7), of(5), f"{WEIGHTS} with batch = 3. sample_weight.shape=(5,)"),
        (IDS_3_5, of(3, 5, 7), of(3, 4), f"{WEIGHTS} with target_length = 5. sample_weight.sha"),
        (IDS_3_5, of(3, 5, 7), of(3, 5, 1), f"{WEIGHTS}. sample_weight.shape=(3, 5, 1)"),
    ],
)
def test_a_metric_of_what_does_not_fit(make_metric, ids, logits, weights, said):
    metric = make_metric()
    with pytest.raises(ValueError, match=pattern(said)):
        metric.update_state(array(ids), array(logits), weights and array(weights))
    assert float(metric.count) == 0
