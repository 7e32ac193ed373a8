"""Which tense and which adverb a predicate takes."""

from kerasseq.phrasebook.english_french.verbs import MODALS

TENSES = {"present": 38, "past": 48, "past_perfect": 3, "can": 3, "must": 3, "want": 2, "going": 3}
# After "said that": states in the past, events in the past perfect.
REPORTED = {"past_perfect": 1, "past_of_state": 2}
RELATIVE = {"present": 2, "past": 3}


def draw_tense(choice, verb, subject, tenses):
    """Draw a tense whose English form is not that of another tense, or return None.

    Args:
        choice: `Choice`.
        verb: `Verb`.
        subject: `NounPhrase`.
        tenses: Dict from tense to weight.
    """
    weights = dict(tenses)
    state = weights.pop("past_of_state", 0)
    if state and verb.french["imperfect_stem"]:
        weights["past"] = state
    if not subject.kinds & {"person", "animal"} or verb.french["imperfect_stem"]:
        weights = {tense: weights[tense] for tense in weights if tense not in MODALS}
    if verb.english["base"] == verb.english["past"] and subject.agreement.verb_form != "3s":
        weights.pop("present", None)  # "they read" could be either
    return choice.weighted(weights) if weights else None


def draw_adverb(choice, verb, tense):
    """Draw "not", "never", "often", "rarely" or, mostly, nothing."""
    weights = {"": 80, "not": 15}
    if verb.habitual and tense in ("present", "past"):
        weights |= {"never": 3, "often": 5, "rarely": 3}
    return choice.weighted(weights)


def construction_of(construction, tense, adverb):
    """Name a predicate after its negation or its modal, if it has one."""
    if adverb in ("not", "never"):
        return "negation"
    return "modal" if tense in MODALS else construction


def takes_time(verb, tense, adverb):
    """Whether "yesterday" (past), "every day" (present) or "tomorrow" (going) suits a verb."""
    if adverb not in ("", "not") or verb.french["imperfect_stem"]:
        return False
    return tense in ("past", "going") or (tense == "present" and verb.habitual)


def labeled(construction, predicate, verb, tense, adverb):
    """Return what a sampler of predicates returns: predicate, construction, room for a time."""
    return predicate, construction_of(construction, tense, adverb), takes_time(verb, tense, adverb)
