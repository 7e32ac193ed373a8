"""BLEU and chrF by sacreBLEU: how close a corpus of translations comes to its references."""

import warnings
from itertools import zip_longest
from typing import NamedTuple

from kerasseq.checks import check_finite, check_texts, is_iterable

# sacreBLEU's tokenizers for a script. Where two stand here, the first needs an optional package.
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

    BLEU compares the texts as a reader sees them, and sacreBLEU cuts them into words:

    - Chinese by character ("zh");
    - Japanese and Korean by word if `sacrebleu[ja]` or `sacrebleu[ko]` is installed, else by
      character;
    - other languages without spaces, such as Thai, by character ("char");
    - languages with spaces by sacreBLEU's standard tokenizer ("13a").

    The signature names the tokenizer.

    BLEU counts runs of one to four words. If no sentence of a corpus has four words, BLEU is 0 even
    where every translation is right; use `chrf` there.

    Args:
        hypotheses: List of str, the translations. A translation may be empty.
        references: List of the same length: a str, or a list of several str, for each hypothesis.
        language: Language code of the texts, ISO 639-1 or 639-3, with or without a script and a
            region: "fr", "zh-CN", "pt_BR", "yue", "sr-Latn". With None, the script of most letters
            of the references decides.

    Returns:
        `Score(score, signature)`.

    Raises:
        ValueError: If the lists are empty, differ in length or hold something other than str, or if
            the code cannot be a language's, such as "cn" or "english".

    Warns:
        UserWarning: If the language has spaces between words and the script of the references has
            not.

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
    """Corpus chrF (Popović, 2015) as sacreBLEU computes it.

    chrF compares characters, not words, and so needs no language. Arguments and errors are those of
    `bleu`.

    Returns:
        `Score(score, signature)`.

    Example:
        >>> chrf(["我爱北京"], ["我爱北京"]).score
        100.0
    """
    from sacrebleu.metrics import CHRF

    return _score(CHRF(), *check_corpus(hypotheses, references))


def tokenizers(language, columns=()):
    """Return the names of sacreBLEU's tokenizers for a language, the best first; see `bleu`.

    Args:
        language: Language code or None.
        columns: The references, as `check_corpus` returns them.

    Raises:
        ValueError: If the code cannot be a language's.
    """
    # Imported here, as sacreBLEU is below, since the layers and the loss need neither.
    from kerasseq.text.languages import check_language, script_of, script_of_texts

    if language is not None:
        check_language(language)
    script = None if language is None else script_of(language)
    written = script_of_texts(text for column in columns for text in column if text)
    names_by_text = _script_tokenizers(written)
    if script is None:
        return names_by_text
    names = _script_tokenizers(script)
    if names == _AT_SPACES and names_by_text != _AT_SPACES:
        warnings.warn(
            f"BLEU cuts the texts at spaces for language={language!r}, but most letters of the "
            f"references are of the script {written!r}. Is the code right?",
            stacklevel=4,
        )
    return names


def _script_tokenizers(script):
    from kerasseq.text.languages import has_spaces

    return _TOKENIZERS.get(script, _AT_SPACES if has_spaces(script) else ("char",))


def make_bleu(language, columns):
    """Return sacreBLEU's BLEU for a language, with the best tokenizer that is installed.

    Args:
        language: Language code or None.
        columns: The references, as `check_corpus` returns them.
    """
    from sacrebleu.metrics import BLEU

    names = tokenizers(language, columns)
    for name in names[:-1]:
        try:
            return BLEU(tokenize=name)
        except RuntimeError:  # the optional package is missing
            pass
    return BLEU(tokenize=names[-1])


def check_corpus(hypotheses, references):
    """Return the hypotheses as a list, and the references as sacreBLEU expects them.

    sacreBLEU expects one list for each rank of reference: the first references of all sentences,
    the second references of all sentences, and so on, with None where a sentence has fewer.

    Raises:
        ValueError: If the lists are empty, differ in length or hold something other than str.
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
            "A corpus score needs at least one hypothesis and as many references. Received: "
            f"len(hypotheses)={len(hypotheses)}, len(references)={len(references)}"
        )
    if [] in references:
        raise ValueError(
            "Each hypothesis needs at least one reference. "
            f"Received: references[{references.index([])}]=[]"
        )
    return hypotheses, list(zip_longest(*references))


def _score(metric, hypotheses, columns):
    result = metric.corpus_score(hypotheses, columns)
    return Score(min(result.score, 100.0), str(metric.get_signature()))
