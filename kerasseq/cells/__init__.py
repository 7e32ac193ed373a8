"""One time step of a recurrent network: `RNNCell` and `LSTMCell`.

A step splits into a part that needs no earlier step, `project`, and a serial part, `step`. The
first is one matrix product for a whole sequence; only the second has to wait for its predecessor.
"""

from kerasseq.cells.base import RecurrentCell
from kerasseq.cells.chrono import ChronoBias
from kerasseq.cells.lstm import LSTMCell
from kerasseq.cells.rnn import RNNCell

__all__ = ["ChronoBias", "LSTMCell", "RNNCell", "RecurrentCell"]
