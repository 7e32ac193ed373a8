"""Search for the output sequence of any model that is given as a step function.

A step function is `step(tokens, states) -> (logits, states, attention_weights)`:

- `tokens`: integer ids of shape `(rows,)`, the previous tokens.
- `states`: a list or dict of tensors, rows first, passed on from step to step. Tensors that a step
  reads and does not change, such as the values and the keys of attention, belong here, too.
- `logits`: shape `(rows, vocab_size)`.
- `attention_weights`: shape `(rows, source_length)`.

In greedy search a row is a sentence; in beam search a row is one hypothesis of a sentence. Rows are
independent of each other. Ids 0 to 3 are padding, [UNK], [START] and [END]. A search never chooses
padding or [START], and [UNK] only with `allow_unknown`.
"""

from kerasseq.decoding.beam import beam_search
from kerasseq.decoding.greedy import greedy_search
from kerasseq.decoding.result import Decoded

__all__ = ["Decoded", "beam_search", "greedy_search"]
