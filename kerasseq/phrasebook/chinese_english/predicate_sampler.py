"""Draws Chinese predicates that suit their subject, and relative clauses."""

from functools import cache

from kerasseq.phrasebook.chinese_english import clauses, nouns, verbs
from kerasseq.phrasebook.chinese_english.lexicon import ADJECTIVES, NAMES, NOUNS, VERBS
from kerasseq.phrasebook.chinese_english.noun_sampler import NounSampler

# Which markings a verb takes, by its aspect.
MARKINGS = {
    "activity": {"": 8, "了": 34, "正在": 14, "不": 8, "没": 12, "会": 7, "能": 3, "想": 5,
                 "必须": 2, "不会": 2, "不能": 2, "不想": 2},
    "event": {"": 6, "了": 42, "不": 6, "没": 12, "会": 8, "能": 3, "想": 5, "必须": 2,
              "不会": 3, "不能": 2, "不想": 2},
    "result": {"了": 60, "没": 20, "会": 8},
    "state": {"": 70, "不": 25},
}  # fmt: skip
RELATIVE_MARKINGS = {"了": 5, "正在": 3, "没": 2, "会": 1, "想": 1}
PROFESSIONS = [noun for noun in NOUNS.values() if "profession" in noun.kinds]
CITIES = [name for name in NAMES.values() if name.kind == "place"]
WHEREVER = ("睡", "哭", "工作", "休息", "读", "写", "吃", "学")

# Construction: fewest characters, weight.
PREDICATES = {
    "intransitive": (1, 14),
    "transitive": (2, 34),
    "predicate_adjective": (2, 12),
    "profession": (3, 3),
    "motion": (3, 3),
    "residence": (4, 2),
    "location": (4, 8),
    "passive": (3, 6),
    "that_clause": (5, 8),
}


class PredicateSampler(NounSampler):
    """Draws predicates of about `room` Chinese characters."""

    def predicate(self, subject, room, relative=False):
        """Draw a predicate for a subject.

        Args:
            subject: `NounPhrase`.
            room: Number of characters that it may take.
            relative: Whether it is for a relative clause, which wants a deed.

        Returns:
            The predicate, the name of its construction, and its marking if it is a deed to which
            a time may be added, else None; or None if nothing fits.
        """
        weights = {name: weight for name, (least, weight) in PREDICATES.items() if least <= room}
        if relative:
            deeds = ("intransitive", "transitive", "motion", "passive")
            weights = {name: weights[name] for name in deeds if name in weights}
        if room > 10 and "that_clause" in weights:
            weights["that_clause"] *= 3
            del weights["intransitive"]
        while weights:
            name = self.choice.weighted(weights)
            drawn = getattr(self, f"_{name}")(subject, room, relative)
            if drawn:
                return drawn
            del weights[name]
        return None

    def relative(self, noun, room, of_object):
        """Draw a relative clause whose noun is its object or its subject, or return None."""
        if of_object:
            options = [verb for verb in _verbs("transitive") if verb.objects & noun.kinds]
            if not options:
                return None
            verb = self.choice.one_of(options)
            doer = self.noun_phrase(
                verb.subjects, room - len(verb.chinese) - 1, "subject", noun.chinese
            )
            marking = "正在" if verb.aspect == "activity" and self.choice.chance(0.3) else ""
            return doer and (lambda form: clauses.object_relative(doer, verb, marking))
        head = nouns.characters(noun.chinese)
        stand_in = nouns.NounPhrase(head, head=head[-1], kinds=noun.kinds)
        drawn = self.predicate(stand_in, room - 1, relative=True)
        return drawn and (lambda form: clauses.subject_relative(drawn[0], form, noun.kinds))

    def _marking(self, verb, relative, room):
        weights = MARKINGS[verb.aspect]
        if relative and verb.aspect != "state":
            weights = {m: RELATIVE_MARKINGS[m] for m in weights if m in RELATIVE_MARKINGS}
            if verb.frame == "intransitive":
                weights = {m: weights[m] for m in weights if m and m != "了"}
        weights = {m: weights[m] for m in weights if len(m) + len(verb.chinese) <= max(room, 1)}
        if not relative and verb.aspect == "result":
            weights = {m: weights[m] for m in weights if m}
        return self.choice.weighted(weights) if weights else None

    def _intransitive(self, subject, room, relative):
        verb = self._verb("intransitive", subject)
        marking = None if verb is None else self._marking(verb, relative, room)
        if marking is None:
            return None
        place = self._where(verb, subject, marking, room - 2)
        predicate = verbs.action(verb, marking, None, place)
        return predicate, _name("intransitive", marking), _deed(verb, marking)

    def _transitive(self, subject, room, relative):
        verb = self._verb("transitive", subject)
        marking = None if verb is None else self._marking(verb, relative, room - 1)
        if marking is None:
            return None
        said = "".join(character.text for character in subject.source)
        left = max(room - len(verb.chinese) - len(marking), 1)
        place = self._where(verb, subject, marking, left - 2) if left >= 7 else None
        left -= len(place.source) if place else 0
        # Not 看见了他的狗, "the dog that saw him", which also is "saw his dog".
        role = "pair" if relative else "object"
        object_ = self.noun_phrase(verb.objects, left, role, said)
        if object_ is None:
            return None
        predicate = verbs.action(verb, marking, object_, place)
        return predicate, _name("transitive", marking), _deed(verb, marking)

    def _where(self, verb, subject, marking, room):
        """Draw the place of an action, or None."""
        suits = verb.chinese in WHEREVER and marking != "正在" and "person" in subject.kinds
        if not suits or room < 3 or not self.choice.chance(0.4):
            return None
        if room < 5 or self.choice.chance(0.3):
            return clauses.at(nouns.name(self.choice.one_of(CITIES)), named=True)
        place = self.place(frozenset(["person"]), min(room - 1, 8))
        return place and clauses.at(place)

    def _predicate_adjective(self, subject, room, relative):
        said = [character.text for character in subject.source]
        options = [
            adjective
            for adjective in ADJECTIVES.values()
            if adjective.predicative
            and adjective.kinds & subject.kinds
            and adjective.chinese[0] not in said
        ]
        if not options:
            return None
        adjective = self.choice.one_of(options)
        degree = self.choice.weighted({"很": 6, "不": 3, "非常": 2 if room >= 3 else 0})
        construction = "negation" if degree == "不" else "predicate_adjective"
        return clauses.described(adjective, degree), construction, None

    def _profession(self, subject, room, relative):
        if "person" not in subject.kinds or "profession" in subject.kinds:
            return None
        noun = self.choice.one_of(PROFESSIONS)
        negated = self.choice.chance(0.3)
        adjectives = self._adjectives(noun, room - 3 - negated)
        predicate = clauses.identified(clauses.bare_predicate_noun(noun, adjectives), negated)
        return predicate, "negation" if negated else "profession", None

    def _motion(self, subject, room, relative):
        verb = self._verb("motion", subject)
        marking = None if verb is None else self._marking(verb, relative, room - 2)
        if marking is None:
            return None
        goal = clauses.toward(nouns.name(self.choice.one_of(CITIES)))
        return verbs.action(verb, marking, goal), _name("motion", marking), marking

    def _residence(self, subject, room, relative):
        verb = self._verb("residence", subject)
        if verb is None:
            return None
        marking = self.choice.weighted({"": 3, "不": 1})
        place = clauses.at(nouns.name(self.choice.one_of(CITIES)), named=True)
        return verbs.action(verb, marking, place), _name("residence", marking), None

    def _location(self, subject, room, relative):
        place = self.place(subject.kinds, room - 1)
        negated = self.choice.chance(0.15)
        construction = "negation" if negated else "location"
        return place and (clauses.located(place, negated), construction, None)

    def _passive(self, subject, room, relative):
        options = [
            verb
            for verb in _verbs("transitive")
            if verb.objects & subject.kinds and verb.aspect != "state"
        ]
        if not options:
            return None
        verb = self.choice.one_of(options)
        # 被买了, but as an attribute 被买的.
        marking = self.choice.weighted({"" if relative else "了": 8, "没": 2, "会": 1})
        agent = None
        left = room - len(verb.chinese) - 2
        if left >= 2 and self.choice.chance(0.7):
            said = "".join(character.text for character in subject.source)
            # Too little room for a relative clause: not 被被约翰看见的孩子.
            agent = self.noun_phrase(verb.subjects, min(left, 4), "object", said)
        return clauses.passive(verb, agent, marking), "passive", marking

    def _that_clause(self, subject, room, relative):
        verb = self._verb("clausal", subject)
        if verb is None:
            return None
        marking = self.choice.weighted({"": 6, "不": 1 if verb.chinese != "说" else 0})
        content, _ = self.clause(room - len(verb.chinese) - len(marking))
        predicate = verbs.action(verb, marking, clauses.content(content))
        return predicate, "that_clause", None

    def clause(self, room):
        """Draw a clause. Return it and the name of its construction."""
        raise NotImplementedError

    def _verb(self, frame, subject):
        options = [verb for verb in _verbs(frame) if verb.subjects & subject.kinds]
        return self.choice.one_of(options) if options else None


@cache
def _verbs(frame):
    return [verb for verb in VERBS.values() if verb.frame == frame]


def _name(construction, marking):
    if marking[:1] in ("不", "没"):
        return "negation"
    if marking == "正在":
        return "progressive"
    return construction if marking in ("", "了") else "modal"


def _deed(verb, marking):
    """Return the marking of a deed, None of a state."""
    return None if verb.aspect == "state" else marking
