"""Draws English sentences with their French translations."""

from kerasseq.phrasebook.alignment import Clause, Phrase, SourceWord, TargetWord, word
from kerasseq.phrasebook.english_french import clauses, nouns
from kerasseq.phrasebook.english_french.lexicon import ADJECTIVES
from kerasseq.phrasebook.english_french.predicate_sampler import PredicateSampler
from kerasseq.phrasebook.english_french.sentence import finish
from kerasseq.phrasebook.english_french.tenses import TENSES

ENTITIES = {
    "person": 55, "animal": 14, "portable": 10, "text": 5, "furniture": 3, "building": 4,
    "vehicle": 2, "agreement": 4, "organization": 3, "part": 2, "container": 3,
}  # fmt: skip
YEARS = ("1945", "1968", "1984", "1992", "2001", "2015")
MONTHS = {"March": "mars", "April": "avril", "August": "août", "October": "octobre"}
CONNECTIVES = {"and": ("et",), "but": ("mais",), "while": ("tandis", "que")}
REASONS = ("tired", "happy", "rich", "young", "old")
DEEDS = ("intransitive", "transitive", "object_pronoun")


class Sampler(PredicateSampler):
    """Draws sentences of about `room` words.

    Args:
        choice: `Choice`.
    """

    def sentence(self, room):
        """Draw a `SentencePair` of at most about `room` English words."""
        phrase, construction, first = self._coordination(room)
        return finish(phrase, construction, first)

    def _coordination(self, room):
        choice = self.choice
        several = room >= 9 and choice.chance(0.2 if room < 14 else 0.5 if room < 24 else 0.9)
        if not several:
            phrase, construction = self._main_clause(room)
            return phrase, construction, phrase
        first, _ = self._main_clause(min(room - 5, choice.integer(3, 16)))
        english = choice.weighted({"and": 5, "but": 3, "while": 1})
        rest, _, _ = self._coordination(room - len(first.source) - 2)
        phrase = first + word(",", ",") + _conjunction(english) + rest
        return phrase, "coordination", first

    def _main_clause(self, room):
        """Draw a clause with its time, or with a reason."""
        choice = self.choice
        if room >= 6 and choice.chance(0.08):
            return self._with_reason(room)
        timed = room >= 4 and choice.chance(0.2)
        time, tenses = self._time() if timed else (None, TENSES)
        clause, construction, takes_time = self.clause(
            room - len(time.source) if time else room, tenses
        )
        if time and takes_time and (clause.depth or choice.chance(0.3)):
            clause = _fronted(time, clause)
        elif time and takes_time:
            clause = _followed(clause, time)
        return clause, construction

    def _time(self):
        """Draw a time adverbial and the tenses that go with it."""
        choice = self.choice
        kind = choice.weighted(
            {"yesterday": 3, "year": 2, "month": 2, "every day": 2, "tomorrow": 1}
        )
        if kind == "yesterday":
            return word("yesterday", "hier"), {"past": 1}
        if kind == "tomorrow":
            return word("tomorrow", "demain"), {"going": 1}
        if kind == "every day":
            return word("every", "chaque") + word("day", "jour"), {"present": 1}
        time = word("in", "en")
        if kind == "month":
            month = choice.one_of(tuple(MONTHS))
            time += word(month, MONTHS[month])
        year = choice.one_of(YEARS)
        return time + word(year, year), {"past": 1}

    def _with_reason(self, room):
        """Draw "the woman left because she was tired"."""
        subject = self._subject(room // 2, {"person": 1}, pronouns=False)
        tense = self.choice.weighted({"past": 3, "present": 2})
        room = max(1, room - len(subject.source) - 4)
        predicate, _, _ = self.predicate(subject, room, {tense: 1}, DEEDS)
        main = clauses.clause(subject, predicate)
        number, gender = subject.agreement.number, subject.agreement.gender
        english = "they" if number == "p" else "he" if gender == "m" else "she"
        pronoun = nouns.subject_pronoun(english, subject.agreement)
        reason = clauses.because(clauses.clause(pronoun, self._reason(tense)))
        return _followed(main, reason), "reason"

    def _reason(self, tense):
        """Draw a predicate that says why somebody does something."""
        if self.choice.chance(0.25):
            return clauses.being_in_state("hungry", tense)
        adverb = "not" if self.choice.chance(0.2) else ""
        return clauses.being_adjective(ADJECTIVES[self.choice.one_of(REASONS)], tense, adverb)

    def clause(self, room, tenses):
        """Draw a clause. Return it, its construction, and whether a time adverbial fits."""
        room = max(room, 3)
        if room >= 6 and {"present", "past"} & set(tenses) and self.choice.chance(0.04):
            existential = self._existential(room, tenses)
            if existential:
                return existential, "existential", False
        while True:
            share = self.choice.integer(1, max(1, room - 3)) if room > 5 else max(1, room - 2)
            subject = self._subject(share, ENTITIES)
            if subject is None:
                continue
            drawn = self.predicate(subject, room - len(subject.source), tenses)
            if drawn:
                break
        predicate, construction, takes_time = drawn
        clause = clauses.clause(subject, predicate)
        return clause, _main_construction(subject, construction), takes_time

    def _subject(self, room, entities, pronouns=True):
        choice = self.choice
        if pronouns and "person" in entities and choice.chance(0.5 if room == 1 else 0.12):
            return nouns.subject_pronoun(choice.one_of(tuple(nouns.SUBJECT_PRONOUNS)))
        kinds = frozenset([choice.weighted(entities)]) if room > 1 else frozenset(["person"])
        if room >= 5 and kinds & {"person", "animal"} and choice.chance(0.1):
            return self._pair(kinds)
        return self.noun_phrase(kinds, room, "subject")

    def _pair(self, kinds):
        first = self.noun_phrase(kinds, 2, "subject")
        second = self.noun_phrase(kinds, 2, "subject", avoid={first.head.text})
        return first and second and nouns.both(first, second)

    def _existential(self, room, tenses):
        kinds = frozenset([self.choice.weighted({"person": 2, "animal": 2, "portable": 5})])
        noun = self.noun_phrase(kinds, (room - 2) // 2, "new")
        place = noun and self.place(noun.kinds - {"person"}, room - 2 - len(noun.source))
        if not place:
            return None
        tense = self.choice.one_of([t for t in ("present", "past") if t in tenses])
        return clauses.there_is(noun, tense, place)


def _main_construction(subject, predicate_construction):
    """Name a clause after its subject if that is the remarkable part, else after its predicate."""
    return subject.construction or predicate_construction


def _followed(clause, phrase):
    whole = clause + phrase
    return Clause(whole.source, whole.target, whole.depth, clause.head, clause.finite)


def _fronted(phrase, clause):
    whole = phrase + word(",", ",") + clause
    return Clause(whole.source, whole.target, whole.depth, clause.head, clause.finite)


def _conjunction(english):
    source = SourceWord(english)
    first, *rest = CONNECTIVES[english]
    target = [TargetWord(first, source), *(TargetWord(text, None, (source,)) for text in rest)]
    return Phrase([source], target)
