"""Beam search: keep the few best hypotheses of every sentence.

The beams of all sentences lie one below the other: row `b * beam_width + k` holds hypothesis k of
sentence b. In the shapes below, `rows = batch * beam_width`. One step of the search:

1. `step` of the model gives the log-probabilities of the next token of each hypothesis.
2. `_extend` ranks all extensions of each sentence and keeps the `beam_width` best.
3. Each kept extension has a parent, the hypothesis that it extends; the states follow the parents.
4. `_give_up` drops open hypotheses that can no longer win.

No step moves the tokens that were written before. At the end `_follow` walks from the best
hypotheses back through their parents and collects tokens and attention.
"""

from typing import NamedTuple

import keras
from keras import ops

from kerasseq.decoding.result import (
    Decoded,
    check_beam,
    make_decoded,
    make_record,
    most_likely_tokens,
)
from kerasseq.text.control_tokens import END, PADDING, START

# The score of an empty place in the beam. It is finite, so that any infinity shows a mistake.
_NONE = -1e30


class _Beams(NamedTuple):
    """The hypotheses of all sentences."""

    scores: object  # (rows,), sum of log-probabilities
    lengths: object  # (rows,), number of tokens, [END] included
    ended: object  # (rows,), boolean


def beam_search(
    step,
    states,
    source_length,
    max_length,
    beam_width=4,
    length_penalty=0.0,
    n_best=1,
    steps=None,
    allow_unknown=False,
    keep_attention=True,
    trim=False,
):
    """Keep the `beam_width` best hypotheses of every sentence, and return the `n_best` of them.

    Each step extends every open hypothesis by every token and keeps the best extensions. A
    hypothesis that reaches [END] keeps its place, so the beam of the open hypotheses gets narrower
    (Sutskever et al. 2014). A beam of width 1 is greedy search. The search of a sentence ends when
    all its hypotheses have ended, or no open hypothesis can still get among the `n_best`.

    Hypotheses of different length are compared by (Wu et al. 2016, equation 14)

        score / ((5 + n) / 6) ** length_penalty

    where n counts the tokens, [END] included. The result of a sentence does not depend on the
    other sentences.

    Args:
        step: A step function as in the docstring of `kerasseq.decoding`. It is called with
            `batch * beam_width` rows.
        states: States before the first step, `batch` rows each.
        source_length: Width of the attention weights. 0 for a model without attention, whose step
            returns weights of shape `(rows, 0)`.
        max_length: Integers `(batch,)`, the largest number of tokens. A hypothesis of this length
            without [END] is stopped and compared as it is.
        beam_width: Positive integer.
        length_penalty: Not negative. 0 compares plain log-probabilities, which favors short
            hypotheses; larger values favor longer hypotheses.
        n_best: Number of hypotheses to return per sentence, at most `beam_width`.
        steps: Width of the results. Default: the largest `max_length`. XLA needs a Python integer.
        allow_unknown: Whether [UNK] may be chosen, for callers that replace it by another word.
        keep_attention: Whether to return attention, which needs memory for source length times
            target length; otherwise `attention_weights` has no columns.
        trim: Whether to cut the results after the last token of the longest row. Not under XLA.

    Returns:
        A `Decoded` with one more axis, best first: `tokens` `(batch, n_best, steps)`, `scores`
        `(batch, n_best)`, `attention_weights` `(batch, n_best, steps, source_length)`. `scores` are
        plain log-probabilities, as from `greedy_search`. No hypothesis appears twice. If a sentence
        has fewer than `n_best` hypotheses, the rest is padding with score −∞.

    Raises:
        ValueError: If `beam_width`, `length_penalty` or `n_best` does not fit.

    Example:
        >>> def step(tokens, states):  # 4 or, less likely, 5; then [END]
        ...     begins = ops.expand_dims(tokens == 2, -1)
        ...     logits = ops.where(begins, [0.0, 0, 0, 0, 9, 8], [0.0, 0, 0, 9, 0, 0])
        ...     return logits, states, ops.zeros((ops.shape(tokens)[0], 0))
        >>> beam_search(step, [], 0, ops.array([3]), n_best=2).tokens.numpy().tolist()
        [[[4, 3, 0], [5, 3, 0]]]

    References:
        - Sutskever, Vinyals & Le (2014), https://arxiv.org/abs/1409.3215, section 3.2.
        - Wu et al. (2016), https://arxiv.org/abs/1609.08144, section 7.
    """
    check_beam(beam_width, length_penalty, n_best)
    max_length = ops.cast(max_length, "int32")
    limits = ops.repeat(max_length, beam_width)  # (rows,)
    source_length = source_length if keep_attention else 0
    width = ops.max(max_length) if steps is None else steps
    rows = ops.shape(limits)[0]
    record = make_record(rows, width, source_length, parents=((rows,), "int32"))
    states = keras.tree.map_structure(lambda state: ops.repeat(state, beam_width, axis=0), states)

    def is_open(position, tokens, states, beams, stores):
        return ops.any(_open(beams))

    def advance(position, tokens, states, beams, stores):
        logits, new_states, weights = step(tokens, states)
        log_probs, candidates = most_likely_tokens(logits, beam_width, allow_unknown)
        parents, tokens, scores = _extend(beams, log_probs, candidates, beam_width)
        # The attention of this step lies in the rows of the parents.
        weights = ops.cast(weights[:, :source_length], "float32")
        stores = record.write(
            stores, position, tokens=tokens, parents=parents, attention_weights=weights
        )
        states = _take_parents(new_states, states, parents)
        beams = _next_beams(beams, parents, tokens, scores, position + 1 >= limits)
        beams = _give_up(beams, limits, beam_width, length_penalty, n_best)
        return position + 1, tokens, states, beams, stores

    tokens = ops.full((rows,), START, dtype="int32")
    loop = (ops.zeros((), "int32"), tokens, states, _begin(limits, beam_width), record.begin())
    position, *_, beams, stores = ops.while_loop(is_open, advance, loop)
    best, scores = _best(beams, beam_width, length_penalty, n_best)
    path = make_record(ops.shape(best)[0], width, source_length)
    recorded = path.read(_follow(record, stores, path, position, best), position if trim else None)
    return _ranked(recorded, scores, ops.shape(max_length)[0], n_best)


def _begin(limits, beam_width):
    """Return one empty hypothesis per sentence; the other places of each beam are empty."""
    is_filled = ops.arange(ops.shape(limits)[0], dtype="int32") % beam_width == 0  # (rows,)
    scores = _NONE * ops.cast(ops.logical_not(is_filled), "float32")
    return _Beams(scores, ops.zeros_like(limits), limits <= 0)


def _open(beams):
    """Return which places hold a hypothesis that has not ended, `(rows,)`."""
    return ops.logical_not(beams.ended) & (beams.scores > _NONE)


def _extend(beams, log_probs, tokens, beam_width):
    """Return the best extensions of each beam: parent rows, tokens and scores, `(rows,)` each.

    An ended hypothesis has one extension: padding, which adds nothing to the score and ranks first.

    Args:
        beams: The hypotheses.
        log_probs, tokens: Candidates of each hypothesis, `(rows, count)`, best first.
        beam_width: Number of hypotheses per sentence.
    """
    count = ops.shape(tokens)[1]
    ended = beams.ended[:, None]  # (rows, 1)
    # Of an ended hypothesis only the first candidate counts, with log-probability 0.
    only_first = _NONE * ops.cast(ops.arange(count, dtype="int32") != 0, "float32")  # (count,)
    log_probs = ops.where(ended, only_first, log_probs)
    tokens = ops.where(ended, PADDING, tokens)
    scores = ops.maximum(beams.scores[:, None] + log_probs, _none())
    ranking = ops.where(ended & (scores > _NONE), -_none(), scores)  # ended hypotheses come first
    # All extensions of a sentence side by side: (batch, beam_width * count).
    ranking, tokens, scores = (
        ops.reshape(tensor, (-1, beam_width * count)) for tensor in (ranking, tokens, scores)
    )
    _, best = ops.top_k(ranking, beam_width)  # (batch, beam_width)
    tokens, scores = (ops.take_along_axis(tensor, best, axis=1) for tensor in (tokens, scores))
    # Extension number e of a sentence extends its hypothesis number e // count.
    parents = ops.arange(ops.shape(best)[0], dtype="int32")[:, None] * beam_width + best // count
    return [ops.reshape(tensor, (-1,)) for tensor in (ops.cast(parents, "int32"), tokens, scores)]


def _take_parents(new_states, states, parents):
    """Return the new states in the rows of the parents.

    A tensor that the step did not replace, such as the keys of attention, is equal for all
    hypotheses of a sentence and needs no copy.
    """
    return keras.tree.map_structure(
        lambda new, old: new if new is old else ops.take(new, parents, axis=0), new_states, states
    )


def _next_beams(beams, parents, tokens, scores, at_limit):
    """Return the beams after a step; `at_limit` says which rows have no room for more tokens."""
    lengths = ops.take(beams.lengths, parents, axis=0) + ops.cast(tokens != PADDING, "int32")
    ended = ops.take(beams.ended, parents, axis=0) | (tokens == END) | at_limit
    return _Beams(scores, lengths, ended)


def _none():
    return ops.cast(_NONE, "float32")  # a plain number would take the dtype of `floatx`


def _penalized(scores, lengths, length_penalty):
    """Return the scores for comparison, divided by the length penalty."""
    penalized = scores / ((5.0 + ops.cast(lengths, "float32")) / 6.0) ** length_penalty
    return ops.where(scores > _NONE, penalized, _none())


def _ranking(beams, beam_width, length_penalty):
    """Return the penalized scores of the hypotheses, `(batch, beam_width)`."""
    penalized = _penalized(beams.scores, beams.lengths, length_penalty)
    return ops.reshape(penalized, (-1, beam_width))


def _give_up(beams, limits, beam_width, length_penalty, n_best):
    """Drop all open hypotheses of a sentence if none of them can still get among the `n_best`.

    A score never rises, and the largest divisor is the penalty of the length limit. So the score
    now, divided by that penalty, bounds every final score of an open hypothesis.
    """
    is_open = ops.reshape(_open(beams), (-1, beam_width))  # (batch, beam_width)
    bound = ops.reshape(_penalized(beams.scores, limits, length_penalty), (-1, beam_width))
    bound = ops.max(ops.where(is_open, bound, _none()), axis=1, keepdims=True)  # (batch, 1)
    ended = ops.where(is_open, _none(), _ranking(beams, beam_width, length_penalty))
    to_beat = ops.top_k(ended, n_best)[0][:, -1:]  # the n_best-th ended hypothesis, (batch, 1)
    hopeless = ops.reshape(is_open & (bound <= to_beat), (-1,))  # (rows,)
    return beams._replace(scores=ops.where(hopeless, _none(), beams.scores))


def _best(beams, beam_width, length_penalty, n_best):
    """Return rows and scores of the `n_best` hypotheses of each sentence, best first."""
    _, best = ops.top_k(_ranking(beams, beam_width, length_penalty), n_best)  # (batch, n_best)
    first_rows = ops.arange(ops.shape(best)[0], dtype="int32")[:, None] * beam_width  # (batch, 1)
    rows = ops.reshape(first_rows + ops.cast(best, "int32"), (-1,))  # (batch * n_best,)
    return rows, ops.take(beams.scores, rows, axis=0)


def _follow(record, stores, path, position, rows):
    """Follow hypotheses back through their parents; return the stores of `path`.

    Args:
        record, stores: The record of the search: tokens, parents and attention of each step.
        path: The record to fill: tokens and attention of each hypothesis.
        position: Number of steps.
        rows: Rows of the hypotheses in the last step, `(batch * n_best,)`.
    """

    def is_open(position, rows, path_stores):
        return position > 0

    def step_back(position, rows, path_stores):
        position = position - 1
        step = record.at(stores, position)
        parents = ops.take(step["parents"], rows, axis=0)
        tokens = ops.take(step["tokens"], rows, axis=0)
        weights = ops.take(step["attention_weights"], parents, axis=0)
        path_stores = path.write(path_stores, position, tokens=tokens, attention_weights=weights)
        return position, parents, path_stores

    return ops.while_loop(is_open, step_back, (position, rows, path.begin()))[-1]


def _ranked(recorded, scores, batch_size, n_best):
    """Return the `Decoded` with an axis of `n_best` after the batch; an empty place scores −∞."""
    exists = scores > _NONE
    tokens = ops.where(exists[:, None], recorded["tokens"], PADDING)
    scores = ops.where(exists, scores, ops.zeros_like(scores))
    scores = scores + ops.log(ops.cast(exists, "float32"))  # log 0 = −∞
    decoded = make_decoded({**recorded, "tokens": tokens}, scores)
    return Decoded(*(ops.reshape(x, (batch_size, n_best, *ops.shape(x)[1:])) for x in decoded))
