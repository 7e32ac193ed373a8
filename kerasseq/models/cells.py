"""The cells of a model, by name or by any callable that makes one."""

import keras

from kerasseq.checks import check_cell
from kerasseq.layers.cell_stack import as_cell, state_sizes
from kerasseq.layers.exact import is_exactly
from kerasseq.layers.lstm_cell import LSTMCell
from kerasseq.layers.rnn_cell import RNNCell

_CELLS = {"rnn": RNNCell, "lstm": LSTMCell}


def make_cells(cell, units, layers):
    """Return one new cell, or a flat stack of what `layers` calls of `cell` make.

    Args:
        cell: `"rnn"`, `"lstm"`, or a callable units -> Keras cell.
        units: Size of every state.
        layers: How many cells, or stacks of cells, to put on top of each other.

    Raises:
        ValueError: If `cell` is neither a name nor a callable that makes such a cell.
    """
    made = [_make_cell(cell, units) for _ in range(layers)]
    if layers == 1:
        return made[0]
    stacks = [one.cells if is_exactly(one, keras.layers.StackedRNNCells) else [one] for one in made]
    return as_cell([single for stack in stacks for single in stack])


def _make_cell(cell, units):
    make = _CELLS.get(cell) if isinstance(cell, str) else cell
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
    if isinstance(made, keras.layers.RNN) or set(state_sizes(made)) != {units}:
        raise ValueError(f"{expected}. Received: cell={cell!r} with state_size={made.state_size}")
    return made
