"""`figure_to_array`: a figure as an image array, for TensorBoard."""

import io
import numbers

import numpy as np


def figure_to_array(figure, dpi=100):
    """Return a figure as an RGB image, for `tf.summary.image` or `plt.imsave`.

    Args:
        figure: A `matplotlib.figure.Figure`; it does not change.
        dpi: Pixels per inch.

    Returns:
        uint8 array of shape `(height, width, 3)`.

    Raises:
        ValueError: If `figure` is not a Figure, or if `dpi` is not a positive number.
    """
    from matplotlib.figure import Figure
    from PIL import Image

    if not isinstance(figure, Figure):
        raise ValueError(f"`figure` must be a matplotlib Figure. Received: figure={figure!r}")
    if isinstance(dpi, bool) or not isinstance(dpi, numbers.Real) or not dpi > 0:
        raise ValueError(f"`dpi` must be a positive number. Received: dpi={dpi!r}")

    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=dpi, facecolor="white")
    return np.array(Image.open(file).convert("RGB"))
