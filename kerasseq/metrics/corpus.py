"""How close a corpus of translations comes to its references: BLEU and chrF, by sacreBLEU."""

import warnings
from itertools import zip_longest
from typing import NamedTuple

from kerasseq.checks import check_finite, check_texts, is_iterable

# By the script of the language; where a choice is given, the first needs an optional package.
_TOKENIZERS = {
    "Hani": ("zh",),
    "Jpan": ("ja-mecab", "char"),
    "Kore": ("ko-mecab", "char"),
}
_AT_SPACES = ("13a",)


class Score(NamedTuple):
    """A corpus score, 0 to 100, and the sacreBLEU signature that says how it was computed."""

    score: float
    signature: str


def bleu(hypotheses, references, language=None):
    """Corpus BLEU as sacreBLEU computes it, with the signature to report beside it.

    The texts are compared as a reader sees them, not as tokens: sacreBLEU cuts them itself, Chinese
    by character ("zh"), Japanese and Korean by word if `sacrebleu[ja]` or `sacrebleu[ko]` is
    installed and else by character, all other languages written without spaces, such as Thai, by
    character ("char"), and all languages with spaces by its standard tokenizer "13a". The signature
    says which.

    BLEU counts pieces of up to four tokens: a corpus in which no sentence has four scores 0, even
    if all are right. chrF does not.

    Args:
        hypotheses: List of str, the translations. An empty one is allowed.
        references: List of the same length: a str, or a list of several str, for each hypothesis.
        language: Language code of the texts, ISO 639-1 or 639-3, with or without a script and a
            region: "fr", "zh-CN", "pt_BR", "yue", "sr-Latn". None decides by the script of most
            letters of the references.

    Returns:
        `Score(score, signature)`.

    Raises:
        ValueError: If the lists are empty, differ in length or hold something else than str, or if
            the language cannot be: "cn" or "english".

    Warns:
        UserWarning: If the language is written with spaces, and the references are not.

    Example:
        >>> bleu(["the cat sat on the mat"], ["the cat sat on a mat"], language="en").score
        53.7284965911771

    References:
        - Papineni et al. (2002), BLEU: a method for automatic evaluation of machine translation.
        - Post (2018), A call for clarity in reporting BLEU scores, https://arxiv.org/abs/1804.08771.
    """
    hypotheses, columns = check_corpus(hypotheses, references)
    return _score(make_bleu(language, columns), hypotheses, columns)


def chrf(hypotheses, references):
    """Corpus chrF (Popović, 2015) as sacreBLEU computes it: needs no words, so no language.

    Args and errors are those of `bleu`.

    Returns:
        `Score(score, signature)`.

    Example:
        >>> chrf(["我爱北京"], ["我爱北京"]).score
        100.0
    """
    from sacrebleu.metrics import CHRF

    return _score(CHRF(), *check_corpus(hypotheses, references))


def tokenizers(language, columns=()):
    """Return the sacreBLEU tokenizers for a language, best first; see `bleu`.

    Args:
        language: Language code or None.
        columns: The references, as `check_corpus` returns them.

    Raises:
        ValueError: If the language cannot be.
    """
    # Here, as sacreBLEU below: the layers and the loss do without both.
    from kerasseq.text.languages import check_language, script_of, script_of_texts

    if language is not None:
        check_language(language)
    script = None if language is None else script_of(language)
    written = script_of_texts(text for column in columns for text in column if text)
    chosen, fitting = (_of_script(one) for one in (script, written))
    if script is None:
        return fitting
    if chosen == _AT_SPACES and fitting != _AT_SPACES:
        warnings.warn(
            f"BLEU cuts the texts at spaces for language={language!r}, yet most letters of the "
            f"references are of the script {written!r}. Is the code right?",
            stacklevel=4,
        )
    return chosen


def _of_script(script):
    from kerasseq.text.languages import has_spaces

    return _TOKENIZERS.get(script, _AT_SPACES if has_spaces(script) else ("char",))


def make_bleu(language, columns):
    """Return sacreBLEU's metric for a language, with the best tokenizer that is installed.

    Args:
        language: Language code or None.
        columns: The references, as `check_corpus` returns them.
    """
    from sacrebleu.metrics import BLEU

    names = tokenizers(language, columns)
    for name in names[:-1]:
        try:
            return BLEU(tokenize=name)
        except RuntimeError:  # sacreBLEU: the optional package is missing
            pass
    return BLEU(tokenize=names[-1])


def check_corpus(hypotheses, references):
    """Return the hypotheses as a list, the references as sacreBLEU wants them.

    Raises:
        ValueError: If the lists are empty, differ in length or hold something else than str.
    """
    hypotheses = check_texts("hypotheses", hypotheses)
    if isinstance(references, str | bytes) or not is_iterable(references):
        raise ValueError(f"`references` must be a list. Received: references={references!r}")
    check_finite("references", references)
    references = [
        check_texts(f"references[{index}]", [one] if isinstance(one, str | bytes) else one)
        for index, one in enumerate(references)
    ]
    if not hypotheses or len(hypotheses) != len(references):
        raise ValueError(
            "A corpus score needs one or more hypotheses and as many references. Received: "
            f"len(hypotheses)={len(hypotheses)}, len(references)={len(references)}"
        )
    if [] in references:
        raise ValueError(
            "Each hypothesis needs a reference or more. "
            f"Received: references[{references.index([])}]=[]"
        )
    # One list for each rank of reference, None where a sentence has fewer.
    return hypotheses, list(zip_longest(*references))


def _score(metric, hypotheses, columns):
    result = metric.corpus_score(hypotheses, columns)
    return Score(min(result.score, 100.0), str(metric.get_signature()))
