"""Pictures: attention as a heat map with words on both axes, gates, curves, a figure as an image.

The functions do not register their figures with `matplotlib.pyplot`. So nobody has to close a
figure, the backend and the user's own figures stay as they are, and a thread may draw. A notebook
shows a figure that is the last value of a cell.
"""

from kerasseq.plotting.curves import plot_curves
from kerasseq.plotting.gates import plot_gates
from kerasseq.plotting.heat_map import plot_attention
from kerasseq.plotting.image import figure_to_array

__all__ = ["figure_to_array", "plot_attention", "plot_curves", "plot_gates"]
