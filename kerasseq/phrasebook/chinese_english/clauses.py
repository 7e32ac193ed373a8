"""Predicates without a verb, relative clauses and whole clauses in Chinese and English.

A predicate is a function from the English agreement of its subject to a `VerbGroup`.
"""

from kerasseq.phrasebook.alignment import Clause, Phrase, TargetWord
from kerasseq.phrasebook.chinese_english.nouns import (
    NounPhrase,
    characters,
    linked,
    unlinked,
)
from kerasseq.phrasebook.chinese_english.verbs import BE, WAS, VerbGroup, marked_verb


def described(adjective, degree="很"):
    """Build 很大 -> "is big", 非常大 -> "is very big", 不大 -> "is not big"."""

    def predicate(form):
        mark = characters(degree)
        word = characters(adjective.chinese)
        be = unlinked(BE[form], mark + word)
        extra = {"很": [], "非常": [linked("very", mark)], "不": [linked("not", mark)]}[degree]
        target = [be, *extra, linked(adjective.english, word)]
        return VerbGroup(mark + word, target, finite=word[0])

    return predicate


def identified(noun, negated=False):
    """Build 是医生 -> "is a doctor", 不是好书 -> "is not a good book".

    Args:
        noun: Function from the number "s" or "p" to a `NounPhrase` whose English has no article
            yet, or a `NounPhrase` that is definite as it is.
        negated: Whether 不 stands before 是.
    """

    def predicate(form):
        negation = characters("不") if negated else []
        be = characters("是")
        if isinstance(noun, NounPhrase):
            phrase = noun
        else:
            phrase = noun(form[1])
        extra = [linked("not", negation)] if negated else []
        target = [linked(BE[form], be), *extra, *phrase.target]
        return VerbGroup(negation + be + phrase.source, target, phrase.depth, be[0])

    return predicate


def bare_predicate_noun(noun, adjectives=()):
    """Return the noun after 是 by number: 好书 -> "a good book" or "good books"."""

    def by_number(number):
        head = characters(noun.chinese)
        source, target = [], []
        for adjective in adjectives:
            attribute = characters(adjective.chinese + adjective.particle)
            source += attribute
            target.append(linked(adjective.english, attribute))
        target.append(linked(noun.english[number], head))
        article = [unlinked("a", head)] if number == "s" else []
        return NounPhrase(source + head, article + target, head=head[-1], kinds=noun.kinds)

    return by_number


def located(place, negated=False):
    """Build 在桌子上 -> "is on the table"; `place` is without 在."""

    def predicate(form):
        negation = characters("不") if negated else []
        at = characters("在")
        extra = [linked("not", negation)] if negated else []
        target = [linked(BE[form], at), *extra, *place.target]
        return VerbGroup(negation + at + place.source, target, place.depth, at[0])

    return predicate


def passive(verb, agent=None, marking="了"):
    """Build 被学生买了 -> "was bought by the student".

    Args:
        verb: `Verb`.
        agent: Optional `NounPhrase`.
        marking: "了", "没", "会", or "" for the past in an attribute, 被买的.
    """

    def predicate(form):
        by = characters("被")
        stem = characters(verb.chinese)
        before = characters(marking) if marking in ("没", "会") else []
        suffix = characters("了") if marking == "了" else []
        if marking == "会":
            be = [linked("will", before), unlinked("be", by)]
        elif marking == "没":
            be = [unlinked(WAS[form], by), linked("not", before)]
        else:
            be = [unlinked(WAS[form], by)]
        doer = agent or Phrase()
        preposition = [linked("by", by)] if agent else []
        participle = linked(verb.english["participle"], stem + suffix)
        source = before + by + doer.source + stem + suffix
        return VerbGroup(source, [*be, participle, *preposition, *doer.target], doer.depth, stem[0])

    return predicate


def existence(place, noun):
    """Build 桌子上有一本书 -> "there is a book on the table"."""
    have = characters("有")
    be = unlinked(BE[noun.agreement], have)
    source = place.source + have + noun.source
    target = [linked("there", have), be, *noun.target, *place.target]
    return Clause(source, target, max(place.depth, noun.depth), place.source[-1], have[0])


def at(place, named=False):
    """Build the place of an action, 在图书馆里 -> "in the library"; 在北京 -> "in Beijing"."""
    source = characters("在")
    if named:
        return Phrase(source + place.source, [linked("in", source), *place.target])
    return Phrase(source + place.source, place.target, place.depth)


def toward(place):
    """Build the goal of 去北京 -> "goes to Beijing"; "to" belongs to the verb."""
    return Phrase(place.source, [TargetWord("to", None, tuple(place.source)), *place.target])


def subject_relative(predicate, form, kinds):
    """Build 买了书的 -> "who bought the book"."""
    group = predicate(form)
    particle = characters("的")
    pronoun = linked("who" if "person" in kinds else "that", particle)
    return Phrase(group.source + particle, [pronoun, *group.target], group.depth + 1)


def object_relative(subject, verb, marking=""):
    """Build 学生买的 -> "that the student bought".

    Without a particle the verb is past, as the deed is known; but a state (我爱的) is present.
    """
    stem = characters(verb.chinese)
    particle = characters("的")
    if marking:
        before, auxiliaries, english = marked_verb(verb, marking, subject.agreement)
    elif verb.aspect == "state":
        before, auxiliaries, english = marked_verb(verb, "", subject.agreement)
    else:
        before, auxiliaries, english = [], [], verb.english["past"]
    source = subject.source + before + stem + particle
    target = [linked("that", particle), *subject.target, *auxiliaries, linked(english, stem)]
    return Phrase(source, target, subject.depth + 1)


def content(clause_, verb_characters=()):
    """Build the clause after 说: "that …", where Chinese has no word for "that"."""
    that = unlinked("that", verb_characters)
    return Phrase(clause_.source, [that, *clause_.target], clause_.depth + 1)


def clause(subject, predicate):
    """Join a subject and a predicate."""
    group = predicate(subject.agreement)
    phrase = subject + group
    return Clause(phrase.source, phrase.target, phrase.depth, subject.head, group.finite)


def timed(predicate, time):
    """Put a time such as 昨天 before the predicate in Chinese, behind it in English."""

    def later(form):
        group = predicate(form)
        source, target = time.source + group.source, group.target + time.target
        return VerbGroup(source, target, group.depth, group.finite)

    return later


def with_time(clause_, time):
    """Put a time before the whole clause in Chinese, behind it in English."""
    source, target = time.source + clause_.source, clause_.target + time.target
    return Clause(source, target, clause_.depth, clause_.head, clause_.finite)
