"""Phrases in two languages at once, whose words know what they translate.

A rule of the grammar builds the source and the target side together. Words are linked as objects,
not as positions, so a phrase can be moved, nested or contracted freely; positions are read off
only when the sentence is finished.
"""

from dataclasses import dataclass, field


@dataclass(eq=False)
class SourceWord:
    """A word of the source sentence, told apart from its equals by identity."""

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
    """Two word lists that mean the same, and how deep clauses are nested in them."""

    source: list[SourceWord] = field(default_factory=list)
    target: list[TargetWord] = field(default_factory=list)
    depth: int = 0

    def __add__(self, other):
        return Phrase(
            self.source + other.source, self.target + other.target, max(self.depth, other.depth)
        )


@dataclass
class Clause(Phrase):
    """A phrase with a subject and a finite verb, between which `distance` is counted."""

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
    """Returns the phrase of one source word and the one target word that translates it."""
    source_word = SourceWord(source)
    return Phrase([source_word], [TargetWord(target, source_word)])


def links(source, target):
    """Reads the alignment of a finished sentence off its words.

    Args:
        source: List of `SourceWord`.
        target: List of `TargetWord`.

    Returns:
        The pairs `sure` and `possible`, each a sorted tuple of (source index, target index).
    """
    position = {id(source_word): i for i, source_word in enumerate(source)}
    sure, possible = set(), set()
    for j, target_word in enumerate(target):
        if target_word.sure is not None:
            sure.add((position[id(target_word.sure)], j))
        possible.update((position[id(source_word)], j) for source_word in target_word.possible)
    return tuple(sorted(sure)), tuple(sorted(sure | possible))
