"""Clauses in Chinese and English, written side by side.

Tense, which Chinese does not mark, is read off its particles:

| Chinese | English |
|---|---|
| 咬 | bites |
| 咬了, 没咬 | bit, did not bite |
| 不咬 | does not bite |
| 正在追 | is chasing |
| 会咬, 不会咬 | will bite, will not bite |
| 能, 不能; 想, 不想; 必须 | can, cannot; wants to, does not want to; must |

A predicate is a function from the English agreement of its subject to a `VerbGroup`.
"""

from dataclasses import dataclass

from kerasseq.phrasebook.alignment import Clause, Phrase, SourceWord, TargetWord
from kerasseq.phrasebook.chinese_english.nouns import (
    NounPhrase,
    characters,
    linked,
    unlinked,
)

BE = {"1s": "am", "2s": "are", "3s": "is", "1p": "are", "3p": "are"}
WAS = {"1s": "was", "2s": "were", "3s": "was", "1p": "were", "3p": "were"}
MODALS = {"会": "will", "能": "can", "想": "want", "必须": "must"}
NEGATIONS = {"不": "present", "没": "past"}


@dataclass
class VerbGroup(Phrase):
    """A predicate; `finite` is the first character of its Chinese verb or adjective."""

    finite: SourceWord | None = None


def do(form):
    """Returns the form of "do" that agrees with the subject."""
    return "does" if form == "3s" else "do"


def action(verb, marking, complement=None, place=None, adverb=None):
    """A verb with its object or content, the place before it and its frequency.

    Args:
        verb: `Verb`.
        marking: "" (present), "了", "正在", a negation "不" or "没", a modal such as "会", or a
            negated modal such as "不会".
        complement: Optional `Phrase` behind the verb.
        place: Optional `Phrase` of the place, 在 included.
        adverb: Optional `Phrase` such as 常常 "often", before the verb in both languages.
    """
    complement, place = complement or Phrase(), place or Phrase()
    adverb = adverb or Phrase()

    def predicate(form):
        before, auxiliaries, english = _marking(verb, marking, form)
        stem = characters(verb.chinese)
        suffix = characters("了") if marking == "了" else []
        main = linked(english, stem + suffix)
        source = adverb.source + before + place.source + stem + suffix + complement.source
        target = [*auxiliaries, *adverb.target, main, *complement.target, *place.target]
        return VerbGroup(source, target, max(complement.depth, place.depth), stem[0])

    return predicate


def _marking(verb, marking, form):
    """Returns the characters before the verb, the English auxiliaries, and the English verb."""
    base = verb.english["base"]
    source = characters(marking) if marking != "了" else []
    if marking == "":
        return source, [], verb.english["third"] if form == "3s" else base
    if marking == "了":
        return source, [], verb.english["past"]
    if marking == "正在":
        return source, [unlinked(BE[form], source)], verb.english["progressive"]
    if marking in NEGATIONS:
        support = "did" if NEGATIONS[marking] == "past" else do(form)
        return source, [unlinked(support, source), linked("not", source)], base
    negated = marking[0] == "不"
    modal = source[1:] if negated else source
    return source, _modal(modal, source[:1] if negated else [], form), base


def _modal(modal, negation, form):
    text = "".join(character.text for character in modal)
    english = MODALS[text]
    if text == "能" and negation:
        return [linked("cannot", modal + negation)]
    if text == "想":
        want = "wants" if form == "3s" and not negation else "want"
        words = [linked(want, modal), unlinked("to", modal)]
        support = [unlinked(do(form), negation), linked("not", negation)] if negation else []
        return support + words
    return [linked(english, modal)] + ([linked("not", negation)] if negation else [])


def described(adjective, degree="很"):
    """Builds 很大 -> "is big", 非常大 -> "is very big", 不大 -> "is not big"."""

    def predicate(form):
        mark = characters(degree)
        word = characters(adjective.chinese)
        be = unlinked(BE[form], mark + word)
        extra = {"很": [], "非常": [linked("very", mark)], "不": [linked("not", mark)]}[degree]
        target = [be, *extra, linked(adjective.english, word)]
        return VerbGroup(mark + word, target, finite=word[0])

    return predicate


def identified(noun, negated=False):
    """Builds 是医生 -> "is a doctor", 不是好书 -> "is not a good book".

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
    """Returns the noun after 是 by number: 好书 -> "a good book" or "good books"."""

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
    """Builds 在桌子上 -> "is on the table"; `place` is without 在."""

    def predicate(form):
        negation = characters("不") if negated else []
        at = characters("在")
        extra = [linked("not", negation)] if negated else []
        target = [linked(BE[form], at), *extra, *place.target]
        return VerbGroup(negation + at + place.source, target, place.depth, at[0])

    return predicate


def passive(verb, agent=None, marking="了"):
    """Builds 被学生买了 -> "was bought by the student".

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
    """Builds 桌子上有一本书 -> "there is a book on the table"."""
    have = characters("有")
    be = unlinked(BE[noun.agreement], have)
    source = place.source + have + noun.source
    target = [linked("there", have), be, *noun.target, *place.target]
    return Clause(source, target, max(place.depth, noun.depth), place.source[-1], have[0])


def at(place, named=False):
    """Builds the place of an action, 在图书馆里 -> "in the library"; 在北京 -> "in Beijing"."""
    source = characters("在")
    if named:
        return Phrase(source + place.source, [linked("in", source), *place.target])
    return Phrase(source + place.source, place.target, place.depth)


def toward(place):
    """Builds the goal of 去北京 -> "goes to Beijing"; "to" belongs to the verb."""
    return Phrase(place.source, [TargetWord("to", None, tuple(place.source)), *place.target])


def subject_relative(predicate, form, kinds):
    """Builds 买了书的 -> "who bought the book"."""
    group = predicate(form)
    particle = characters("的")
    pronoun = linked("who" if "person" in kinds else "that", particle)
    return Phrase(group.source + particle, [pronoun, *group.target], group.depth + 1)


def object_relative(subject, verb, marking=""):
    """Builds 学生买的 -> "that the student bought".

    Without a particle the verb is past, as the deed is known; but a state (我爱的) is present.
    """
    stem = characters(verb.chinese)
    particle = characters("的")
    if marking:
        before, auxiliaries, english = _marking(verb, marking, subject.agreement)
    elif verb.aspect == "state":
        before, auxiliaries, english = _marking(verb, "", subject.agreement)
    else:
        before, auxiliaries, english = [], [], verb.english["past"]
    source = subject.source + before + stem + particle
    target = [linked("that", particle), *subject.target, *auxiliaries, linked(english, stem)]
    return Phrase(source, target, subject.depth + 1)


def content(clause_, verb_characters=()):
    """Builds the clause after 说: "that …", where Chinese has no word for "that"."""
    that = unlinked("that", verb_characters)
    return Phrase(clause_.source, [that, *clause_.target], clause_.depth + 1)


def clause(subject, predicate):
    """Joins a subject and a predicate."""
    group = predicate(subject.agreement)
    phrase = subject + group
    return Clause(phrase.source, phrase.target, phrase.depth, subject.head, group.finite)


def timed(predicate, time):
    """Puts a time such as 昨天 before the predicate in Chinese, behind it in English."""

    def later(form):
        group = predicate(form)
        source, target = time.source + group.source, group.target + time.target
        return VerbGroup(source, target, group.depth, group.finite)

    return later


def with_time(clause_, time):
    """Puts a time before the whole clause in Chinese, behind it in English."""
    source, target = time.source + clause_.source, clause_.target + time.target
    return Clause(source, target, clause_.depth, clause_.head, clause_.finite)
