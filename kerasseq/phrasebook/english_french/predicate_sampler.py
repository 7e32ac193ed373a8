"""Draws predicates that suit their subject, and relative clauses, which are built on predicates."""

from functools import cache

from kerasseq.phrasebook.alignment import SourceWord
from kerasseq.phrasebook.english_french import clauses, nouns
from kerasseq.phrasebook.english_french.being_sampler import BeingSampler
from kerasseq.phrasebook.english_french.lexicon import VERBS
from kerasseq.phrasebook.english_french.tenses import (
    RELATIVE,
    REPORTED,
    TENSES,
    draw_adverb,
    draw_tense,
    labeled,
    takes_time,
)
from kerasseq.phrasebook.english_french.verbs import BE, MODALS, Agreement

# Nobody swims, falls or leaves "in the library".
ANYWHERE = ("dormir", "courir", "travailler", "pleurer", "rire", "chanter", "danser")

# Construction: fewest words, weight.
PREDICATES = {
    "intransitive": (1, 10),
    "object_pronoun": (2, 3),
    "transitive": (2, 26),
    "predicate_adjective": (2, 9),
    "state": (2, 2),
    "passive": (2, 5),
    "profession": (3, 2),
    "residence": (3, 1),
    "location": (4, 8),
    "that_clause": (4, 8),
}


class PredicateSampler(BeingSampler):
    """Draws predicates of at most about `room` English words."""

    def predicate(self, subject, room, tenses, constructions=tuple(PREDICATES)):
        """Draw a predicate for a subject.

        Args:
            subject: `NounPhrase`.
            room: Number of English words that it may take.
            tenses: Dict from tense to weight.
            constructions: Names of those to choose from.

        Returns:
            The predicate, the name of its construction, and whether a time adverbial suits it;
            or None if nothing fits.
        """
        weights = {
            name: PREDICATES[name][1] for name in constructions if PREDICATES[name][0] <= room
        }
        if room > 8 and "that_clause" in weights:
            weights["that_clause"] *= 2
            del weights["intransitive"]
        while weights:
            name = self.choice.weighted(weights)
            drawn = getattr(self, f"_{name}")(subject, room, tenses)
            if drawn:
                return drawn
            del weights[name]
        return None

    def relative(self, noun, number, adjectives, room):
        """Draw a relative clause: a function of the noun phrase, or None."""
        agreement = Agreement(noun.gender, number)
        head = SourceWord(noun.english[number])
        source = [*(SourceWord(adjective.english) for adjective in adjectives), head]
        stand_in = nouns.NounPhrase(source, agreement=agreement, head=head, kinds=noun.kinds)
        verbs = [verb for verb in _verbs("transitive") if verb.objects & noun.kinds]
        drawn = None
        if verbs and room >= 4 and self.choice.chance(0.4):
            drawn = self._object_relative(self.choice.one_of(verbs), stand_in, room)
        return drawn or self._subject_relative(stand_in, room)

    def _object_relative(self, verb, stand_in, room):
        subject = self.animate(verb.subjects, room - 2, avoid={stand_in.head.text})
        if subject is None:
            return None
        tense = draw_tense(self.choice, verb, subject, RELATIVE)
        if tense is None:
            return None
        adverb = draw_adverb(self.choice, verb, tense)

        def relative(noun_phrase):
            return clauses.object_relative(noun_phrase, subject, verb, tense, adverb)

        return relative

    def _subject_relative(self, stand_in, room):
        drawn = self.predicate(stand_in, room - 1, RELATIVE)
        return drawn and (lambda noun_phrase: clauses.subject_relative(noun_phrase, drawn[0]))

    def animate(self, kinds, room, avoid=frozenset()):
        """Draw a subject for a verb: a pronoun, a name or a noun phrase."""
        if "person" in kinds and self.choice.chance(0.5 if room == 1 else 0.15):
            return nouns.subject_pronoun(self.choice.one_of(tuple(nouns.SUBJECT_PRONOUNS)))
        return self.noun_phrase(kinds, room, "subject", avoid=avoid)

    def _intransitive(self, subject, room, tenses):
        verb = self._verb("intransitive", subject)
        tense = verb and draw_tense(self.choice, verb, subject, tenses)
        if not tense:
            return None
        adverb = draw_adverb(self.choice, verb, tense)
        place = None
        if room >= 3 and verb.french["infinitive"] in ANYWHERE and self.choice.chance(0.6):
            place = self.place(subject.kinds & {"person", "animal"}, room - 2)
        elif room >= 3 and verb.french["infinitive"] == "arriver" and self.choice.chance(0.5):
            place = self.place(frozenset({"person"}), 2)
        predicate = clauses.action(verb, tense, place, adverb)
        return labeled("intransitive", predicate, verb, tense, adverb)

    def _transitive(self, subject, room, tenses):
        verb = self._verb("transitive", subject)
        tense = verb and draw_tense(self.choice, verb, subject, tenses)
        if not tense:
            return None
        adverb = draw_adverb(self.choice, verb, tense)
        spent = 1 + bool(adverb) + (tense in MODALS)
        negated = adverb in ("not", "never")
        object_ = self.noun_phrase(
            verb.objects,
            max(room - spent, 2),
            owner=_owner(subject),
            negated=negated,
            avoid={subject.head.text},
        )
        if object_ is None:
            return None
        if verb.objects == {"field"} and self.choice.chance(0.4):
            object_ = nouns.modified(object_, self.place(frozenset({"person"}), 2))
        predicate = clauses.action(verb, tense, object_, adverb)
        return labeled("transitive", predicate, verb, tense, adverb)

    def _object_pronoun(self, subject, room, tenses):
        verb = self._verb("transitive", subject, objects={"person"})
        tense = verb and draw_tense(self.choice, verb, subject, tenses)
        if not tense:
            return None
        adverb = draw_adverb(self.choice, verb, tense)
        clitic = self.choice.one_of(tuple(nouns.OBJECT_PRONOUNS))
        predicate = clauses.action(verb, tense, None, adverb, clitic)
        return predicate, "object_pronoun", takes_time(verb, tense, adverb)

    def _passive(self, subject, room, tenses):
        verb = self._verb("transitive", objects=subject.kinds)
        finished = {tense: tenses[tense] for tense in ("past", "past_perfect") if tense in tenses}
        tense = verb and draw_tense(self.choice, BE, subject, finished or tenses)
        if not tense or verb.objects & {"place", "field"} or verb.french["imperfect_stem"]:
            return None
        adverb = "not" if self.choice.chance(0.15) else ""
        agent = None
        if room >= 5 and self.choice.chance(0.6):
            agent = self.prepositional_agent(verb, room - 3, avoid={subject.head.text})
        predicate = clauses.passive(verb, tense, agent, adverb)
        return predicate, "passive", tense == "past" and not adverb

    def prepositional_agent(self, verb, room, avoid):
        """Draw "by the minister"."""
        agent = self.noun_phrase(verb.subjects, room, "subject", avoid=avoid)
        return agent and nouns.preposition("by", "par") + agent

    def _residence(self, subject, room, tenses):
        verb = self._verb("residence", subject)
        tense = verb and draw_tense(self.choice, verb, subject, tenses)
        if not tense:
            return None
        adverb = draw_adverb(self.choice, verb, tense)
        predicate = clauses.action(verb, tense, self.place(frozenset({"person"}), 2), adverb)
        return labeled("residence", predicate, verb, tense, adverb)

    def _that_clause(self, subject, room, tenses):
        verb = self._verb("clausal", subject)
        tense = verb and draw_tense(
            self.choice, verb, subject, {t: w for t, w in tenses.items() if t not in MODALS}
        )
        if not tense:
            return None
        # French wants the subjunctive after "ne pense pas que", which is beyond this grammar.
        indicative = verb.french["infinitive"] in ("dire", "savoir")
        adverb = draw_adverb(self.choice, verb, tense) if indicative else ""
        reported = TENSES if tense == "present" else REPORTED
        content, _, _ = self.clause(room - 2 - bool(adverb), reported)
        predicate = clauses.action(verb, tense, clauses.that_clause(content), adverb)
        return predicate, "that_clause", False

    def clause(self, room, tenses):
        """Draw a clause. Return it, its construction, and whether a time adverbial fits."""
        raise NotImplementedError

    def _verb(self, frame, subject=None, objects=None):
        # Not "the egg that fell fell".
        said = {source.text for source in subject.source} if subject else set()
        options = [
            verb
            for verb in _verbs(frame)
            if (subject is None or verb.subjects & subject.kinds)
            and (objects is None or verb.objects & objects)
            and not said & set(verb.english.values())
        ]
        return self.choice.one_of(options) if options else None


@cache
def _verbs(frame):
    return [verb for verb in VERBS.values() if verb.frame == frame]


def _owner(subject):
    """Return "his" or "her" if something may belong to the subject."""
    if "person" not in subject.kinds or subject.agreement.verb_form != "3s":
        return None
    return "his" if subject.agreement.gender == "m" else "her"
