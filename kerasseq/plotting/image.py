"""A figure as an image array, for TensorBoard."""

import io

import numpy as np


def figure_to_array(figure, dpi=100):
    """Draw a figure into an RGB image, as `tf.summary.image` and `plt.imsave` take it.

    Args:
        figure: A `matplotlib.figure.Figure`. It stays as it is.
        dpi: Pixels per inch.

    Returns:
        uint8 array of shape `(height, width, 3)`.
    """
    from PIL import Image

    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=dpi, facecolor="white")
    return np.array(Image.open(file).convert("RGB"))
