"""Unicode normal form C in TensorFlow ops, which have none of their own."""

import functools
import unicodedata

import numpy as np
import tensorflow as tf

_SHIFT = 1 << 21  # above the last code point: base * _SHIFT + mark names a pair


def nfc(texts):
    r"""Return texts in Unicode normal form C, also in a graph.

    "é" can be written as one code point, or as "e" and a combining accent. Both look the same, and
    a vocabulary must not take them for two letters. The algorithm is Unicode's (UAX #15):
    decompose, sort the marks of a letter by their class, compose. Only texts with a suspect
    character run through it.

    Args:
        texts: String tensor, shape `(batch,)`, valid UTF-8.

    Returns:
        String tensor, shape `(batch,)`; each text equals `unicodedata.normalize("NFC", text)`.

    Example:
        >>> nfc(tf.constant(["e\u0301"])).numpy()[0].decode() == "\u00e9"
        True
    """
    suspects = tf.strings.regex_full_match(texts, f"(?s).*[{_tables()['suspects']}].*")
    where = tf.where(suspects)
    return tf.cond(tf.size(where) > 0, lambda: _normalize(texts, where), lambda: texts)


def _normalize(texts, where):
    codes = tf.strings.unicode_decode(tf.gather_nd(texts, where), "UTF-8")
    rows, codes = _sort_marks(*_decompose(codes.value_rowids(), codes.flat_values))
    rows, codes = tf.while_loop(
        lambda rows, codes: tf.reduce_any(_next_pairs(rows, codes)[0]),
        _compose_once,
        (rows, codes),
        shape_invariants=(tf.TensorShape([None]), tf.TensorShape([None])),
    )
    composed = tf.RaggedTensor.from_value_rowids(codes, rows, nrows=tf.shape(where, tf.int64)[0])
    return tf.tensor_scatter_nd_update(texts, where, tf.strings.unicode_encode(composed, "UTF-8"))


@functools.cache
def _tables():
    """The tables of Unicode, sorted by key for `_look_up`."""
    characters = [chr(code) for code in range(0xC0, 0x30000)]
    decompositions, compositions, classes, suspects = {}, {}, {}, set()
    for character in characters:
        code, parts = ord(character), unicodedata.normalize("NFD", character)
        if unicodedata.combining(character):
            classes[code] = unicodedata.combining(character)
            suspects.add(code)
        if parts == character:
            continue
        decompositions[code] = [ord(part) for part in parts] + [-1] * (4 - len(parts))
        base = unicodedata.normalize("NFC", parts[:-1])
        if unicodedata.is_normalized("NFC", character) and len(base) == 1:
            compositions[ord(base) * _SHIFT + ord(parts[-1])] = code
            suspects.add(ord(parts[-1]))
        else:
            suspects.add(code)
    return {
        "decompositions": _sorted_table(decompositions),
        "compositions": _sorted_table(compositions),
        "classes": _sorted_table(classes),
        "suspects": "".join(rf"\x{{{code:X}}}" for code in sorted(suspects)),
    }


def _sorted_table(entries):
    keys = np.array(sorted(entries), "int64")
    return keys, np.array([entries[key] for key in keys.tolist()], "int32")


def _look_up(name, codes, default):
    """Return the value of each code in a table, or `default` (a scalar, or a value per code)."""
    keys, values = _tables()[name]
    codes = tf.cast(codes, tf.int64)
    place = tf.minimum(tf.searchsorted(keys, codes), len(keys) - 1)
    found = tf.gather(keys, place) == codes
    found = tf.reshape(found, [-1] + [1] * (values.ndim - 1))
    return tf.where(found, tf.gather(values, place), default)


def _decompose(rows, codes):
    alone = tf.pad(codes[:, tf.newaxis], [[0, 0], [0, 3]], constant_values=-1)
    parts = _look_up("decompositions", codes, alone)  # (codes, 4), -1 where there is no part
    present = parts >= 0
    rows = tf.repeat(rows, tf.reduce_sum(tf.cast(present, tf.int32), axis=1))
    return rows, tf.boolean_mask(parts, present)


def _runs(rows, codes):
    """Return the run and the class of each code; a run is a starter (class 0) and its marks."""
    classes = _look_up("classes", codes, 0)
    new_row = tf.concat([tf.ones_like(rows[:1], tf.bool), rows[1:] != rows[:-1]], axis=0)
    return tf.cumsum(tf.cast((classes == 0) | new_row, tf.int32)) - 1, classes


def _sort_marks(rows, codes):
    runs, classes = _runs(rows, codes)
    order = tf.argsort(tf.cast(runs, tf.int64) * 256 + tf.cast(classes, tf.int64), stable=True)
    return rows, tf.gather(codes, order)  # a run never leaves its row


def _next_pairs(rows, codes):
    """Find the pairs to compose now: the first possible pair of every run.

    Returns:
        `(chosen, base, composed)`, shape `(codes,)` each: whether a code joins its base, the
        position of the base, and the code that both make.
    """
    runs, classes = _runs(rows, codes)
    positions = tf.range(tf.size(codes))
    previous = tf.maximum(positions - 1, 0)
    run_starts = tf.math.segment_min(positions, runs)
    base = tf.where(classes == 0, previous, tf.gather(run_starts, runs))
    pair = tf.cast(tf.gather(codes, base), tf.int64) * _SHIFT + tf.cast(codes, tf.int64)
    composed = _look_up("compositions", pair, -1)
    # Between a mark and its base, a mark of the same class blocks it; a starter, any mark.
    previous_class = tf.gather(classes, previous)
    unblocked = tf.where(classes == 0, previous_class == 0, previous_class != classes)
    possible = (composed >= 0) & unblocked & (base < positions)
    possible &= (tf.gather(rows, base) == rows) & (tf.gather(classes, base) == 0)
    earlier = tf.cumsum(tf.cast(possible, tf.int32), exclusive=True)
    return possible & (earlier == tf.gather(earlier, base)), base, composed


def _compose_once(rows, codes):
    chosen, base, composed = _next_pairs(rows, codes)
    codes = tf.tensor_scatter_nd_update(
        codes, tf.boolean_mask(base, chosen)[:, tf.newaxis], tf.boolean_mask(composed, chosen)
    )
    return tf.boolean_mask(rows, ~chosen), tf.boolean_mask(codes, ~chosen)
