"""Draws predicates with "to be": what somebody or something is, and where."""

from kerasseq.phrasebook.english_french import clauses
from kerasseq.phrasebook.english_french.lexicon import ADJECTIVES, NOUNS
from kerasseq.phrasebook.english_french.noun_sampler import NounSampler
from kerasseq.phrasebook.english_french.tenses import (
    construction_of,
    draw_adverb,
    draw_tense,
    labeled,
)
from kerasseq.phrasebook.english_french.verbs import BE

PROFESSIONS = [noun for noun in NOUNS.values() if "profession" in noun.kinds]
PREDICATIVE = [adjective for adjective in ADJECTIVES.values() if adjective.rank < 4]


class BeingSampler(NounSampler):
    """Draws what a subject may be; each method returns as `PredicateSampler.predicate` does."""

    def _predicate_adjective(self, subject, room, tenses):
        # Not "a green chair is red" or "the young nurse who was young".
        said = {ADJECTIVES[w.text].rank for w in subject.source if w.text in ADJECTIVES}
        options = [
            adjective
            for adjective in PREDICATIVE
            if adjective.kinds & subject.kinds and adjective.rank not in said
        ]
        tense = draw_tense(self.choice, BE, subject, tenses)
        if not options or not tense:
            return None
        adverb = draw_adverb(self.choice, BE, tense)
        predicate = clauses.being_adjective(self.choice.one_of(options), tense, adverb)
        return labeled("predicate_adjective", predicate, BE, tense, adverb)

    def _state(self, subject, room, tenses):
        tense = draw_tense(self.choice, BE, subject, tenses)
        if not tense or not subject.kinds & {"person", "animal"}:
            return None
        states = tuple(clauses.STATES) if "person" in subject.kinds else ("hungry",)
        adverb = draw_adverb(self.choice, BE, tense)
        predicate = clauses.being_in_state(self.choice.one_of(states), tense, adverb)
        return labeled("state", predicate, BE, tense, adverb)

    def _profession(self, subject, room, tenses):
        tense = draw_tense(self.choice, BE, subject, tenses)
        noun = self.choice.one_of(PROFESSIONS)
        suits = noun.gender == subject.agreement.gender or noun.gender == "m"
        if not tense or "person" not in subject.kinds or "profession" in subject.kinds or not suits:
            return None
        adverb = draw_adverb(self.choice, BE, tense)
        predicate = clauses.being_profession(noun, tense, adverb)
        return labeled("profession", predicate, BE, tense, adverb)

    def _location(self, subject, room, tenses):
        tense = draw_tense(self.choice, BE, subject, tenses)
        place = tense and self.place(subject.kinds, room - 1)
        if not place:
            return None
        adverb = draw_adverb(self.choice, BE, tense)
        predicate = clauses.being(tense, place, adverb)
        return predicate, construction_of("location", tense, adverb), False
