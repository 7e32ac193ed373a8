"""`make_cells`: the cells of a model, by name or from a callable units -> cell."""

import keras

from kerasseq.checks import check_cell
from kerasseq.layers.cell_stack import as_cell, state_sizes
from kerasseq.layers.exact import is_exactly
from kerasseq.layers.lstm_cell import LSTMCell
from kerasseq.layers.rnn_cell import RNNCell

_CELLS = {"rnn": RNNCell, "lstm": LSTMCell}


def make_cells(cell, units, layers):
    """Return one new cell, or a stack of `layers` new cells.

    Args:
        cell: `"rnn"`, `"lstm"`, or a callable units -> Keras cell. The callable may return a stack;
            stacks of stacks become one flat stack.
        units: Size of every state.
        layers: Number of calls of `cell`.

    Raises:
        ValueError: If `cell` is neither a name nor a callable that makes a cell of `units` units.
    """
    # Each layer has weights of its own, so each needs a cell of its own.
    cells = [_make_cell(cell, units) for _ in range(layers)]
    if layers == 1:
        return cells[0]
    flat = []  # a stack of stacks would nest the states, too
    for made in cells:
        flat += made.cells if is_exactly(made, keras.layers.StackedRNNCells) else [made]
    return as_cell(flat)


def _make_cell(cell, units):
    make = _CELLS.get(cell) if isinstance(cell, str) else cell
    # A finished cell is callable, too, but could be used only once.
    if not callable(make) or isinstance(make, keras.Layer):
        raise ValueError(
            f"`cell` must be one of {sorted(_CELLS)} or a callable units -> Keras cell. "
            f"Received: cell={cell!r}"
        )
    called = f"with states of {units} units when called with {units}"
    expected = f"`cell` must make a Keras cell {called}"
    try:
        made = make(units)
        check_cell(made)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{expected}. Received: cell={cell!r}: {error}") from error
    # The states of the encoder become the states of the decoder, so all have one size.
    if isinstance(made, keras.layers.RNN) or set(state_sizes(made)) != {units}:
        raise ValueError(f"{expected}. Received: cell={cell!r} with state_size={made.state_size}")
    return made
