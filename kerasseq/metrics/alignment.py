"""How well attention finds the right source word: the alignment error rate."""

import numpy as np


def alignment_error_rate(attention_weights, sure, possible):
    """Alignment error rate (Och & Ney, 2003) of attention read as a word alignment.

        AER = 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|)

    S are the sure links and P the possible ones, S within P. A holds, for each target word that has
    a link in P, one link to the source word of greatest weight (the first one if several tie).
    Target words without a link are left out. All counts are summed over the corpus.

    Args:
        attention_weights: One matrix for each sentence, shape `(target_length, source_length)`,
            without control tokens: `translation.attention_weights[:, 1:-1]`.
        sure: One integer array for each sentence, shape `(links, 2)`, of
            (source_index, target_index), counted from 0.
        possible: The same for the possible links. Sure links need not be repeated.

    Returns:
        Float from 0.0, every link right, to 1.0.

    Raises:
        ValueError: If the three lists differ in length, a shape is wrong, an index is out of range,
            a weight is not finite, or there is no link at all.

    Example:
        >>> alignment_error_rate([[[0.1, 0.9], [0.8, 0.2]]], [[[1, 0], [0, 1]]], [[]])
        0.0
    """
    if not len(attention_weights) == len(sure) == len(possible):
        raise ValueError(
            "Expected one matrix, one array of sure and one of possible links for each sentence. "
            f"Received: len(attention_weights)={len(attention_weights)}, len(sure)={len(sure)}, "
            f"len(possible)={len(possible)}"
        )
    found = total = 0
    for weights, sure_links, possible_links in zip(attention_weights, sure, possible, strict=True):
        weights = _check_weights(weights)
        sure_links = _link_set(sure_links, weights, "sure")
        possible_links = _link_set(possible_links, weights, "possible") | sure_links
        hypothesis = {(int(weights[target].argmax()), target) for _, target in possible_links}
        found += len(hypothesis & sure_links) + len(hypothesis & possible_links)
        total += len(hypothesis) + len(sure_links)
    if total == 0:
        raise ValueError(f"The corpus has no link to score. Received: sure={sure!r}")
    return 1.0 - found / total


def _check_weights(weights):
    weights = np.asarray(weights)
    if weights.ndim != 2 or not np.isfinite(weights).all():
        raise ValueError(
            "Each matrix of `attention_weights` must have the shape (target_length, source_length) "
            f"and hold finite numbers. Received: shape={weights.shape}, weights={weights}"
        )
    return weights


def _link_set(links, weights, name):
    links = np.asarray(links)
    if links.size == 0:
        return set()
    target_length, source_length = weights.shape
    if links.ndim != 2 or links.shape[1] != 2 or not np.issubdtype(links.dtype, np.integer):
        raise ValueError(
            f"Each array of `{name}` must hold integers of shape (links, 2). "
            f"Received: shape={links.shape}, dtype={links.dtype}"
        )
    if (links < 0).any() or (links >= [source_length, target_length]).any():
        raise ValueError(
            f"Each link of `{name}` must be (source_index, target_index) with source_index below "
            f"{source_length} and target_index below {target_length}. Received: {links.tolist()}"
        )
    return {(source, target) for source, target in links.tolist()}
