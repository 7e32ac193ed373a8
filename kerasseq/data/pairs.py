"""`as_pairs`: sentence pairs of any accepted form as one kind of dataset."""

import tensorflow as tf

from kerasseq.checks import check_finite, check_texts, is_iterable

_PAIRS = "`pairs` must be a tf.data.Dataset or a list of (source_text, target_text), two str each."


def as_pairs(pairs):
    """Return sentence pairs as a `tf.data.Dataset` of two scalar strings.

    Args:
        pairs: Such a dataset, batched or not, or an iterable of pairs of str.

    Raises:
        ValueError: If `pairs` has another form.
    """
    check_finite("pairs", pairs)
    if not isinstance(pairs, tf.data.Dataset):
        return tf.data.Dataset.from_tensor_slices(_columns(pairs))
    spec = pairs.element_spec
    # Two strings per element, (string, rank 0) each, or two batches of strings, rank 1.
    parts = spec if isinstance(spec, tuple) and len(spec) == 2 else ()
    kinds = [(part.dtype, part.shape.rank) for part in parts if isinstance(part, tf.TensorSpec)]
    if kinds not in ([(tf.string, 0)] * 2, [(tf.string, 1)] * 2):
        raise ValueError(f"{_PAIRS} Received: pairs.element_spec={spec}")
    return pairs.unbatch() if kinds[0][1] else pairs


def _columns(pairs):
    if isinstance(pairs, str | bytes) or not is_iterable(pairs):
        raise ValueError(f"{_PAIRS} Received: pairs={pairs!r}")
    columns = ([], [])
    for number, pair in enumerate(pairs):
        pair = list(pair) if is_iterable(pair) and not isinstance(pair, str | bytes) else [pair]
        if len(pair) != 2:
            raise ValueError(f"{_PAIRS} Received: pairs[{number}]={pair!r}")
        for column, text in zip(columns, check_texts(f"pairs[{number}]", pair), strict=True):
            column.append(text.encode("utf-8", "surrogatepass"))
    return tuple(tf.constant(column, tf.string) for column in columns)
