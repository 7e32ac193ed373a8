"""Noun phrases and prepositional phrases in English and French, written side by side."""

from dataclasses import dataclass, replace

from kerasseq.phrasebook.alignment import Phrase, SourceWord, TargetWord, word
from kerasseq.phrasebook.english_french.french import starts_with_vowel
from kerasseq.phrasebook.english_french.lexicon import ADJECTIVES
from kerasseq.phrasebook.english_french.verbs import Agreement

# English determiner: French forms for ms, fs, mp, fp. "" is the bare plural of "reads books".
DETERMINERS = {
    "the": ("le", "la", "les", "les"),
    "a": ("un", "une", None, None),
    "": (None, None, "des", "des"),
    "this": ("ce", "cette", None, None),
    "these": (None, None, "ces", "ces"),
    "my": ("mon", "ma", "mes", "mes"),
    "his": ("son", "sa", "ses", "ses"),
    "her": ("son", "sa", "ses", "ses"),
    "every": ("chaque", "chaque", None, None),
    "some": (None, None, "quelques", "quelques"),
    "several": (None, None, "plusieurs", "plusieurs"),
    "many": (None, None, "beaucoup", "beaucoup"),
    "two": (None, None, "deux", "deux"),
    "three": (None, None, "trois", "trois"),
    "four": (None, None, "quatre", "quatre"),
}
# The kinds of names and pronouns of people.
PERSON = frozenset({"person", "adult"})
FORMS = ("ms", "fs", "mp", "fp")

SUBJECT_PRONOUNS = {
    "I": ("je", Agreement("m", "s", 1)),
    "he": ("il", Agreement("m", "s")),
    "she": ("elle", Agreement("f", "s")),
    "they": ("ils", Agreement("m", "p")),
}
OBJECT_PRONOUNS = {
    "him": ("le", Agreement("m", "s")),
    "her": ("la", Agreement("f", "s")),
    "them": ("les", Agreement("m", "p")),
}


@dataclass
class NounPhrase(Phrase):
    """A noun phrase.

    Args:
        agreement: `Agreement`.
        head: Its English noun.
        kinds: What verbs and adjectives fit.
        construction: Name of what is remarkable about it, or "".
    """

    agreement: Agreement | None = None
    head: SourceWord | None = None
    kinds: frozenset = frozenset()
    construction: str = ""


def noun_phrase(noun, number, determiner, adjectives=(), negated=False):
    """Build determiner, adjectives and noun.

    Args:
        noun: `Noun`.
        number: "s" or "p".
        determiner: A key of `DETERMINERS`.
        adjectives: List of `Adjective`, in English order.
        negated: Whether this is the object of a negated verb: un, une and des become de.

    Returns:
        A `NounPhrase`.
    """
    agreement = Agreement(noun.gender, number)
    head = SourceWord(noun.english[number])
    english = [SourceWord(adjective.english) for adjective in adjectives]
    before, after = [], []
    following = noun.french[number]
    for source, adjective in reversed(list(zip(english, adjectives, strict=True))):
        if adjective.place == "after":
            after.append(TargetWord(adjective.french[agreement.form], source))
        else:
            following = adjective_before(adjective, agreement, following)
            before.insert(0, TargetWord(following, source))
    determiner_source = [SourceWord(determiner)] if determiner else []
    article = _determiner(determiner, determiner_source, head, agreement, before, negated)
    source = [*determiner_source, *english, head]
    target = [*article, *before, TargetWord(noun.french[number], head), *after]
    return NounPhrase(source, target, agreement=agreement, head=head, kinds=noun.kinds)


def adjective_before(adjective, agreement, following):
    """Return the form of an adjective before the noun: "bel" before a vowel, "beau" else."""
    if agreement.form == "ms" and starts_with_vowel(following):
        return adjective.french["m_before_vowel"]
    return adjective.french[agreement.form]


def _determiner(determiner, source, head, agreement, adjectives_before, negated):
    text = DETERMINERS[determiner][FORMS.index(agreement.form)]
    # des becomes de before an adjective (de bons livres) and, like un, after a negation.
    if (negated and determiner in ("a", "")) or (determiner == "" and adjectives_before):
        text = "de"
    if not source:
        return [TargetWord(text, None, (head,))]
    article = [TargetWord(text, source[0])]
    return [*article, TargetWord("de", None, (source[0],))] if determiner == "many" else article


def name(proper_name):
    """Build a proper name; French countries and campuses take an article."""
    source = SourceWord(proper_name.english)
    target = [TargetWord(proper_name.french, source)]
    if proper_name.kind in ("country", "campus"):
        article = "le" if proper_name.gender == "m" else "la"
        target.insert(0, TargetWord(article, None, (source,)))
    agreement = Agreement(proper_name.gender, "s")
    kinds = PERSON if proper_name.kind == "person" else frozenset({"place"})
    return NounPhrase([source], target, agreement=agreement, head=source, kinds=kinds)


def field_of_study(english, article, french):
    """Build "linguistics", in French with its article: "la linguistique"."""
    source = SourceWord(english)
    target = [TargetWord(article, None, (source,)), TargetWord(french, source)]
    return NounPhrase(source=[source], target=target, agreement=Agreement("f", "s"), head=source)


def organization(nationality, domain, noun, french, gender):
    """Build "the European Economic Area", whose words French reverses."""
    agreement = Agreement(gender, "s")
    head = SourceWord(noun)
    phrase = Phrase([head], [TargetWord(french, head)])
    for english in (domain, nationality):
        adjective = ADJECTIVES.get(english) or ADJECTIVES[english.lower()]
        source = SourceWord(english)
        phrase.source.insert(0, source)
        phrase.target.append(TargetWord(adjective.french[agreement.form], source))
    article = word("the", "le" if gender == "m" else "la")
    phrase = article + phrase
    return NounPhrase(
        phrase.source,
        phrase.target,
        agreement=agreement,
        head=head,
        kinds=frozenset({"organization"}),
        construction="adjective_order",
    )


def subject_pronoun(english, agreement=None):
    """Build "he" -> "il"; with an agreement, "they" is "elles" for women."""
    french, usual = SUBJECT_PRONOUNS[english]
    agreement = agreement or usual
    if english == "they" and agreement.gender == "f":
        french = "elles"
    source = SourceWord(english)
    return NounPhrase(
        [source],
        [TargetWord(french, source)],
        agreement=agreement,
        head=source,
        kinds=PERSON,
    )


def both(first, second):
    """Coordinate two noun phrases; masculine unless both are feminine."""
    gender = "f" if first.agreement.gender == second.agreement.gender == "f" else "m"
    phrase = first + word("and", "et") + second
    return NounPhrase(
        phrase.source,
        phrase.target,
        agreement=Agreement(gender, "p"),
        head=second.head,
        kinds=first.kinds & second.kinds,
        construction="coordinated_subject",
    )


def modified(noun, modifier, construction=""):
    """Return a noun phrase with a phrase behind it."""
    phrase = noun + modifier
    return replace(
        noun,
        source=phrase.source,
        target=phrase.target,
        depth=phrase.depth,
        construction=construction or noun.construction,
    )


def with_complement(noun, preposition_, complement):
    """Build "the keys to the cabinet"; of different numbers, a trap for the verb."""
    numbers_differ = noun.agreement.number != complement.agreement.number
    construction = "attractor" if numbers_differ else "complement"
    return modified(noun, preposition_ + complement, construction)


def preposition(english, french):
    """Build a preposition; of "in front of" and "près de" the telling word carries the link."""
    source = [SourceWord(text) for text in english.split()]
    telling = source[1] if len(source) == 3 else source[0]
    others = tuple(other for other in source if other is not telling)
    first, *rest = french.split()
    target = [TargetWord(first, telling, others)]
    return Phrase(source, target + [TargetWord(text, None, (telling,)) for text in rest])


def in_place(place):
    """Build "in Paris" -> "à Paris", "in Japan" -> "au Japon", "in Italy" -> "en Italie"."""
    english = "at" if place.kind == "campus" else "in"
    if place.kind == "country" and place.gender == "f":
        return word(english, "en") + word(place.english, place.french)
    return word(english, "à") + name(place)
