"""Curves with a legend beside them, and bands for their spread."""

import numpy as np

from kerasseq.checks import check_one_of, check_texts
from kerasseq.plotting.fonts import LITERAL, fit_fonts

# The colors of Okabe & Ito (2008), which color-blind readers, too, can tell apart. In black and
# white the markers tell the curves apart.
COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "."]
LINES = ["-", "--", "-.", ":"]  # where two curves coincide, both can be seen
_MOST_TICKS = 10
_LEAST_GAP = 0.06  # between two ticks, as a share of the axis


def plot_curves(series, xlabel, ylabel, title=None, x_scale="linear", y_scale="linear", font=None):
    """Draw curves with a legend beside them, such as BLEU by source length.

    If all x together are a few whole numbers, each of these numbers gets a tick.

    Args:
        series: Dict from a curve's name to `(x, y)` or `(x, y, spread)`, arrays of one length.
            `spread` becomes a band y ± spread. NaN leaves a gap.
        xlabel: Str, the label of the x axis.
        ylabel: Str, the label of the y axis.
        title: Str above the curves, or None.
        x_scale: "linear" or "log".
        y_scale: "linear" or "log".
        font: Family name or file of a font to use first, or None.

    Returns:
        A `matplotlib.figure.Figure`.

    Raises:
        ValueError: If there is no curve, or if the arrays of a curve differ in shape.

    Example:
        >>> figure = plot_curves({"RNN": ([1, 2], [0.9, 0.5])}, "lag", "accuracy")
    """
    from matplotlib.figure import Figure

    if not isinstance(series, dict) or not series:
        expected = "`series` must be a dict that holds at least one curve."
        raise ValueError(f"{expected} Received: series={series!r}")
    names = check_texts("series", series.keys())
    [xlabel], [ylabel] = check_texts("xlabel", [xlabel]), check_texts("ylabel", [ylabel])
    [title] = check_texts("title", [title or ""])
    check_one_of("x_scale", x_scale, ("linear", "log"))
    check_one_of("y_scale", y_scale, ("linear", "log"))
    families, texts = fit_fonts([*names, xlabel, ylabel, title], font)
    *names, xlabel, ylabel, title = texts
    figure = Figure(figsize=(7.0, 4.0), dpi=100, layout="constrained")
    axes = figure.add_subplot()
    places = set()
    for index, (name, curve) in enumerate(zip(names, series.values(), strict=True)):
        x, y, spread = _read_curve(name, curve)
        color = COLORS[index % len(COLORS)]
        marker = MARKERS[index % len(MARKERS)]
        axes.plot(
            x,
            y,
            label=name,
            color=color,
            linestyle=LINES[index % len(LINES)],
            linewidth=1.5,
            marker=marker,
            markersize=4,
            markevery=max(1, len(x) // _MOST_TICKS),
        )
        axes.fill_between(x, y - spread, y + spread, color=color, alpha=0.2, linewidth=0)
        places |= set(x.tolist())
    axes.set(xscale=x_scale, yscale=y_scale)
    _put_ticks(axes, np.array(sorted(places)), x_scale)
    style = {"family": families, **LITERAL}
    axes.set_xlabel(xlabel, **style)
    axes.set_ylabel(ylabel, **style)
    axes.set_title(title, loc="left", **style)
    axes.grid(True, alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    # With the lines and names passed explicitly, since matplotlib leaves out names that begin with
    # "_" otherwise.
    legend = figure.legend(
        axes.lines,
        names,
        loc="outside right upper",
        frameon=False,
        prop={"family": families},
    )
    for text in legend.get_texts():
        text.set(**LITERAL)
    return figure


def _put_ticks(axes, places, scale):
    """Put the ticks of the x axis at `places` if these are few, whole and far apart."""
    along = np.log(np.maximum(places, 1e-9)) if scale == "log" else places
    gaps = np.diff(along) / max(np.ptp(along), 1e-9)
    whole = np.isfinite(places).all() and (places == places.round()).all()
    if whole and len(places) <= _MOST_TICKS and (gaps > _LEAST_GAP).all():
        axes.set_xticks(places, [f"{place:.0f}" for place in places])
        axes.set_xticks([], minor=True)


def _read_curve(name, curve):
    try:
        x, y, spread = curve if len(curve) == 3 else (*curve, 0.0)
        x, y, spread = (np.asarray(array, "float64") for array in (x, y, spread))
    except (TypeError, ValueError) as error:
        expected = "A curve must be (x, y) or (x, y, spread), arrays of numbers."
        raise ValueError(f"{expected} Received: series[{name!r}]={curve!r}") from error
    if x.ndim != 1 or x.shape != y.shape or spread.shape not in ((), y.shape):
        raise ValueError(
            "The arrays of a curve must have one axis and one length. "
            f"Received: {name!r} with shapes {x.shape}, {y.shape}, {spread.shape}"
        )
    return x, y, np.broadcast_to(spread, y.shape)
