"""Phrases in two languages at once, whose target words know the source words that they translate.

A rule of the grammar builds the source side and the target side together. A link joins two word
objects, not two positions, so that a rule can move, nest or contract a phrase. `sentence_pair`
turns the links of a finished sentence into positions.
"""

from dataclasses import dataclass, field


@dataclass(eq=False)
class SourceWord:
    """A word of the source sentence. Two words with the same text are still two objects."""

    text: str


@dataclass(eq=False)
class TargetWord:
    """A word of the target sentence and the source words that it translates.

    Args:
        text: The word.
        sure: The source word that it translates, or None.
        possible: Further source words of the same phrase, as in Och and Ney (2003).
    """

    text: str
    sure: SourceWord | None = None
    possible: tuple[SourceWord, ...] = ()


@dataclass
class Phrase:
    """Two lists of words with the same meaning, and the depth of their nested clauses."""

    source: list[SourceWord] = field(default_factory=list)
    target: list[TargetWord] = field(default_factory=list)
    depth: int = 0

    def __add__(self, other):
        return Phrase(
            self.source + other.source, self.target + other.target, max(self.depth, other.depth)
        )


@dataclass
class Clause(Phrase):
    """A phrase with a subject (`head`) and a finite verb; `distance` counts the words between."""

    head: SourceWord | None = None
    finite: SourceWord | None = None


@dataclass(frozen=True)
class SentencePair:
    """A sentence, its one translation, and the gold alignment between their tokens.

    Args:
        source: Source text.
        target: Target text.
        source_tokens: Tokens of the source text.
        target_tokens: Tokens of the target text.
        sure: Pairs (source index, target index), at most one for each target index.
        possible: Pairs (source index, target index); contains `sure`.
        construction: Name of the main construction.
        distance: Number of source tokens between the head of the main clause's subject and its
            finite verb; in coordinated sentences, of the first clause.
        depth: Depth of clause nesting; 0 if no clause stands inside another.
    """

    source: str
    target: str
    source_tokens: tuple[str, ...]
    target_tokens: tuple[str, ...]
    sure: tuple[tuple[int, int], ...]
    possible: tuple[tuple[int, int], ...]
    construction: str
    distance: int
    depth: int

    @property
    def length(self):
        """Number of source tokens, the final period not counted."""
        return len(self.source_tokens) - 1


def word(source, target):
    """Return the phrase of one source word and of the target word that translates it."""
    source_word = SourceWord(source)
    return Phrase([source_word], [TargetWord(target, source_word)])


def sentence_pair(phrase, clause, target, construction, join_source, join_target):
    """Return the `SentencePair` of a finished phrase.

    Args:
        phrase: `Phrase` of the whole sentence, with its final period.
        clause: The `Clause` within it whose `distance` counts.
        target: The target words in their final spelling.
        construction: Name of the main construction.
        join_source: Function from tokens to text.
        join_target: Function from tokens to text.
    """
    source_tokens = tuple(source.text for source in phrase.source)
    target_tokens = tuple(target_word.text for target_word in target)
    position = {source: i for i, source in enumerate(phrase.source)}
    sure, possible = [], []
    for j, target_word in enumerate(target):
        if target_word.sure is not None:
            sure.append((position[target_word.sure], j))
        possible += [(position[source], j) for source in target_word.possible]
    return SentencePair(
        join_source(source_tokens),
        join_target(target_tokens),
        source_tokens,
        target_tokens,
        tuple(sorted(sure)),
        tuple(sorted({*sure, *possible})),
        construction,
        position[clause.finite] - position[clause.head] - 1,
        phrase.depth,
    )
