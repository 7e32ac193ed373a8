"""The gates of an LSTM over a sentence: one column for each word, one row for each unit."""

import numpy as np

from kerasseq.checks import check_texts
from kerasseq.plotting.fonts import LITERAL, fit_fonts
from kerasseq.plotting.heat_map import visible

GATES = ("input_gate", "forget_gate", "output_gate")
_WORD_WIDTH, _UNIT_HEIGHT = 0.45, 0.07  # inches


def plot_gates(gates, tokens, title=None, font=None):
    """Draw how far each gate of each unit is open at each word: 0 is white, 1 is dark.

    All three panels sort the units by the mean of their forget gate, so that the unit that
    remembers most stands at the top.

    Args:
        gates: Dict with `input_gate`, `forget_gate` and `output_gate`, arrays of shape
            `(length, units)`.
        tokens: List of `length` str.
        title: Str above the panels, or None.
        font: Family name or file of a font to use first, or None.

    Returns:
        A `matplotlib.figure.Figure`.

    Raises:
        ValueError: If the gates differ in shape, or if `tokens` has another length.

    Example:
        >>> gates = {name: np.full((2, 4), 0.5) for name in GATES}
        >>> figure = plot_gates(gates, ["the", "keys"])
    """
    from matplotlib.figure import Figure

    tokens = check_texts("tokens", tokens)
    values = [np.asarray(gates[name]) for name in GATES]
    shapes = {value.shape for value in values}
    if len(shapes) > 1 or values[0].ndim != 2 or len(values[0]) != len(tokens):
        raise ValueError(
            f"Each gate must have the shape (tokens, units), {len(tokens)} tokens. "
            f"Received: shapes {sorted(shapes)}"
        )
    families, texts = fit_fonts([*map(visible, tokens), title or ""], font)
    style = {"family": families, **LITERAL}
    order = np.argsort(values[1].mean(axis=0))[::-1]
    length, units = values[0].shape
    size = (max(4.0, _WORD_WIDTH * length + 1.6), 3 * max(0.8, _UNIT_HEIGHT * units) + 1.2)
    figure = Figure(figsize=size, dpi=100, layout="constrained")
    panels = figure.subplots(3, sharex=True)
    for panel, name, value in zip(panels, GATES, values, strict=True):
        image = panel.imshow(
            value[:, order].T,
            cmap="magma_r",
            vmin=0,
            vmax=1,
            aspect="auto",
            interpolation="nearest",
        )
        panel.set_ylabel(name.replace("_", "\n"), rotation=0, ha="right", va="center")
        panel.set_yticks([])
    panels[-1].set_xticks(range(length), texts[:-1], rotation=90, **style)
    panels[0].set_title(texts[-1], loc="left", **style)
    figure.colorbar(image, ax=panels, ticks=[0, 0.5, 1], shrink=0.6)
    return figure
