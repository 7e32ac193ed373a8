"""Noun phrases in Chinese and English, written side by side.

Number and definiteness, which English must show, are read off the Chinese: 猫 is "the cat",
一只猫 "a cat", 这些猫 "these cats", 学生们 "the students".
"""

from dataclasses import dataclass

from kerasseq.phrasebook.alignment import Phrase, SourceWord, TargetWord

# Chinese determiner: whether a measure word follows, English determiner, number.
DETERMINERS = {
    "": (False, "the", "s"),
    "一": (True, "a", "s"),
    "这": (True, "this", "s"),
    "那": (True, "that", "s"),
    "每": (True, "every", "s"),
    "两": (True, "two", "p"),
    "三": (True, "three", "p"),
    "四": (True, "four", "p"),
    "几": (True, "several", "p"),
    "这些": (False, "these", "p"),
    "那些": (False, "those", "p"),
    "很多": (False, "many", "p"),
    "们": (False, "the", "p"),
}
# English subject, object and possessive form.
PRONOUNS = {
    "我": ("I", "me", "my", "1s"),
    "你": ("you", "you", "your", "2s"),
    "他": ("he", "him", "his", "3s"),
    "她": ("she", "her", "her", "3s"),
    "我们": ("we", "us", "our", "1p"),
    "他们": ("they", "them", "their", "3p"),
}


@dataclass
class NounPhrase(Phrase):
    """A noun phrase.

    Args:
        agreement: English person and number: "1s" (am), "2s", "3s" (is), "1p" or "3p" (are).
        head: The last character of its Chinese noun.
        kinds: What verbs and adjectives fit.
        construction: Name of what is remarkable about it, or "".
    """

    agreement: str = "3s"
    head: SourceWord | None = None
    kinds: frozenset = frozenset()
    construction: str = ""


def characters(text):
    """Return a source word for each character of a Chinese text."""
    return [SourceWord(character) for character in text]


def linked(english, chinese):
    """Return an English word linked to Chinese characters: surely to the first of them."""
    return TargetWord(english, chinese[0], tuple(chinese[1:]))


def unlinked(english, chinese):
    """Return an English word without a counterpart, which belongs to a Chinese phrase."""
    return TargetWord(english, None, tuple(chinese))


def entry(chinese, *english):
    """Build a Chinese word and its English words, of which the first has the sure link."""
    source = characters(chinese)
    rest = [unlinked(text, source) for text in english[1:]]
    return Phrase(source, [linked(english[0], source), *rest])


def noun_phrase(noun, determiner, adjectives=(), relative=None, clause_first=False):
    """Build determiner, measure word, relative clause, adjectives and noun.

    Args:
        noun: `Noun`.
        determiner: A key of `DETERMINERS`, or a possessor made by `possessor`.
        adjectives: List of `Adjective`, in English order, which is the Chinese one.
        relative: Optional function from the agreement of the noun to the `Phrase` of a relative
            clause: before the noun in Chinese, behind it in English.
        clause_first: Whether the relative clause stands before the determiner.
    """
    head = characters(noun.chinese)
    described = [_attribute(adjective) for adjective in adjectives]
    article, number, plural = _determiner(determiner, noun, head)
    clause = relative("3" + number) if relative else Phrase()
    # 那只咬了人的狗, but 我看见的那只狗: "那只我看见的狗" would first be read as "that I …".
    source = clause.source + article.source if clause_first else article.source + clause.source
    target = list(article.target)
    for attribute in described:
        source += attribute.source
        target += attribute.target
    source += head + plural
    construction = "object_relative" if clause_first else "subject_relative" if relative else ""
    target += [TargetWord(noun.english[number], head[0], tuple(head[1:] + plural))]
    return NounPhrase(
        source,
        target + clause.target,
        clause.depth,
        agreement="3" + number,
        head=head[-1],
        kinds=noun.kinds,
        construction=construction,
    )


def _determiner(determiner, noun, head):
    """Return the determiner, the English number, and 们 if the noun ends in it."""
    if isinstance(determiner, Phrase):
        return determiner, "s", []
    counted, english, number = DETERMINERS[determiner]
    if determiner == "":
        return Phrase([], [unlinked(english, head)]), number, []
    source = characters(determiner + (noun.measure_word if counted else ""))
    if determiner == "们":
        return Phrase([], [unlinked(english, head)]), number, source
    return Phrase(source, [linked(english, source)]), number, []


def _attribute(adjective):
    source = characters(adjective.chinese + adjective.particle)
    return Phrase(source, [linked(adjective.english, source)])


def possessor(owner):
    """Build 我的 -> "my" from a pronoun, 学生的 -> "the student's" from a noun phrase."""
    if isinstance(owner, str):
        source = characters(owner + "的")
        return Phrase(source, [linked(PRONOUNS[owner][2], source)])
    particle = characters("的")
    return Phrase(owner.source + particle, [*owner.target, linked("'s", particle)], owner.depth)


def name(proper_name):
    """Build a proper name or a field of study."""
    phrase = entry(proper_name.chinese, proper_name.english)
    kinds = frozenset([proper_name.kind])
    return NounPhrase(phrase.source, phrase.target, head=phrase.source[-1], kinds=kinds)


def pronoun(chinese, case="subject"):
    """Build a personal pronoun, as a subject or an object."""
    subject, object_, _, agreement = PRONOUNS[chinese]
    phrase = entry(chinese, subject if case == "subject" else object_)
    head = phrase.source[-1]
    person = frozenset(["person"])
    return NounPhrase(phrase.source, phrase.target, agreement=agreement, head=head, kinds=person)


def this(chinese):
    """Build 这 or 那 as a whole subject: "this" or "that"."""
    phrase = entry(chinese, {"这": "this", "那": "that"}[chinese])
    return NounPhrase(phrase.source, phrase.target, head=phrase.source[-1])


def both(first, second):
    """Build 猫和狗 -> "the cat and the dog"."""
    phrase = first + entry("和", "and") + second
    return NounPhrase(
        phrase.source,
        phrase.target,
        phrase.depth,
        "3p",
        second.head,
        first.kinds & second.kinds,
        "coordinated_subject",
    )


def at_place(place, noun):
    """Build 桌子上 -> "on the table"; of "in front of" only "front" has a sure link."""
    source = characters(place.chinese)
    english = place.english.split()
    telling = "front" if len(english) == 3 else english[0]
    target = [
        linked(text, source) if text == telling else unlinked(text, source) for text in english
    ]
    return Phrase(noun.source + source, target + noun.target, noun.depth)
