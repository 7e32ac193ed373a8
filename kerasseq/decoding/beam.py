"""Beam search: keep the best few hypotheses of every sentence."""

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

# The score of a place in the beam that nothing fills; finite, so that any infinity is a mistake.
_NONE = -1e30


class _Hypotheses(NamedTuple):
    """The beams of all sentences, one below the other: `rows = batch * beam_width`."""

    scores: object  # (rows,), sum of log-probabilities
    lengths: object  # (rows,), number of tokens, [END] included
    ended: object  # (rows,)


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
    """Keep the `beam_width` best hypotheses of every sentence, and return the best of them.

    In each step every open hypothesis is extended by every token, and the best extensions are kept.
    A hypothesis that reaches [END] keeps its place, and the beam of the open ones grows narrower by
    it, as in Sutskever et al. (2014): a beam of width 1 is greedy search. A sentence is done when
    all its hypotheses have ended or none that is open can still get among the `n_best`.

    Hypotheses of different length are compared by (Wu et al. 2016, equation 14)

        score / ((5 + n) / 6) ** length_penalty

    where n counts the tokens, [END] included. What a sentence gets does not depend on the others.

    Args:
        step: A step function as in the docstring of `kerasseq.decoding`. It is called with
            `batch * beam_width` rows.
        states: The states before the first step, `batch` rows each.
        source_length: Width of the attention weights; 0 for a model without attention, whose step
            returns them with shape `(rows, 0)`.
        max_length: Integers `(batch,)`: a hypothesis that has not ended after so many tokens is
            stopped and compared as it is.
        beam_width: Positive integer.
        length_penalty: 0 compares plain log-probabilities, which favors short hypotheses; the
            larger, the better for long ones. Not negative.
        n_best: How many hypotheses to return a sentence, at most `beam_width`.
        steps: Width of the results, by default the largest `max_length`. XLA has to know it.
        allow_unknown: Whether [UNK] may be chosen, for those who put another word in its place.
        keep_attention: Whether to return attention, which takes memory by the product of the two
            lengths; without it `attention_weights` has no columns.
        trim: Whether to cut the results behind the last token of all rows. Not under XLA.

    Returns:
        A `Decoded` with one more axis, best first: `tokens` `(batch, n_best, steps)`, `scores`
        `(batch, n_best)`, `attention_weights` `(batch, n_best, steps, source_length)`. `scores` are
        plain log-probabilities, as from `greedy_search`. No hypothesis appears twice; if there are
        fewer than `n_best`, the rest is padding with score −∞.

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
    most = ops.max(max_length) if steps is None else steps
    rows = ops.shape(limits)[0]
    record = make_record(rows, most, source_length, parents=((rows,), "int32"))
    states = keras.tree.map_structure(lambda state: ops.repeat(state, beam_width, axis=0), states)

    def is_open(position, tokens, states, beams, stores):
        return ops.any(_open(beams))

    def advance(position, tokens, states, beams, stores):
        logits, new_states, weights = step(tokens, states)
        found = most_likely_tokens(logits, beam_width, allow_unknown)
        parents, tokens, scores = _extend(beams, *found, beam_width)
        # Attention lies in the rows of the parents: nothing that was written is ever moved.
        weights = ops.cast(weights[:, :source_length], "float32")
        stores = record.write(
            stores, position, tokens=tokens, parents=parents, attention_weights=weights
        )
        # What a step hands on untouched is the same for all hypotheses of a sentence.
        states = keras.tree.map_structure(
            lambda new, old: new if new is old else ops.take(new, parents, axis=0),
            new_states,
            states,
        )
        lengths, ended = (ops.take(part, parents, axis=0) for part in (beams.lengths, beams.ended))
        lengths = lengths + ops.cast(tokens != PADDING, "int32")
        ended = ended | (tokens == END) | (position + 1 >= limits)
        beams = _Hypotheses(scores, lengths, ended)
        beams = _give_up(beams, limits, beam_width, length_penalty, n_best)
        return position + 1, tokens, states, beams, stores

    tokens = ops.full((rows,), START, dtype="int32")
    loop = (ops.zeros((), "int32"), tokens, states, _begin(limits, beam_width), record.begin())
    position, *_, beams, stores = ops.while_loop(is_open, advance, loop)
    best, scores = _best(beams, beam_width, length_penalty, n_best)
    path = make_record(ops.shape(best)[0], most, source_length)
    found = path.read(_follow(record, stores, path, position, best), position if trim else None)
    return _ranked(found, scores, ops.shape(max_length)[0], n_best)


def _ranked(found, scores, batch_size, n_best):
    """Return the `Decoded` of the rows found, with an axis of `n_best` after the batch."""
    exists = scores > _NONE
    tokens = ops.where(exists[:, None], found["tokens"], PADDING)
    scores = ops.where(exists, scores, ops.zeros_like(scores))
    scores = scores + ops.log(ops.cast(exists, "float32"))  # −∞ for what is missing
    parts = make_decoded({**found, "tokens": tokens}, scores)
    return Decoded(*(ops.reshape(one, (batch_size, n_best, *ops.shape(one)[1:])) for one in parts))


def _begin(limits, beam_width):
    """Return one empty hypothesis a sentence; the other places are not filled yet."""
    scores = _NONE * ops.cast(
        ops.arange(ops.shape(limits)[0], dtype="int32") % beam_width != 0, "float32"
    )
    return _Hypotheses(scores, ops.zeros_like(limits), limits <= 0)


def _open(beams):
    return ops.logical_not(beams.ended) & (beams.scores > _NONE)


def _extend(beams, log_probs, tokens, beam_width):
    """Return the best extensions of each beam: parent rows, tokens and scores, `(rows,)` each.

    A hypothesis that has ended has one extension, padding. It costs nothing and comes first.

    Args:
        beams: The hypotheses.
        log_probs, tokens: The candidates of each, `(rows, count)`, from `most_likely_tokens`.
        beam_width: Hypotheses a sentence.
    """
    count = ops.shape(tokens)[1]
    ended = beams.ended[:, None]
    only_first = _NONE * ops.cast(ops.arange(count, dtype="int32") != 0, "float32")
    log_probs = ops.where(ended, only_first, log_probs)
    tokens = ops.where(ended, PADDING, tokens)
    scores = ops.maximum(beams.scores[:, None] + log_probs, _none())
    ranking = ops.where(ended & (scores > _NONE), -_none(), scores)
    ranking, tokens, scores = (
        ops.reshape(tensor, (-1, beam_width * count)) for tensor in (ranking, tokens, scores)
    )
    _, best = ops.top_k(ranking, beam_width)
    tokens, scores = (ops.take_along_axis(tensor, best, axis=1) for tensor in (tokens, scores))
    parents = ops.arange(ops.shape(best)[0], dtype="int32")[:, None] * beam_width + best // count
    return [ops.reshape(tensor, (-1,)) for tensor in (ops.cast(parents, "int32"), tokens, scores)]


def _none():
    return ops.cast(_NONE, "float32")  # a plain number would take the dtype of `floatx`


def _penalized(scores, length, length_penalty):
    penalized = scores / ((5.0 + ops.cast(length, "float32")) / 6.0) ** length_penalty
    return ops.where(scores > _NONE, penalized, _none())


def _ranking(beams, beam_width, length_penalty):
    """Return what the hypotheses of a sentence are compared by, `(batch, beam_width)`."""
    penalized = _penalized(beams.scores, beams.lengths, length_penalty)
    return ops.reshape(penalized, (-1, beam_width))


def _give_up(beams, limits, beam_width, length_penalty, n_best):
    """Drop the open hypotheses of the sentences in which none of them can still win.

    A score only falls and is divided by at most the penalty of the longest hypothesis, so what an
    open one can still reach is known.
    """
    is_open = ops.reshape(_open(beams), (-1, beam_width))
    hope = ops.reshape(_penalized(beams.scores, limits, length_penalty), (-1, beam_width))
    hope = ops.max(ops.where(is_open, hope, _none()), axis=1, keepdims=True)
    ended = ops.where(is_open, _none(), _ranking(beams, beam_width, length_penalty))
    to_beat = ops.top_k(ended, n_best)[0][:, -1:]
    hopeless = ops.reshape(is_open & (hope <= to_beat), (-1,))
    return beams._replace(scores=ops.where(hopeless, _none(), beams.scores))


def _best(beams, beam_width, length_penalty, n_best):
    """Return rows and scores of the `n_best` hypotheses of each sentence, best first."""
    _, best = ops.top_k(_ranking(beams, beam_width, length_penalty), n_best)
    firsts = ops.arange(ops.shape(best)[0], dtype="int32")[:, None] * beam_width
    rows = firsts + ops.cast(best, "int32")
    rows = ops.reshape(rows, (-1,))  # (batch * n_best,)
    return rows, ops.take(beams.scores, rows, axis=0)


def _follow(record, stores, path, position, rows):
    """Follow hypotheses back from their last step; return the stores of `path` with what they are.

    Args:
        record, stores: What the search wrote.
        path: A record of tokens and attention of the hypotheses.
        position: The number of steps.
        rows: The hypotheses' rows in the last step, `(batch * n_best,)`.
    """

    def is_open(position, rows, found):
        return position > 0

    def step_back(position, rows, found):
        position = position - 1
        step = record.at(stores, position)
        parents = ops.take(step["parents"], rows, axis=0)
        tokens = ops.take(step["tokens"], rows, axis=0)
        weights = ops.take(step["attention_weights"], parents, axis=0)
        found = path.write(found, position, tokens=tokens, attention_weights=weights)
        return position, parents, found

    return ops.while_loop(is_open, step_back, (position, rows, path.begin()))[-1]
