"""Draws noun phrases that make sense: which determiner, which adjectives, what behind the noun."""

from functools import cache

from kerasseq.phrasebook.english_french import nouns
from kerasseq.phrasebook.english_french.lexicon import (
    ADJECTIVES,
    COMPLEMENTS,
    FIELDS,
    NAMES,
    NOUNS,
    ORGANIZATIONS,
    PLACES,
)

PEOPLE = [name for name in NAMES.values() if name.kind == "person"]
CITIES_AND_COUNTRIES = [name for name in NAMES.values() if name.kind in ("city", "country")]
SETTLEMENTS = [name for name in NAMES.values() if name.kind in ("city", "country", "campus")]

SINGULAR = {"the": 40, "a": 20, "this": 10, "my": 8, "every": 2}
PLURAL = {"the": 40, "these": 12, "my": 8, "some": 6, "several": 6, "many": 6}
NUMERALS = {"two": 7, "three": 5, "four": 3}
NEW_PLURAL = {"some": 3, "several": 2, "many": 2} | NUMERALS
QUANTIFIERS = ("every", "some", "several", "many")
# What people may call theirs.
OWNED = frozenset(
    "portable animal vehicle furniture container kin house garden kitchen office "
    "doctor teacher lawyer student child part".split()
)
DOMAINS = ("Economic", "Political", "Cultural", "Scientific")
NATIONALITIES = tuple(name for name, adjective in ADJECTIVES.items() if adjective.rank == 4)


class NounSampler:
    """Draws noun phrases of at most `room` English words.

    Args:
        choice: `Choice`.
    """

    def __init__(self, choice):
        self.choice = choice

    def noun_phrase(self, kinds, room, role="object", owner=None, negated=False, avoid=frozenset()):
        """Draw a noun phrase.

        Args:
            kinds: The kinds of nouns to choose from.
            room: Number of English words that it may take.
            role: "subject", "object" (may be a bare plural), "complement" or "new" (indefinite,
                as after "there is").
            owner: "his" or "her" if the noun may belong to the subject.
            negated: Whether it is the object of a negated verb.
            avoid: English nouns and names not to be used again.

        Returns:
            A `NounPhrase`, or None if nothing fits.
        """
        named = self._named(kinds, room, role, avoid)
        if named:
            return named
        options = _nouns(kinds)
        if avoid:
            options = [noun for noun in options if not avoid & set(noun.english.values())]
        if room < 2 or not options:
            return None
        noun = self.choice.one_of(options)
        number = "p" if self.choice.chance(0.35) and "single" not in noun.kinds else "s"
        adjectives = self._adjectives(noun, room - 2)
        modifier = self._modifier(noun, number, adjectives, room - 2 - len(adjectives))
        determiner = self._determiner(noun, number, role, owner, negated, bool(modifier))
        phrase = nouns.noun_phrase(noun, number, determiner, adjectives, negated)
        return modifier(phrase) if modifier else phrase

    def _named(self, kinds, room, role, avoid):
        """Draw a name, an organization or a field of study, if the kinds allow one."""
        chance = self.choice.chance
        if "field" in kinds and (len(kinds) == 1 or chance(0.4)):
            return nouns.field_of_study(*self.choice.one_of(FIELDS))
        if "organization" in kinds and room >= 4 and chance(1 if len(kinds) == 1 else 0.15):
            # An area does nothing: it is only written and talked about.
            options = ORGANIZATIONS[1:] if role == "subject" else ORGANIZATIONS
            return nouns.organization(
                self.choice.one_of(NATIONALITIES),
                self.choice.one_of(DOMAINS),
                *self.choice.one_of(options),
            )
        if "place" in kinds and chance(0.25):
            return nouns.name(self.choice.one_of(CITIES_AND_COUNTRIES))
        if "person" in kinds and role != "new" and chance(1 if room < 2 else 0.15):
            people = [name for name in PEOPLE if name.english not in avoid]
            return nouns.name(self.choice.one_of(people))
        return None

    def _determiner(self, noun, number, role, owner, negated, has_modifier):
        owned = noun.kinds & OWNED
        if role == "new":
            weights = (
                {"a": 1} if number == "s" else {"some": 3, "several": 2, "many": 2, **NUMERALS}
            )
        elif "kin" in noun.kinds and not has_modifier:
            weights = {"my": 1, owner or "my": 2}
        elif noun.kinds & {"single", "relational"}:
            weights = {"the": 1}
        else:
            weights = dict(SINGULAR) if number == "s" else PLURAL | NUMERALS
            if role == "object" and number == "p" and not has_modifier:
                weights[""] = 25
            if role == "subject" and number == "s":
                weights["a"] = 7
            if negated or role == "complement":
                weights = {key: weights[key] for key in weights if key not in QUANTIFIERS}
            if owner and owned and not has_modifier:
                weights[owner] = 15
            if not owned or has_modifier:
                weights.pop("my")
        return self.choice.weighted(weights)

    def _adjectives(self, noun, room):
        chosen = []
        for chance in (0.45, 0.25):
            options = [other for other in _adjectives(noun) if _goes_with(other, chosen)]
            if len(chosen) < room and options and self.choice.chance(chance):
                chosen.append(self.choice.one_of(options))
        return sorted(chosen, key=lambda adjective: adjective.rank)

    def _modifier(self, noun, number, adjectives, room):
        """Draw what stands behind the noun: a function of the noun phrase, or None."""
        choice = self.choice
        options = {}
        complements = [c for c in COMPLEMENTS if c.subjects & noun.kinds]
        places = [p for p in PLACES if p.subjects & noun.kinds]
        if complements and room >= 3:
            options["complement"] = 5
        if places and room >= 4 and "relational" not in noun.kinds:
            options["place"] = 2
        if room >= 3 and "relational" not in noun.kinds:
            options["relative"] = 1 + room / 4
        eager = 0.95 if "relational" in noun.kinds and complements else 0.4 + room / 20
        if not options or not choice.chance(eager):
            return None
        kind = choice.weighted(options)
        if kind == "relative":
            return self.relative(noun, number, adjectives, room)
        preposition = choice.one_of(complements if kind == "complement" else places)
        head = nouns.preposition(preposition.english, preposition.french)
        inner = self.noun_phrase(
            preposition.objects, room - len(head.source), "complement", avoid={noun.english["s"]}
        )
        if inner is None:
            return None
        return lambda noun_: nouns.with_complement(noun_, head, inner)

    def relative(self, noun, number, adjectives, room):
        """Draw a relative clause: a function of the noun phrase, or None."""
        raise NotImplementedError

    def place(self, kinds, room):
        """Draw the place where something of the given kinds is or happens, or None."""
        if "person" in kinds and (room == 2 or self.choice.chance(0.3)):
            return nouns.in_place(self.choice.one_of(SETTLEMENTS))
        options = [place for place in PLACES if place.subjects & kinds]
        if not options:
            return None
        preposition = self.choice.one_of(options)
        head = nouns.preposition(preposition.english, preposition.french)
        inner = self.noun_phrase(preposition.objects, room - len(head.source), "complement")
        return inner and head + inner


@cache
def _nouns(kinds):
    return [noun for noun in NOUNS.values() if noun.kinds & kinds]


@cache
def _adjectives(noun):
    return [adjective for adjective in ADJECTIVES.values() if adjective.kinds & noun.kinds]


def _goes_with(adjective, chosen):
    """Whether an adjective may stand beside those already chosen (at most one)."""
    if not chosen:
        return True
    both_before = adjective.place == chosen[0].place == "before"
    return adjective.rank != chosen[0].rank and not both_before
