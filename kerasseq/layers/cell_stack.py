"""The parts of a cell that may be a stack of cells: single cells, state sizes, output size.

A stack is a cell, too: `keras.layers.StackedRNNCells`. Each cell reads the output of the cell
below, and the states lie in the order of the cells, the lowest first.
"""

import keras


def as_cell(cell):
    """Return a list of cells as a stack, and a single cell as it is."""
    return keras.layers.StackedRNNCells(cell) if isinstance(cell, (list, tuple)) else cell


def cells_of(cell):
    """Return the single cells in a flat list, the lowest first."""
    if not isinstance(cell, keras.layers.StackedRNNCells):
        return [cell]
    # A part of a stack may be a stack itself.
    return [single for part in cell.cells for single in cells_of(part)]


def state_sizes(cell):
    """Return the sizes of all states in a flat list."""
    return keras.tree.flatten(cell.state_size)


def top_sizes(cell):
    """Return the sizes of the states of the top cell. Its first state is the query."""
    return state_sizes(cells_of(cell)[-1])


def output_size(cell):
    """Return the width of the output: `cell.output_size`, else the width of the first state."""
    # Keras asks a cell for `state_size` only; the output is the first state as a rule.
    size = getattr(cell, "output_size", None)
    return state_sizes(cell)[0] if size is None else size


def check_output(cell, output):
    """Raise ValueError if an output has another width than `output_size(cell)`."""
    expected, received = output_size(cell), output.shape[-1]
    if received != expected:
        raise ValueError(
            "`cell` must have an `output_size` if its output is not as wide as its first state. "
            f"Received: cell={cell!r} with an output of width {received} in place of {expected}"
        )


def nest(cell, states):
    """Arrange flat states as a call of the cell takes them, such as `[[h, c], h]` for a stack."""
    # `state_size` is an integer, a list of integers or, of a stack, a list with a part per cell.
    sizes = cell.state_size if isinstance(cell.state_size, (list, tuple)) else [cell.state_size]
    return keras.tree.pack_sequence_as(list(sizes), keras.tree.flatten(states))
