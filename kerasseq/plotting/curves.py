"""Curves with a legend beside them, and bands for their spread."""

import numpy as np

from kerasseq.plotting.fonts import fit_fonts

# Okabe & Ito (2008): told apart by all readers; the markers do so in black and white.
COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X"]


def plot_curves(series, xlabel, ylabel, title=None, x_scale="linear", y_scale="linear", font=None):
    """Draw curves with a legend beside them: BLEU by source length, a gradient by lag.

    Args:
        series: Dict from a curve's name to `(x, y)` or `(x, y, spread)`, arrays of one length;
            `spread` is drawn as a band y ± spread. NaN leaves a gap.
        xlabel: Str under the axis.
        ylabel: Str beside the axis.
        title: Str above, or None.
        x_scale: "linear" or "log".
        y_scale: "linear" or "log".
        font: Family name or file of a font to use first, or None.

    Returns:
        A `matplotlib.figure.Figure`.

    Raises:
        ValueError: If there is no curve, or the arrays of one differ in shape.

    Example:
        >>> figure = plot_curves({"RNN": ([1, 2], [0.9, 0.5])}, "lag", "accuracy")
    """
    from matplotlib.figure import Figure

    if not series:
        raise ValueError(f"`series` must hold at least one curve. Received: series={series!r}")
    families, texts = fit_fonts([*series, xlabel, ylabel, title or ""], font)
    *names, xlabel, ylabel, title = texts
    figure = Figure(figsize=(7.0, 4.0), dpi=100, layout="constrained")
    axes = figure.add_subplot()
    for index, (name, curve) in enumerate(zip(names, series.values(), strict=True)):
        x, y, spread = _check_curve(name, *curve)
        color = COLORS[index % len(COLORS)]
        marker = MARKERS[index % len(MARKERS)]
        axes.plot(x, y, label=name, color=color, marker=marker, markersize=4, linewidth=1.5)
        axes.fill_between(x, y - spread, y + spread, color=color, alpha=0.2, linewidth=0)
    axes.set(xscale=x_scale, yscale=y_scale)
    axes.set_xlabel(xlabel, family=families)
    axes.set_ylabel(ylabel, family=families)
    axes.set_title(title, family=families, loc="left")
    axes.grid(True, alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside right upper", frameon=False, prop={"family": families})
    return figure


def _check_curve(name, x, y, spread=0.0):
    x, y = np.asarray(x, "float64"), np.asarray(y, "float64")
    spread = np.zeros_like(y) + spread
    if not (x.ndim == 1 and x.shape == y.shape == spread.shape):
        raise ValueError(
            "The arrays of a curve must have one axis and one length. "
            f"Received: {name!r} with shapes {x.shape}, {y.shape}, {spread.shape}"
        )
    return x, y, spread
