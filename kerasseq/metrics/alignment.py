"""The alignment error rate: how often attention looks at the wrong source word."""

from kerasseq.checks import check_finite, check_links, check_matrix, is_iterable


def alignment_error_rate(attention_weights, sure, possible):
    """Alignment error rate (Och & Ney, 2003) of attention read as a word alignment.

        AER = 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|)

    S holds the sure links, P the possible links, and S is part of P. A holds one link for each
    target word that has a link in P: the link to the source word of greatest weight, or to the
    first of these words if several tie. Target words without a link do not count. The counts are
    sums over the whole corpus.

    Args:
        attention_weights: One matrix for each sentence, shape `(target_length, source_length)`,
            without control tokens: those of `translation.without_control_tokens()`.
        sure: One integer array for each sentence, shape `(links, 2)`, of
            (source_index, target_index), counted from 0.
        possible: The possible links, in the same form. The sure links need not stand here again.

    Returns:
        Float from 0.0 (every link is right) to 1.0 (no link is).

    Raises:
        ValueError: If the three lists differ in length, if a shape is wrong, if an index is out of
            range, if a weight is not finite, or if the corpus has no link.

    Example:
        >>> alignment_error_rate([[[0.1, 0.9], [0.8, 0.2]]], [[[1, 0], [0, 1]]], [[]])
        0.0
    """
    lists = {"attention_weights": attention_weights, "sure": sure, "possible": possible}
    for name, value in lists.items():
        if isinstance(value, str | bytes) or not is_iterable(value):
            expected = f"`{name}` must be a list with one array for each sentence."
            raise ValueError(f"{expected} Received: {name}={value!r}")
        check_finite(name, value)
    attention_weights, sure, possible = map(list, lists.values())
    if not len(attention_weights) == len(sure) == len(possible):
        raise ValueError(
            "Expected one matrix, one array of sure and one of possible links for each sentence. "
            f"Received: len(attention_weights)={len(attention_weights)}, len(sure)={len(sure)}, "
            f"len(possible)={len(possible)}"
        )
    agreements = links = 0
    sentences = zip(attention_weights, sure, possible, strict=True)
    for number, (weights, sure_links, possible_links) in enumerate(sentences):
        weights = check_matrix(f"attention_weights[{number}]", weights)
        sure_links = _link_set(f"sure[{number}]", sure_links, weights)
        possible_links = _link_set(f"possible[{number}]", possible_links, weights) | sure_links
        # A, S and P of the equation, for one sentence.
        chosen_links = {(int(weights[target].argmax()), target) for _, target in possible_links}
        agreements += len(chosen_links & sure_links) + len(chosen_links & possible_links)
        links += len(chosen_links) + len(sure_links)
    if links == 0:
        raise ValueError(f"The corpus has no link to score. Received: sure={sure!r}")
    return 1.0 - agreements / links


def _link_set(name, links, weights):
    target_length, source_length = weights.shape
    links = check_links(name, links, source_length, target_length)
    return {(source, target) for source, target in links.tolist()}
