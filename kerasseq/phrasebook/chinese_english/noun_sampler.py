"""Draws Chinese noun phrases that make sense."""

from functools import cache

from kerasseq.phrasebook.chinese_english import nouns
from kerasseq.phrasebook.chinese_english.lexicon import ADJECTIVES, NAMES, NOUNS, PLACES

PEOPLE = [name for name in NAMES.values() if name.kind == "person"]
DETERMINERS = {"": 42, "一": 12, "这": 12, "那": 9, "这些": 5, "那些": 4, "两": 4, "三": 3, "四": 1}
QUANTIFIERS = {"很多": 3, "几": 3, "每": 2}
SOME = {"一": 6, "两": 2, "三": 2, "四": 1, "几": 1, "很多": 2}


class NounSampler:
    """Draws noun phrases of about `room` Chinese characters.

    Args:
        choice: `Choice`.
    """

    def __init__(self, choice):
        self.choice = choice

    def noun_phrase(self, kinds, room, role="object", avoid=""):
        """Draw a noun phrase.

        Args:
            kinds: The kinds of nouns to choose from.
            room: Number of characters that it may take.
            role: "subject", "object", "pair" (not a pronoun), "place" (definite) or "new"
                (indefinite).
            avoid: Text whose nouns, names and pronouns are not to be used again.

        Returns:
            A `NounPhrase`, or None if nothing fits.
        """
        choice = self.choice
        if role != "new":
            named = self._named(kinds, room, role, avoid)
            if named:
                return named
        options = [
            noun
            for noun in _nouns(kinds)
            if len(noun.chinese) <= max(room, 2) and noun.chinese not in avoid
        ]
        if not options:
            return None
        noun = choice.one_of(options)
        left = room - len(noun.chinese)
        determiner, relative, of_object = "", None, False
        if left >= 4 and choice.chance(0.25 + room / 30):
            adjectives = []
            of_object = choice.chance(0.45)
            relative = self.relative(noun, left, of_object)
        else:
            adjectives = self._adjectives(noun, left)
        left -= sum(len(adjective.chinese) + 1 for adjective in adjectives)
        if role == "new":
            determiner = choice.weighted(SOME)
        elif left >= 2:
            determiner = self._determiner(noun, role, left, plain=relative is None)
        return nouns.noun_phrase(
            noun, determiner, adjectives, relative, clause_first=bool(relative) and of_object
        )

    def _named(self, kinds, room, role, avoid):
        """Draw a pronoun, a name, a field of study, or a pair of noun phrases."""
        chance = self.choice.chance
        if "field" in kinds or ("place" in kinds and chance(1 if len(kinds) == 1 else 0.2)):
            return nouns.name(self.choice.one_of(_names(kinds & {"field", "place"})))
        if "person" not in kinds:
            return None
        if role != "pair" and chance(0.5 if room == 1 else 0.2):
            options = [pronoun for pronoun in nouns.PRONOUNS if pronoun not in avoid]
            short = [pronoun for pronoun in options if len(pronoun) <= room] or options
            return nouns.pronoun(self.choice.one_of(short), role)
        if room >= 2 and chance(0.15):
            names = [name for name in PEOPLE if name.chinese not in avoid]
            return nouns.name(self.choice.one_of(names))
        return None

    def _determiner(self, noun, role, room, plain):
        choice = self.choice
        weights = dict(DETERMINERS)
        if role != "place":
            weights |= QUANTIFIERS
        if role == "subject":
            weights["一"] = 4
        if "person" in noun.kinds and noun.chinese != "人":
            weights["们"] = 8
        if plain and "owned" in noun.kinds and choice.chance(0.2):
            return self._possessor(noun, room)
        return choice.weighted(weights)

    def _possessor(self, noun, room):
        if room < 3 or self.choice.chance(0.7):
            return nouns.possessor(self.choice.one_of(tuple(nouns.PRONOUNS)))
        if self.choice.chance(0.3):
            return nouns.possessor(nouns.name(self.choice.one_of(PEOPLE)))
        owners = [owner for owner in _nouns(frozenset(["person"])) if owner is not noun]
        return nouns.possessor(nouns.noun_phrase(self.choice.one_of(owners), ""))

    def _adjectives(self, noun, room):
        """Draw at most two adjectives that may stand before a noun."""
        chosen = []
        for chance in (0.4, 0.15):
            options = [
                adjective
                for adjective in _adjectives(noun)
                if adjective.rank not in [other.rank for other in chosen]
            ]
            if options and room >= 2 + 2 * len(chosen) and self.choice.chance(chance):
                chosen.append(self.choice.one_of(options))
        return sorted(chosen, key=lambda adjective: adjective.rank)

    def relative(self, noun, room, of_object):
        """Draw a relative clause whose noun is its object or its subject, or return None."""
        raise NotImplementedError

    def place(self, kinds, room):
        """Draw a place without 在, such as 桌子上, or return None."""
        options = [
            place for place in PLACES if place.subjects & kinds and len(place.chinese) < room
        ]
        if not options:
            return None
        place = self.choice.one_of(options)
        inner = self.noun_phrase(place.objects, room - len(place.chinese), "place")
        return inner and nouns.at_place(place, inner)


@cache
def _nouns(kinds):
    return [noun for noun in NOUNS.values() if noun.kinds & kinds]


@cache
def _names(kinds):
    return [name for name in NAMES.values() if name.kind in kinds]


@cache
def _adjectives(noun):
    return [
        adjective
        for adjective in ADJECTIVES.values()
        if adjective.kinds & noun.kinds
        and adjective.rank < 9
        and adjective.chinese[0] != noun.chinese[0]  # not 老老师
    ]
