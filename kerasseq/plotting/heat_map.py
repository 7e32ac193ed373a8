"""Attention as a heat map with words on both axes, as in figure 3 of Bahdanau et al. (2015)."""

import unicodedata

import numpy as np

from kerasseq.checks import check_links, check_matrix, check_texts
from kerasseq.plotting.fonts import LITERAL, fit_fonts

CELL = 0.3  # inches
PAD = 0.12  # inches
LONGEST_SIDE = 24.0  # inches; beyond it the cells get smaller
LONGEST_LABEL = 24  # characters
COLOR_MAP = "magma_r"
GOLD_COLOR = "#0096c7"


def plot_attention(
    attention_weights, source_tokens, target_tokens, title=None, font=None, gold=None
):
    """Draw attention weights as a heat map, the source along the top, the target down the side.

    The color scale always runs from 0 to 1, so that pictures of different epochs compare. The
    figure grows with the number of tokens. A token of white space becomes ␣, a line break ↵, an
    empty token ∅. A side without tokens becomes one gray row or column.

    An installed font that has the characters draws Chinese, Japanese and other scripts. If no font
    has them, one warning says which font to install. The tokens of a right-to-left script run from
    left to right here, as all tokens do. Before version 3.11, matplotlib also draws the letters of
    such a token from left to right, and does not join them.

    Args:
        attention_weights: Array of shape `(target_length, source_length)`, in [0, 1].
        source_tokens: List of `source_length` str.
        target_tokens: List of `target_length` str.
        title: Str above the map, or None.
        font: Family name or file of a font to use first, or None.
        gold: Integer array of shape `(links, 2)` of (source_index, target_index), the true
            alignment. Each link outlines its cell. None for no outlines.

    Returns:
        A `matplotlib.figure.Figure`.

    Raises:
        ValueError: If the shape of the weights does not fit the tokens, if an index of `gold` is
            out of range, or if `font` is unknown.

    Example:
        >>> figure = plot_attention([[0.1, 0.9], [0.8, 0.2]], ["black", "cat"], ["chat", "noir"])
        >>> figure_to_array(figure).dtype
        dtype('uint8')
    """
    source_tokens = check_texts("source_tokens", source_tokens)
    target_tokens = check_texts("target_tokens", target_tokens)
    [title] = check_texts("title", [title or ""])
    shape = (len(target_tokens), len(source_tokens))
    weights = check_matrix("attention_weights", attention_weights)
    if weights.shape != shape:
        raise ValueError(
            "`attention_weights` must have the shape (target tokens, source tokens), "
            f"{shape}. Received: attention_weights.shape={weights.shape}"
        )
    if weights.size and not (-0.01 <= weights.min() and weights.max() <= 1.01):
        raise ValueError(
            "`attention_weights` must be in [0, 1]. "
            f"Received: from {weights.min()} to {weights.max()}, {attention_weights=}"
        )
    gold = check_links("gold", [] if gold is None else gold, *shape[::-1])
    if weights.size == 0:
        weights = np.full(np.maximum(shape, 1), np.nan)
    texts = [visible(token) for token in [*source_tokens, *target_tokens]]
    families, texts = fit_fonts([*texts, " ".join(title.split())], font)
    source_labels, target_labels = texts[: shape[1]], texts[shape[1] : -1]
    cell = min(CELL, LONGEST_SIDE / max(weights.shape))
    style = {"family": families, "fontsize": min(10.0, 36 * cell), **LITERAL}
    figure, axes = _lay_out(source_labels, target_labels, texts[-1], weights.shape, cell, style)
    _draw_map(axes, weights)
    for source, target in gold:
        _outline(axes, source, target)
    return figure


def visible(token):
    """Return the token as a label: with a sign for each invisible character, and not too long."""
    if all(unicodedata.category(character) == "Cf" for character in token):
        return "∅"  # empty, or nothing but marks of writing direction
    if token.isspace():
        token = token.replace(" ", "␣").replace("\u3000", "␣")
    token = token.replace("\n", "↵").replace("\t", "⇥")
    # Other control characters, lone surrogates and their like have no picture in any font.
    hidden = {"Cc", "Cs", "Co", "Cn", "Zl", "Zp"}
    token = "".join("\ufffd" if unicodedata.category(c) in hidden else c for c in token)
    return token if len(token) <= LONGEST_LABEL else token[: LONGEST_LABEL - 1] + "…"


def _color_map():
    from matplotlib import colormaps

    return colormaps[COLOR_MAP].with_extremes(bad="lightgray")


def _lay_out(source_labels, target_labels, title, shape, cell, style):
    """Return a figure with just enough room for the map, labels and color bar, and the map's axes.

    The widths of the labels decide the size of the figure, so a renderer measures them first.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(1, 1), dpi=100, facecolor="white", layout="none")
    FigureCanvasAgg(figure)
    source_widths = _widths(figure, source_labels, style)
    rotate = max(source_widths, default=0) > 0.9 * cell
    line = style["fontsize"] / 72 * 1.4
    title_style = {**style, "fontsize": 11}
    map_height, map_width = cell * shape[0], cell * shape[1]
    bar_height = min(max(map_height, 1.0), 3.0)
    left = 2 * PAD + max(_widths(figure, target_labels, style), default=0)
    top = 2 * PAD + (max(source_widths) if rotate else line) + (0.3 if title else 0)
    width = max(left + map_width + 0.75, 2 * PAD + _widths(figure, [title], title_style)[0])
    height = top + max(map_height, bar_height) + PAD
    figure.set_size_inches(width, height)
    figure.text(PAD / width, 1 - PAD / height, title, va="top", **title_style)

    def add_axes(x, box_width, box_height):
        bottom = height - top - box_height
        box = [x / width, bottom / height, box_width / width, box_height / height]
        return figure.add_axes(box)

    axes = add_axes(left, map_width, map_height)
    _label(axes, source_labels, target_labels, rotate, style)
    _add_color_bar(figure, add_axes(left + map_width + 0.15, 0.12, bar_height))
    return figure, axes


def _label(axes, source_labels, target_labels, rotate, style):
    axes.set_xticks(range(len(source_labels)), source_labels, **style)
    axes.set_yticks(range(len(target_labels)), target_labels, **style)
    axes.tick_params(length=0, labeltop=True, labelbottom=False)
    axes.minorticks_off()
    for label in axes.get_xticklabels():
        label.set_rotation(90 if rotate and len(label.get_text()) > 1 else 0)


def _draw_map(axes, weights):
    axes.imshow(weights, cmap=_color_map(), vmin=0, vmax=1, aspect="auto", interpolation="nearest")
    axes.grid(False)
    bottom, right = weights.shape[0] - 0.5, weights.shape[1] - 0.5
    axes.hlines(np.arange(0.5, bottom), -0.5, right, colors="white", linewidth=0.5)
    axes.vlines(np.arange(0.5, right), -0.5, bottom, colors="white", linewidth=0.5)
    axes.set(xlim=(-0.5, right), ylim=(bottom, -0.5))


def _widths(figure, texts, style):
    """Return the widths of the texts in inches, each drawn in one line."""
    renderer = figure.canvas.get_renderer()
    probe = figure.text(0, 0, "", **style)
    widths = []
    for text in texts:
        probe.set_text(text)
        widths.append(probe.get_window_extent(renderer).width / figure.dpi)
    probe.remove()
    return widths


def _add_color_bar(figure, axes):
    from matplotlib.cm import ScalarMappable

    bar = figure.colorbar(ScalarMappable(cmap=_color_map()), cax=axes, ticks=[0, 0.5, 1])
    bar.ax.tick_params(labelsize=8)
    bar.ax.grid(False)
    bar.outline.set_visible(False)


def _outline(axes, source, target):
    from matplotlib.patches import Rectangle

    corner = (source - 0.43, target - 0.43)
    axes.add_patch(Rectangle(corner, 0.86, 0.86, fill=False, edgecolor=GOLD_COLOR, linewidth=1.5))
