import pytest

from kerasseq.text.languages import (
    canonical,
    check_language,
    has_spaces,
    script_of,
    script_of_texts,
)


@pytest.mark.parametrize(
    ("code", "same"),
    [
        ("fra", "fr"),
        ("fre", "fr"),
        ("ger", "de"),
        ("chi", "zh"),
        ("cze", "cs"),
        ("cmn", "zh"),
        ("iw", "he"),
        ("zsm", "ms"),
        ("lvs", "lv"),
        ("EN", "en"),
        ("eng_Latn", "en"),
        ("pt_BR", "pt-br"),
        ("az_tr", "az-tr"),
        ("calv", "calv"),
        ("xx", "xx"),
        ("no code at all", "no code at all"),
    ],
)
def test_codes_of_one_language(code, same):
    assert canonical(code) == same


@pytest.mark.parametrize("codes", ["zh zh-tw", "pt pt-br", "sr sr-latn", "no nn", "yue zh"])
def test_other_languages_and_ways_to_write_stay_apart(codes):
    one, other = map(canonical, codes.split())
    assert one != other


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("cn", "zh"),
        ("jp", "ja"),
        ("cz", "cs"),
        ("ua", "uk"),
        ("gr", "el"),
        ("dk", "da"),
        ("vn", "vi"),
        ("cn-TW", "zh"),
        ("english", "en"),
        ("French", "fr"),
        ("chinese", "zh"),
        ("Greek", "el"),
        ("thai", "th"),
        ("Norwegian Bokmål", "nb"),
    ],
)
def test_a_wrong_code_is_answered_by_the_right_one(wrong, right):
    with pytest.raises(ValueError, match=f'did you mean "{right}".*Received: language={wrong!r}'):
        check_language(wrong)


@pytest.mark.parametrize("code", ["xx", "sp", "us", "", "en-", "e", "de_DE@euro", None, 3])
def test_what_is_no_code_is_refused(code):
    with pytest.raises(ValueError, match=r'"ceb"\. Received: language='):
        check_language(code)


@pytest.mark.parametrize(
    "code",
    "en fra ger iw pt-BR zh_TW zh-Hant sr_Latn EN az_tr fr-ca es-419 ceb calv xyz kr".split(),
)
def test_codes_that_may_be_right_are_allowed(code):
    check_language(code)


@pytest.mark.parametrize(
    "code",
    "th tha THA th_TH tts lo lao km khm my mya shn bo bod dz yue wuu nan lzh gan hak cjy zh zho "
    "chi cmn zh-yue zh_Hant zh-TW zh-min-nan ja jpn ja_JP ryu ii jv-Java".split(),
)
def test_who_writes_without_spaces(code):
    assert not has_spaces(script_of(code))


@pytest.mark.parametrize("code", "en vi ko kor hi ar ru ka am zh-Latn ja-Latn nan-Latn jv".split())
def test_who_writes_with_spaces(code):
    script = script_of(code)
    assert script is not None and has_spaces(script)


def test_of_an_unknown_language_no_script_is_known():
    assert script_of("xyz") is None


@pytest.mark.parametrize(
    ("texts", "script"),
    [
        (["我爱北京"], "Hani"),
        (["彼は「の」を学生に教えた"], "Jpan"),
        (["大家都喜欢在超市里买这一种の绿茶饮料"], "Hani"),
        (["안녕하세요 여러분"], "Kore"),
        (["วันนี้ abc"], "Thai"),
        (["ok", "ສະບາຍດີ"], "Laoo"),
        (["ok, see you", "ສະບາຍ"], None),
        (["𑜒𑜠𑜑𑜪𑜨"], "Ahom"),
        (["12 34 ..."], None),
        ([], None),
    ],
)
def test_the_script_of_most_letters(texts, script):
    assert script_of_texts(texts) == script
