"""Clauses in English and French, written side by side.

A predicate is a function from the `Agreement` of its subject to a `VerbGroup`.
"""

from kerasseq.phrasebook.alignment import Clause, Phrase, SourceWord, TargetWord, word
from kerasseq.phrasebook.english_french.nouns import OBJECT_PRONOUNS, modified
from kerasseq.phrasebook.english_french.verbs import (
    BE,
    BE_PASSIVE,
    BE_WITH_AVOIR,
    VerbGroup,
    participle_form,
    verb_group,
)

# Adjectives that French says with avoir and a noun: "was wrong" is "avait tort".
STATES = {"wrong": "tort", "right": "raison", "hungry": "faim"}


def subject_relative(noun, predicate):
    """Build "the man who sleeps" -> "l'homme qui dort"."""
    pronoun = "who" if "person" in noun.kinds else "that"
    return modified(
        noun, _nested(word(pronoun, "qui") + predicate(noun.agreement)), "subject_relative"
    )


def object_relative(noun, subject, verb, tense, adverb=""):
    """Build "the letter that Mary wrote" -> "la lettre que Marie a écrite"."""
    group = verb_group(verb, tense, subject.agreement, adverb, agrees_with=noun.agreement)
    return modified(noun, _nested(word("that", "que") + subject + group), "object_relative")


def that_clause(clause_):
    """Build "that …" -> "que …"."""
    return _nested(word("that", "que") + clause_)


def because(clause_):
    """Build "because …" -> "parce que …"."""
    source = SourceWord("because")
    conjunction = Phrase(
        [source], [TargetWord("parce", source), TargetWord("que", None, (source,))]
    )
    return _nested(conjunction + clause_)


def _nested(phrase):
    return Phrase(phrase.source, phrase.target, phrase.depth + 1)


def clause(subject, predicate):
    """Join a subject and a predicate that agrees with it."""
    group = predicate(subject.agreement)
    phrase = subject + group
    return Clause(phrase.source, phrase.target, phrase.depth, subject.head, group.finite)


def action(verb, tense, complement=None, adverb="", clitic=None):
    """A lexical verb and whatever follows it: object, place, that-clause."""
    complement = complement or Phrase()

    def predicate(agreement):
        pronoun, agrees_with = None, None
        if clitic:
            french, agrees_with = OBJECT_PRONOUNS[clitic]
            pronoun = word(clitic, french)
        group = verb_group(verb, tense, agreement, adverb, pronoun, agrees_with)
        return _extended(group, complement)

    return predicate


def passive(verb, tense, complement=None, adverb=""):
    """Build "was signed …" -> "a été signé …", whose participle agrees with the subject."""
    complement = complement or Phrase()

    def predicate(agreement):
        group = verb_group(BE_PASSIVE, tense, agreement, adverb)
        participle = word(verb.english["participle"], participle_form(verb, agreement))
        return _extended(group, participle + complement)

    return predicate


def being(tense, complement, adverb=""):
    """Build "is on the table" -> "est sur la table"."""
    return lambda agreement: _extended(verb_group(BE, tense, agreement, adverb), complement)


def being_adjective(adjective, tense, adverb=""):
    """Build "are old" -> "sont vieilles"."""

    def predicate(agreement):
        complement = word(adjective.english, adjective.french[agreement.form])
        return _extended(verb_group(BE, tense, agreement, adverb), complement)

    return predicate


def being_profession(noun, tense, adverb=""):
    """Build "is a doctor" -> "est médecin", without an article in French."""

    def predicate(agreement):
        number = agreement.number
        complement = word(noun.english[number], noun.french[number])
        if number == "s":
            complement.source.insert(0, SourceWord("a"))
        return _extended(verb_group(BE, tense, agreement, adverb), complement)

    return predicate


def being_in_state(english, tense, adverb=""):
    """Build "was wrong" -> "avait tort"."""
    complement = word(english, STATES[english])
    group = BE_WITH_AVOIR
    return lambda agreement: _extended(verb_group(group, tense, agreement, adverb), complement)


def there_is(noun, tense, place):
    """Build "there was a cat in …" -> "il y avait un chat dans …"."""
    there = SourceWord("there")
    subject = [TargetWord("il", None, (there,)), TargetWord("y", there)]
    # "il" keeps the French verb singular, whatever follows.
    english = verb_group(BE, tense, noun.agreement)
    french = {"present": "a", "past": "avait"}[tense]
    group = Phrase([there, *english.source], [*subject, TargetWord(french, english.finite)])
    phrase = group + noun + place
    return Clause(phrase.source, phrase.target, phrase.depth, there, english.finite)


def _extended(group, complement):
    phrase = group + complement
    return VerbGroup(phrase.source, phrase.target, phrase.depth, group.finite)
