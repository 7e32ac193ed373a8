"""The English-French grammar, checked on its output with rules that do not come from its code."""

import csv
import re
from importlib import resources
from itertools import pairwise

import pytest

from kerasseq.phrasebook.corpus import make_sampler
from kerasseq.phrasebook.english_french import clauses, nouns, sentence
from kerasseq.phrasebook.english_french.lexicon import ADJECTIVES, NAMES, NOUNS, VERBS
from kerasseq.text.processor import TextProcessor

VOWEL = r"[aeiouyhàâéèêëîïôœûAEIOUYHÀÂÉÈÊËÎÏÔŒÛ]"

AUXILIARIES = ("is", "was", "been", "be", "can", "had", "have")


@pytest.fixture(scope="module")
def pairs():
    sampler = make_sampler("en_fr", seed=99)
    return [sampler.sentence(2 + i % 30) for i in range(2_000)]


def french(pairs):
    # "héros" is the one word of the lexicon with an aspirated h.
    return [pair.target.replace("héros", "zéros") for pair in pairs]


def table(name):
    folder = resources.files("kerasseq.phrasebook") / "english_french"
    with (folder / f"{name}.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def matches(pattern, texts):
    return [text for text in texts if re.search(pattern, text)]


def test_tokens_are_those_of_the_text_processor(pairs):
    text = TextProcessor(level="word")
    for side in ("source", "target"):
        tokens = text.tokens([getattr(pair, side) for pair in pairs])
        assert [tuple(t) for t in tokens] == [getattr(pair, f"{side}_tokens") for pair in pairs]


def test_sentences_begin_with_a_capital_and_end_in_a_period(pairs):
    for pair in pairs:
        for text in (pair.source, pair.target):
            assert text[0].isupper() and text[-1] == "." and text.count(".") == 1


@pytest.mark.parametrize("full", ["le", "la", "je", "de", "ne", "que", "ce", "ma", "sa"])
def test_nothing_is_left_unelided_before_a_vowel(pairs, full):
    assert matches(rf"(?i)\b{full}\b", french(pairs))
    assert not matches(rf"(?i)\b{full} {VOWEL}", french(pairs))


@pytest.mark.parametrize("elided", ["l'", "j'", "d'", "n'", "qu'"])
def test_nothing_is_elided_before_a_consonant(pairs, elided):
    assert matches(rf"(?i)\b{elided}{VOWEL}", french(pairs))
    assert not matches(rf"(?i)\b{elided}(?!{VOWEL})", french(pairs))


@pytest.mark.parametrize("adjective", ["beau", "nouveau", "vieux"])
def test_prenominal_adjectives_have_their_form_before_a_vowel(pairs, adjective):
    masculine = [re.escape(row["french"]) for row in table("nouns") if row["gender"] == "m"]
    vowels = [noun for noun in masculine if re.match(VOWEL, noun) and noun != "héros"]
    singular = r"(le|un|ce|mon|son|chaque)"
    assert not matches(rf"(?i)\b{singular} {adjective} ({'|'.join(vowels)})\b", french(pairs))


def test_prepositions_are_contracted_with_articles(pairs):
    assert not matches(r"(?i)\b(de|à) (le|les)\b", french(pairs))
    for contracted in ("du", "des", "au"):
        assert matches(rf"\b{contracted}\b", french(pairs))


def test_english_article_before_vowels(pairs):
    english = [pair.source.replace("honest", "onest") for pair in pairs]
    english = [text.replace("European", "Yuropean") for text in english]
    assert matches(r"(?i)\ban [aeiou]", english)
    assert not matches(r"(?i)\ba [aeiou]", english)
    assert not matches(r"(?i)\ban [^aeiou]", english)


def test_french_negation_has_two_parts(pairs):
    for pair in pairs:
        first = len(re.findall(r"(?i)\b(ne |n')", pair.target))
        second = len(re.findall(r"\b(pas|jamais)\b", pair.target))
        assert first == second
        assert first == len(re.findall(r"\b(not|never|cannot)\b", pair.source))


def test_indefinite_objects_of_negated_verbs_take_de(pairs):
    negated_object = r"\b(pas|jamais) (lu|vu|acheté|vendu|trouvé|perdu|écrit) (un|une|des)\b"
    assert not matches(negated_object, french(pairs))
    assert matches(r"\b(pas|jamais) (lu|vu|acheté|vendu|trouvé|perdu|écrit) d[e']", french(pairs))


def test_french_articles_agree_with_nouns(pairs):
    gender = {row["french"]: row["gender"] for row in table("nouns")}
    for pair in pairs:
        for article, noun in re.findall(r"(?i)\b(le|la|un|une|cette) ([\wœ]+)", pair.target):
            if noun in gender:
                expected = "f" if article.lower() in ("la", "une", "cette") else "m"
                assert gender[noun] == expected, pair.target


def test_french_adjectives_behind_nouns_agree(pairs):
    forms = {}
    for row in table("nouns"):
        forms[row["french"]] = "masculine" if row["gender"] == "m" else "feminine"
        # souris and héros look alike in both numbers, so they tell nothing.
        forms[row["french_plural"]] = forms[row["french"]] + "_plural"
    forms = {noun: form for noun, form in forms.items() if noun not in ("souris", "héros")}
    columns = ("masculine", "feminine", "masculine_plural", "feminine_plural")
    adjectives = [row for row in table("adjectives") if row["place"] == "after"]
    adjective_of = {row[column]: row for row in adjectives for column in columns}
    seen = set()
    for pair in pairs:
        for noun, following in pairwise(pair.target_tokens):
            if noun in forms and following in adjective_of:
                assert following == adjective_of[following][forms[noun]], pair.target
                seen.add(forms[noun])
    assert seen == set(columns)


def test_predicate_adjectives_agree_in_french():
    agreeing = {"ms": "vert", "fs": "verte", "mp": "verts", "fp": "vertes"}
    for form, adjective in agreeing.items():
        noun = NOUNS["coat" if form[0] == "m" else "table"]
        subject = nouns.noun_phrase(noun, form[1], "the")
        predicate = clauses.being_adjective(ADJECTIVES["green"], "present")
        pair = sentence.finish(clauses.clause(subject, predicate), "")
        assert pair.target_tokens[-2] == adjective


def test_english_verbs_agree_across_attractors(pairs):
    plural = {row["english_plural"] for row in table("nouns")}
    attractors = [pair for pair in pairs if pair.construction == "attractor"]
    checked = 0
    for pair in attractors:
        tokens = pair.source_tokens
        determiner = tokens[0].lower()
        if determiner not in ("the", "this", "these", "my", "two", "three", "four"):
            continue
        head = next((t for t in tokens[1:] if t in plural or t in NOUNS), None)
        verb_position = tokens.index(head) + pair.distance + 1
        verb = tokens[verb_position]
        if verb in ("is", "was", "does", "are", "were", "do"):
            assert (verb in ("are", "were", "do")) == (head in plural), pair.source
            checked += 1
    assert checked >= 5


def test_alignments_are_well_formed(pairs):
    for pair in pairs:
        sure, possible = set(pair.sure), set(pair.possible)
        assert sure <= possible
        assert len({j for _, j in sure}) == len(sure), "one sure source word a target word"
        assert all(i < len(pair.source_tokens) and j < len(pair.target_tokens) for i, j in possible)
        assert (len(pair.source_tokens) - 1, len(pair.target_tokens) - 1) in sure
        assert {j for _, j in possible} == set(range(len(pair.target_tokens)))


def test_sure_links_join_words_that_the_dictionary_joins(pairs):
    meaning = {}
    for row in table("nouns"):
        meaning.setdefault(row["french"], set()).add(row["english"])
        meaning.setdefault(row["french_plural"], set()).add(row["english_plural"])
    for row in table("adjectives"):
        for column in ("masculine", "feminine", "masculine_plural", "feminine_plural"):
            meaning.setdefault(row[column], set()).add(row["english"])
    for row in table("verbs"):
        forms = {row["english"], row["third_person"], row["past"], row["participle"]}
        for column in ("french", "je", "il", "ils", "french_participle"):
            meaning.setdefault(row[column], set()).update(forms)
    known = {english.lower() for row in meaning.values() for english in row}
    checked = 0
    for pair in pairs:
        for i, j in pair.sure:
            source, target = pair.source_tokens[i].lower(), pair.target_tokens[j]
            if source in known and target in meaning and source not in AUXILIARIES:
                assert source in {form.lower() for form in meaning[target]}, (source, target)
                checked += 1
    assert checked > 5_000


def the(noun, number="s", determiner="the"):
    return nouns.noun_phrase(NOUNS[noun], number, determiner)


def test_the_keys_to_the_cabinet():
    keys = nouns.with_complement(the("key", "p"), nouns.preposition("to", "de"), the("cabinet"))
    on_the_table = nouns.preposition("on", "sur") + the("table")
    pair = sentence.finish(clauses.clause(keys, clauses.being("present", on_the_table)), "")
    assert pair.source == "The keys to the cabinet are on the table."
    assert pair.target == "Les clés de l'armoire sont sur la table."
    assert pair.distance == 3


def test_the_man_who_said_that_the_woman():
    studied = clauses.action(
        VERBS["étudier"],
        "past",
        nouns.field_of_study("linguistics", "la", "linguistique") + nouns.in_place(NAMES["MIT"]),
    )
    woman = clauses.subject_relative(the("woman"), studied)
    published = clauses.action(VERBS["publier"], "past_perfect", the("paper", determiner="a"))
    content = clauses.that_clause(clauses.clause(woman, published))
    man = clauses.subject_relative(the("man"), clauses.action(VERBS["dire"], "past", content))
    pair = sentence.finish(clauses.clause(man, clauses.being_in_state("wrong", "past")), "")
    assert pair.source == (
        "The man who said that the woman who studied linguistics at MIT "
        "had published a paper was wrong."
    )
    assert pair.target == (
        "L'homme qui a dit que la femme qui a étudié la linguistique au MIT "
        "avait publié un article avait tort."
    )
    assert (pair.depth, pair.distance) == (3, 14)


def test_the_european_economic_area():
    area = nouns.organization("European", "Economic", "Area", "zone", "f")
    agreement = nouns.with_complement(the("agreement"), nouns.preposition("on", "sur"), area)
    august = (
        clauses.word("in", "en") + clauses.word("August", "août") + clauses.word("1992", "1992")
    )
    signed = clauses.passive(VERBS["signer"], "past", august)
    pair = sentence.finish(clauses.clause(agreement, signed), "")
    assert pair.source == ("The agreement on the European Economic Area was signed in August 1992.")
    assert pair.target == "L'accord sur la zone économique européenne a été signé en août 1992."
    links = {(pair.source_tokens[i], pair.target_tokens[j]) for i, j in pair.sure}
    assert {("European", "européenne"), ("Economic", "économique"), ("Area", "zone")} <= links


def test_participles_agree_with_a_preceding_object():
    letters = clauses.object_relative(
        the("letter", "p"), nouns.name(NAMES["Mary"]), VERBS["écrire"], "past"
    )
    read = clauses.clause(letters, clauses.passive(VERBS["lire"], "past"))
    pair = sentence.finish(read, "")
    assert pair.target == "Les lettres que Marie a écrites ont été lues."


def test_pronoun_objects_stand_before_the_french_verb():
    saw = clauses.action(VERBS["voir"], "past", adverb="not", clitic="her")
    pair = sentence.finish(clauses.clause(nouns.subject_pronoun("I"), saw), "")
    assert (pair.source, pair.target) == ("I did not see her.", "Je ne l'ai pas vue.")


def test_relative_clauses_nest_to_any_depth():
    phrase = the("man")
    for _ in range(6):
        phrase = clauses.subject_relative(the("man"), clauses.action(VERBS["voir"], "past", phrase))
    pair = sentence.finish(clauses.clause(phrase, clauses.action(VERBS["dormir"], "past")), "")
    assert pair.depth == 6 and pair.distance == 24


def test_the_sampler_reaches_the_keys_to_the_cabinet():
    """Draws the two halves of the sentence, which are drawn one after the other."""
    sampler = make_sampler("en_fr", seed=5)
    key = frozenset(["key"])

    def drawn(phrase):
        return phrase and " ".join(source.text for source in phrase.source)

    phrases = [sampler.noun_phrase(key, 5, "subject") for _ in range(3_000)]
    keys = [phrase for phrase in phrases if drawn(phrase) == "the keys to the cabinet"]
    assert keys
    predicates = [sampler.predicate(keys[0], 5, {"present": 1})[0] for _ in range(3_000)]
    assert "are on the table" in {drawn(predicate(keys[0].agreement)) for predicate in predicates}
