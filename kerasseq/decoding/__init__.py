"""Search for an output sequence over a plain step function, whatever model is behind it.

A step function answers `step(tokens, states) -> (logits, states, attention_weights)`:

- `tokens`: integer ids of shape `(rows,)`, the ones chosen last.
- `states`: a list or dict of tensors, rows first, handed on from step to step. What a step needs
  and does not change, such as the values and the keys of attention, belongs here, too.
- `logits`: shape `(rows, vocab_size)`.
- `attention_weights`: shape `(rows, source_length)`.

A row is a sentence, and in beam search one hypothesis of a sentence. Rows know nothing of each
other. Ids 0 to 3 are padding, [UNK], [START] and [END]; the first three are never chosen, [UNK]
only with `allow_unknown`.
"""

from kerasseq.decoding.beam import beam_search
from kerasseq.decoding.greedy import greedy_search
from kerasseq.decoding.result import Decoded

__all__ = ["Decoded", "beam_search", "greedy_search"]
