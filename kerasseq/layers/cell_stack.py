"""One cell or a stack of them: which cells there are, what they hold and what they put out.

A stack is a cell, too, `keras.layers.StackedRNNCells`: each cell reads the output of the cell
below, and the states lie in the order of the cells.
"""

import keras


def as_cell(cell):
    """Return a list of cells as one stack, a cell as it is."""
    return keras.layers.StackedRNNCells(cell) if isinstance(cell, (list, tuple)) else cell


def cells_of(cell):
    """Return the single cells, the lowest first."""
    if not isinstance(cell, keras.layers.StackedRNNCells):
        return [cell]
    return [one for part in cell.cells for one in cells_of(part)]


def state_sizes(cell):
    """Return the sizes of all states in a flat list."""
    return keras.tree.flatten(cell.state_size)


def top_sizes(cell):
    """Return the sizes of the states of the top cell, whose first an attention is asked with."""
    return state_sizes(cells_of(cell)[-1])


def output_size(cell):
    """Return the width of the output: of a cell that does not name it, its first state's."""
    size = getattr(cell, "output_size", None)
    return state_sizes(cell)[0] if size is None else size


def check_output(cell, output):
    """Raise ValueError if an output has another width than its cell has made known."""
    expected, received = output_size(cell), output.shape[-1]
    if received != expected:
        raise ValueError(
            "`cell` must name the width of its output as `output_size`, unless it is that of its "
            f"first state. Received: cell={cell!r} with an output of width {received} in place of "
            f"{expected}"
        )


def nest(cell, states):
    """Arrange flat states as a call of the cell takes them: of a stack `[[h, c], h]`, say."""
    sizes = cell.state_size if isinstance(cell.state_size, (list, tuple)) else [cell.state_size]
    return keras.tree.pack_sequence_as(list(sizes), keras.tree.flatten(states))
