"""The Chinese and English words of the phrasebook."""

from dataclasses import dataclass

from kerasseq.phrasebook.lexicon import read_table


@dataclass(frozen=True, eq=False)
class Noun:
    """A noun, the measure word that counts it, and its English forms by number."""

    chinese: str
    measure_word: str
    english: dict
    kinds: frozenset


@dataclass(frozen=True, eq=False)
class Adjective:
    """An adjective.

    Args:
        chinese: The Chinese word.
        particle: "的" if it stands between the adjective and a noun, else "".
        english: The English word.
        rank: English order; the smaller, the farther from the noun; 9 if it never stands there.
        predicative: Whether it follows 很, as in 猫很大.
        kinds: Kinds of nouns that it can describe.
    """

    chinese: str
    particle: str
    english: str
    rank: int
    predicative: bool
    kinds: frozenset


@dataclass(frozen=True, eq=False)
class Verb:
    """A verb.

    Args:
        chinese: The Chinese word.
        english: Forms under "base", "third", "past", "participle" and "progressive".
        aspect: "activity" (正在 and 了), "event" (了), "result" (only 了, 没 and 会) or "state"
            (neither 了 nor 正在).
        frame: "transitive", "intransitive", "motion", "residence" or "clausal".
        subjects: Kinds of nouns that can be its subject.
        objects: Kinds of nouns that can be its object.
    """

    chinese: str
    english: dict
    aspect: str
    frame: str
    subjects: frozenset
    objects: frozenset


@dataclass(frozen=True, eq=False)
class Name:
    """A name, which takes no determiner; kind is "person", "place" or "field"."""

    chinese: str
    english: str
    kind: str


@dataclass(frozen=True, eq=False)
class Place:
    """A Chinese postposition with its English preposition: 桌子上, "on the table"."""

    chinese: str
    english: str
    subjects: frozenset
    objects: frozenset


def _kinds(text):
    return frozenset(text.split())


def _rows(table):
    return read_table("chinese_english", table)


NOUNS = {
    row["chinese"]: Noun(
        row["chinese"],
        row["measure_word"],
        {"s": row["english"], "p": row["english_plural"]},
        _kinds(row["kinds"]) | {row["chinese"]},
    )
    for row in _rows("nouns")
}

ADJECTIVES = {
    row["chinese"]: Adjective(
        row["chinese"],
        row["particle"],
        row["english"],
        int(row["rank"]),
        row["predicative"] == "yes",
        _kinds(row["kinds"]),
    )
    for row in _rows("adjectives")
}

VERBS = {
    row["chinese"]: Verb(
        row["chinese"],
        {
            "base": row["english"],
            "third": row["third_person"],
            "past": row["past"],
            "participle": row["participle"],
            "progressive": row["progressive"],
        },
        row["aspect"],
        row["frame"],
        _kinds(row["subjects"]),
        _kinds(row["objects"]),
    )
    for row in _rows("verbs")
}

NAMES = {row["chinese"]: Name(**row) for row in _rows("names")}

PLACES = [
    Place(row["chinese"], row["english"], _kinds(row["subjects"]), _kinds(row["objects"]))
    for row in _rows("places")
]
