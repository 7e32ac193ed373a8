"""Chinese verbs with their particles, and the English verb groups that render them.

Tense, which Chinese does not mark, is read off the particles:

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

from kerasseq.phrasebook.alignment import Phrase, SourceWord
from kerasseq.phrasebook.chinese_english.nouns import characters, linked, unlinked

BE = {"1s": "am", "2s": "are", "3s": "is", "1p": "are", "3p": "are"}
WAS = {"1s": "was", "2s": "were", "3s": "was", "1p": "were", "3p": "were"}
MODALS = {"会": "will", "能": "can", "想": "want", "必须": "must"}
NEGATIONS = {"不": "present", "没": "past"}


@dataclass
class VerbGroup(Phrase):
    """A predicate; `finite` is the first character of its Chinese verb or adjective."""

    finite: SourceWord | None = None


def do(form):
    """Return the form of "do" that agrees with the subject."""
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
        before, auxiliaries, english = marked_verb(verb, marking, form)
        stem = characters(verb.chinese)
        suffix = characters("了") if marking == "了" else []
        main = linked(english, stem + suffix)
        source = adverb.source + before + place.source + stem + suffix + complement.source
        target = [*auxiliaries, *adverb.target, main, *complement.target, *place.target]
        return VerbGroup(source, target, max(complement.depth, place.depth), stem[0])

    return predicate


def marked_verb(verb, marking, form):
    """Return the characters before the verb, the English auxiliaries, and the English verb."""
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
