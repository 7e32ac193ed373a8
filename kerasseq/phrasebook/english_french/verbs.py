"""English verb groups and their French counterparts: tense, negation, adverbs, clitics.

| tense | English | French |
|---|---|---|
| present | reads, does not read | lit, ne lit pas |
| past | read, did not read | a lu, n'a pas lu; of states: savait, était |
| past_perfect | had (not) read | (n')avait (pas) lu |
| can, must, want, going | can read, is going to read | peut lire, va lire |
"""

from dataclasses import dataclass, replace

from kerasseq.phrasebook.alignment import Phrase, SourceWord, TargetWord
from kerasseq.phrasebook.english_french.lexicon import VERBS

MODALS = {"can": "pouvoir", "must": "devoir", "want": "vouloir", "going": "aller"}
ADVERBS = {"not": "pas", "never": "jamais", "often": "souvent", "rarely": "rarement"}
NEGATIVE = ("not", "never")
IMPERFECT_ENDINGS = {"1s": "ais", "3s": "ait", "3p": "aient"}

BE = VERBS["être"]
# "was wrong" is a state (avait tort), "was signed" an event (a été signé).
BE_PASSIVE = replace(BE, french=BE.french | {"imperfect_stem": ""})
BE_WITH_AVOIR = replace(BE, french=VERBS["avoir"].french)


@dataclass(frozen=True)
class Agreement:
    """Gender "m" or "f", number "s" or "p" and person 1 or 3 of a subject."""

    gender: str
    number: str
    person: int = 3

    @property
    def form(self):
        """The key of a French adjective or participle: "ms", "fs", "mp" or "fp"."""
        return self.gender + self.number

    @property
    def verb_form(self):
        """The key of a French finite verb: "1s", "3s" or "3p"."""
        return f"{self.person}{self.number}"


@dataclass
class VerbGroup(Phrase):
    """A verb with its auxiliaries; `finite` is the first English verb."""

    finite: SourceWord | None = None


def verb_group(verb, tense, agreement, adverb="", clitic=None, agrees_with=None):
    """Build a verb group in both languages.

    Args:
        verb: `Verb`.
        tense: One of the tenses in the table above.
        agreement: `Agreement` of the subject.
        adverb: "", "not", "never", "often" or "rarely".
        clitic: Optional `Phrase` of an object pronoun: behind the verb in English, before it in
            French.
        agrees_with: Optional `Agreement` of a preceding direct object, with which a French
            participle agrees: "la lettre qu'il a écrite".

    Returns:
        A `VerbGroup`.
    """
    english = english_words(verb, tense, agreement, adverb)
    finite, nonfinite = french_verbs(verb, tense, agreement, english, agrees_with)
    before, after = french_adverbs(english)
    pronoun = clitic.target if clitic else []
    if tense in MODALS:
        target = [*before, finite, *after, *pronoun, *nonfinite]
    else:
        target = [*before, *pronoun, finite, *after, *nonfinite]
    source = list(english.values()) + (clitic.source if clitic else [])
    finite_word = next(word for role, word in english.items() if role != "adverb")
    return VerbGroup(source, target, finite=finite_word)


def english_words(verb, tense, agreement, adverb):
    """Return the English words by role, in English order.

    The roles are "do" (support), "modal" (also "had" and "is" of "is going to"), "adverb",
    "going", "to" and "main".
    """
    third = agreement.verb_form == "3s"
    forms = verb.english
    finite = english_finite(verb, tense, agreement)
    if tense in ("present", "past") and verb.english["base"] == "be":
        roles = {"main": finite, "adverb": adverb}
    elif tense in ("present", "past") and adverb == "not":
        do = "did" if tense == "past" else "does" if third else "do"
        roles = {"do": do, "adverb": adverb, "main": forms["base"]}
    elif tense in ("present", "past"):
        roles = {"adverb": adverb, "main": finite}
    elif tense == "past_perfect":
        roles = {"modal": "had", "adverb": adverb, "main": forms["participle"]}
    elif tense == "going":
        be = english_finite(BE, "present", agreement)
        roles = {"modal": be, "adverb": adverb, "going": "going", "to": "to", "main": forms["base"]}
    elif tense == "want" and adverb == "not":
        do = "does" if third else "do"
        roles = {"do": do, "adverb": adverb, "modal": "want", "to": "to", "main": forms["base"]}
    elif tense == "want":
        want = "wants" if third else "want"
        roles = {"modal": want, "to": "to", "main": forms["base"]}
    elif tense == "can" and adverb == "not":
        roles = {"modal": "cannot", "main": forms["base"]}
    else:
        roles = {"modal": tense, "adverb": adverb, "main": forms["base"]}
    return {role: SourceWord(text) for role, text in roles.items() if text}


def english_finite(verb, tense, agreement):
    """Return the present or past form of an English verb that agrees with its subject."""
    form = agreement.verb_form
    if verb.english["base"] == "be":
        present = {"1s": "am", "3s": "is", "3p": "are"}[form]
        return present if tense != "past" else "were" if form == "3p" else "was"
    if tense == "past":
        return verb.english["past"]
    return verb.english["third" if form == "3s" else "base"]


def french_verbs(verb, tense, agreement, english, agrees_with=None):
    """Return the French finite verb, and a list with the participle or infinitive if any."""
    form = agreement.verb_form
    main, do = english["main"], _present(english.get("do"))
    if tense in MODALS:
        modal = VERBS[MODALS[tense]].french[form]
        finite = TargetWord(modal, english["modal"], (*do, *_present(english.get("going"))))
        infinitive = TargetWord(verb.french["infinitive"], main, _present(english.get("to")))
        return finite, [infinitive]
    if tense == "present":
        return TargetWord(verb.french[form], main, do), []
    if tense == "past" and verb.french["imperfect_stem"]:
        return TargetWord(_imperfect(verb, form), main, do), []
    auxiliary = VERBS[verb.auxiliary]
    participle_agreement = agreement if verb.auxiliary == "être" else agrees_with
    participle = TargetWord(participle_form(verb, participle_agreement), main, do)
    if tense == "past_perfect":
        return TargetWord(_imperfect(auxiliary, form), english["modal"]), [participle]
    return TargetWord(auxiliary.french[form], english.get("do"), (main,)), [participle]


def french_adverbs(english):
    """Return the French words before and after the finite verb: "ne" and "pas", or an adverb."""
    source = english.get("adverb")
    if source is None and english.get("modal") and english["modal"].text == "cannot":
        cannot = (english["modal"],)
        return [TargetWord("ne", None, cannot)], [TargetWord("pas", None, cannot)]
    if source is None:
        return [], []
    after = [TargetWord(ADVERBS[source.text], source)]
    do = _present(english.get("do"))
    return [TargetWord("ne", None, (source, *do))] if source.text in NEGATIVE else [], after


def participle_form(verb, agreement=None):
    """Return the French past participle, agreeing in gender and number if asked to."""
    participle = verb.french["participle"]
    if agreement and agreement.gender == "f":
        participle += "e"
    if agreement and agreement.number == "p" and not participle.endswith("s"):
        participle += "s"
    return participle


def _imperfect(verb, form):
    return verb.french["imperfect_stem"] + IMPERFECT_ENDINGS[form]


def _present(source_word):
    return () if source_word is None else (source_word,)
