"""Draws Chinese sentences with their English translations."""

from kerasseq.phrasebook.alignment import word
from kerasseq.phrasebook.chinese_english import clauses, nouns
from kerasseq.phrasebook.chinese_english.lexicon import NOUNS
from kerasseq.phrasebook.chinese_english.nouns import entry
from kerasseq.phrasebook.chinese_english.predicate_sampler import PredicateSampler
from kerasseq.phrasebook.chinese_english.sentence import finish

ENTITIES = {
    "person": 55, "animal": 18, "portable": 8, "text": 5, "furniture": 3, "building": 4,
    "vehicle": 3, "agreement": 1, "part": 1,
}  # fmt: skip
CONNECTIVES = {"但是": "but", "而且": "and", "所以": "so"}
TIMES = {"了": ("昨天", "yesterday"), "没": ("昨天", "yesterday"), "会": ("明天", "tomorrow"),
         "": ("每天", "every", "day")}  # fmt: skip
IDENTIFIED = [noun for noun in NOUNS.values() if noun.kinds & {"portable", "vehicle", "building"}]


class Sampler(PredicateSampler):
    """Draws sentences of about `room` characters.

    Args:
        choice: `Choice`.
    """

    def sentence(self, room):
        """Draw a `SentencePair` of about `room` Chinese characters."""
        phrase, construction, first = self._coordination(room)
        return finish(phrase, construction, first)

    def _coordination(self, room):
        choice = self.choice
        if room < 9 or not choice.chance(0.25 if room < 16 else 0.5 if room < 24 else 0.9):
            clause, construction = self.clause(room, timed=True)
            return clause, construction, clause
        first, _ = self.clause(min(room - 6, choice.integer(3, 16)), timed=True)
        chinese = choice.weighted({"但是": 3, "而且": 3, "所以": 1})
        rest, _, _ = self._coordination(room - len(first.source) - 3)
        connective = entry(chinese, CONNECTIVES[chinese])
        return first + word("，", ",") + connective + rest, "coordination", first

    def clause(self, room, timed=False):
        """Draw a clause. Return it and the name of its construction."""
        choice = self.choice
        room = max(room, 2)
        if room >= 6 and choice.chance(0.06):
            existential = self._existential(room)
            if existential:
                return existential, "existential"
        if room >= 3 and choice.chance(0.05):
            return self._identification(room)
        while True:
            share = choice.integer(1, max(1, room - 3)) if room > 4 else max(1, room - 2)
            subject = self._subject(share)
            drawn = subject and self.predicate(subject, room - len(subject.source))
            if drawn:
                break
        predicate, construction, marking = drawn
        # A bare verb, as in 猫跑, is at its best with 每天.
        likely = 0.6 if marking == "" else 0.3
        suits = timed and room >= 5 and marking in TIMES
        time = TIMES[marking] if suits and choice.chance(likely) else None
        if time and choice.chance(0.6):
            predicate = clauses.timed(predicate, entry(*time))
            time = None
        clause = clauses.clause(subject, predicate)
        if time:
            clause = clauses.with_time(clause, entry(*time))
        return clause, subject.construction or construction

    def _subject(self, room):
        kinds = frozenset([self.choice.weighted(ENTITIES)])
        if room >= 4 and kinds & {"person", "animal"} and self.choice.chance(0.08):
            first = self.noun_phrase(kinds, 2, "pair")
            second = self.noun_phrase(kinds, 2, "pair", first.head.text)
            return second and nouns.both(first, second)
        return self.noun_phrase(kinds, room, "subject")

    def _identification(self, room):
        """Draw 这是好书 -> "this is a good book"."""
        subject = nouns.this(self.choice.one_of(("这", "那")))
        negated = self.choice.chance(0.35)
        noun = self.choice.one_of(IDENTIFIED)
        if room >= 5 and "owned" in noun.kinds and self.choice.chance(0.4):
            owner = nouns.possessor(self.choice.one_of(tuple(nouns.PRONOUNS)))
            thing = nouns.noun_phrase(noun, owner)
        else:
            thing = clauses.bare_predicate_noun(noun, self._adjectives(noun, room - 2))
        construction = "negation" if negated else "identification"
        return clauses.clause(subject, clauses.identified(thing, negated)), construction

    def _existential(self, room):
        kinds = frozenset([self.choice.weighted({"person": 2, "animal": 2, "portable": 5})])
        place = self.place(kinds, room // 2)
        noun = place and self.noun_phrase(kinds, room - len(place.source) - 3, "new")
        return noun and clauses.existence(place, noun)
