"""How close a corpus of translations comes to its references: BLEU and chrF, by sacreBLEU."""

from itertools import zip_longest
from typing import NamedTuple

from kerasseq.endless import check_finite
from kerasseq.text_arguments import is_list, text_list

# ISO 639-1 codes, each with its ISO 639-3 code, and Mandarin and Cantonese. Unchecked, "cn" or "jp"
# would cut Chinese or Japanese at spaces, and give a score that means nothing.
_LANGUAGES = frozenset(
    """aa aar ab abk ae ave af afr ak aka am amh an arg ar ara as asm av ava ay aym az aze ba bak
    be bel bg bul bi bis bm bam bn ben bo bod br bre bs bos ca cat ce che ch cha co cos cr cre
    cs ces cu chu cv chv cy cym da dan de deu dv div dz dzo ee ewe el ell en eng eo epo es spa
    et est eu eus fa fas ff ful fi fin fj fij fo fao fr fra fy fry ga gle gd gla gl glg gn grn
    gu guj gv glv ha hau he heb hi hin ho hmo hr hrv ht hat hu hun hy hye hz her ia ina id ind
    ie ile ig ibo ii iii ik ipk io ido is isl it ita iu iku ja jpn jv jav ka kat kg kon ki kik
    kj kua kk kaz kl kal km khm kn kan ko kor kr kau ks kas ku kur kv kom kw cor ky kir la lat
    lb ltz lg lug li lim ln lin lo lao lt lit lu lub lv lav mg mlg mh mah mi mri mk mkd ml mal
    mn mon mr mar ms msa mt mlt my mya na nau nb nob nd nde ne nep ng ndo nl nld nn nno no nor
    nr nbl nv nav ny nya oc oci oj oji om orm or ori os oss pa pan pi pli pl pol ps pus pt por
    qu que rm roh rn run ro ron ru rus rw kin sa san sc srd sd snd se sme sg sag sh hbs si sin
    sk slk sl slv sm smo sn sna so som sq sqi sr srp ss ssw st sot su sun sv swe sw swa ta tam
    te tel tg tgk th tha ti tir tk tuk tl tgl tn tsn to ton tr tur ts tso tt tat tw twi ty tah
    ug uig uk ukr ur urd uz uzb ve ven vi vie vo vol wa wln wo wol xh xho yi yid yo yor za zha
    zh zho cmn yue zu zul""".split()
)
_TOKENIZERS = {
    **dict.fromkeys(("zh", "zho", "cmn", "yue"), ("zh",)),
    **dict.fromkeys(("ja", "jpn"), ("ja-mecab", "char")),
    **dict.fromkeys(("ko", "kor"), ("ko-mecab", "char")),
}


class Score(NamedTuple):
    """A corpus score, 0 to 100, and the sacreBLEU signature that says how it was computed."""

    score: float
    signature: str


def bleu(hypotheses, references, language=None):
    """Corpus BLEU as sacreBLEU computes it, with the signature to report beside it.

    The texts are compared as a reader sees them, not as tokens: sacreBLEU cuts them itself, Chinese
    by character, Japanese and Korean by word if `sacrebleu[ja]` or `sacrebleu[ko]` is installed
    and else by character, all other languages by its standard tokenizer "13a".

    Args:
        hypotheses: List of str, the translations. An empty one is allowed.
        references: List of the same length: a str, or a list of several str, for each hypothesis.
        language: Language code of the texts, ISO 639-1 or 639-3, with or without a region: "fr",
            "zh-CN", "pt_BR", "cmn". None for a language written with spaces.

    Returns:
        `Score(score, signature)`.

    Raises:
        ValueError: If the lists are empty, differ in length or hold something else than str, or if
            the language is unknown.

    Example:
        >>> bleu(["the cat sat on the mat"], ["the cat sat on a mat"], language="en").score
        53.7284965911771

    References:
        - Papineni et al. (2002), BLEU: a method for automatic evaluation of machine translation.
        - Post (2018), A call for clarity in reporting BLEU scores, https://arxiv.org/abs/1804.08771.
    """
    return _corpus_score(make_bleu(language), hypotheses, references)


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

    return _corpus_score(CHRF(), hypotheses, references)


def tokenizers(language):
    """Return the sacreBLEU tokenizers for a language, best first; see `bleu`.

    Raises:
        ValueError: If the language is unknown.
    """
    if language is None:
        return ("13a",)
    code = str(language).replace("_", "-").split("-")[0].lower()
    if code not in _LANGUAGES:
        raise ValueError(
            '`language` must be an ISO 639-1 code such as "en", "fr", "zh", "ja", or the ISO 639-3 '
            "code of the same language; leave it out for a language written with spaces. "
            f"Received: language={language!r}"
        )
    return _TOKENIZERS.get(code, ("13a",))


def make_bleu(language):
    """Return sacreBLEU's metric for a language, with the best tokenizer that is installed."""
    from sacrebleu.metrics import BLEU

    names = tokenizers(language)
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
    hypotheses = text_list("hypotheses", hypotheses)
    if isinstance(references, str | bytes) or not is_list(references):
        raise ValueError(f"`references` must be a list. Received: references={references!r}")
    check_finite("references", references)
    references = [
        text_list(f"references[{index}]", [one] if isinstance(one, str | bytes) else one)
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


def _corpus_score(metric, hypotheses, references):
    result = metric.corpus_score(*check_corpus(hypotheses, references))
    return Score(min(result.score, 100.0), str(metric.get_signature()))
