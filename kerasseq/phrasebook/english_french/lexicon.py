"""The English and French words of the phrasebook, with their inflected forms."""

from dataclasses import dataclass

from kerasseq.phrasebook.lexicon import read_table


@dataclass(frozen=True, eq=False)
class Noun:
    """A noun in both languages; `forms` map the number "s" or "p" to the inflected word.

    Args:
        english: English forms by number.
        french: French forms by number.
        gender: Gender in French, "m" or "f".
        kinds: What can be said about it, for selection: "person", "text", … and its own name.
    """

    english: dict
    french: dict
    gender: str
    kinds: frozenset


@dataclass(frozen=True, eq=False)
class Adjective:
    """An adjective; French forms by gender + number, and "m" before a vowel.

    Args:
        english: The one English form.
        french: French forms under "ms", "fs", "mp", "fp" and "m_before_vowel".
        place: Whether it stands "before" or "after" a French noun.
        rank: English order; the smaller, the farther from the noun.
        kinds: Kinds of nouns that it can describe.
    """

    english: str
    french: dict
    place: str
    rank: int
    kinds: frozenset


@dataclass(frozen=True, eq=False)
class Verb:
    """A verb in both languages.

    Args:
        english: Forms under "base", "third", "past", "participle".
        french: Forms under "infinitive", "participle", "1s", "3s", "3p" (present) and, if the
            past of the verb is rendered by the imparfait, "imperfect_stem".
        auxiliary: "avoir" or "être".
        frame: "transitive", "intransitive", "residence" or "clausal".
        habitual: Whether "often" goes well with it.
        subjects: Kinds of nouns that can be its subject.
        objects: Kinds of nouns that can be its object.
    """

    english: dict
    french: dict
    auxiliary: str
    frame: str
    habitual: bool
    subjects: frozenset
    objects: frozenset


@dataclass(frozen=True, eq=False)
class Name:
    """A proper name; kind is "person", "city", "country" or "campus"."""

    english: str
    french: str
    gender: str
    kind: str


@dataclass(frozen=True, eq=False)
class Preposition:
    """A preposition, the kinds of nouns that stand before it, and those that stand behind."""

    english: str
    french: str
    subjects: frozenset
    objects: frozenset


def _kinds(text):
    return frozenset(text.split())


def _rows(table):
    return read_table("english_french", table)


NOUNS = {
    row["english"]: Noun(
        {"s": row["english"], "p": row["english_plural"]},
        {"s": row["french"], "p": row["french_plural"]},
        row["gender"],
        _kinds(row["kinds"]) | {row["english"]},
    )
    for row in _rows("nouns")
}

ADJECTIVES = {
    row["english"]: Adjective(
        row["english"],
        {
            "ms": row["masculine"],
            "fs": row["feminine"],
            "mp": row["masculine_plural"],
            "fp": row["feminine_plural"],
            "m_before_vowel": row["masculine_before_vowel"],
        },
        row["place"],
        int(row["rank"]),
        _kinds(row["kinds"]),
    )
    for row in _rows("adjectives")
}

# By French infinitive: "know" is both connaître and savoir.
VERBS = {
    row["french"]: Verb(
        {
            "base": row["english"],
            "third": row["third_person"],
            "past": row["past"],
            "participle": row["participle"],
        },
        {
            "infinitive": row["french"],
            "participle": row["french_participle"],
            "1s": row["je"],
            "3s": row["il"],
            "3p": row["ils"],
            "imperfect_stem": row["imperfect_stem"],
        },
        row["auxiliary"],
        row["frame"],
        row["adverb"] == "often",
        _kinds(row["subjects"]),
        _kinds(row["objects"]),
    )
    for row in _rows("verbs")
}

NAMES = {row["english"]: Name(**row) for row in _rows("names")}

COMPLEMENTS = [
    Preposition(row["english"], row["french"], frozenset([row["noun"]]), _kinds(row["complements"]))
    for row in _rows("complements")
]

PLACES = [
    Preposition(row["english"], row["french"], _kinds(row["subjects"]), _kinds(row["objects"]))
    for row in _rows("places")
]

ORGANIZATIONS = [tuple(row.values()) for row in _rows("organizations")]
FIELDS = [tuple(row.values()) for row in _rows("fields")]
