"""The Chinese-English grammar, checked on its output with rules that do not come from its code."""

import re

import pytest

from kerasseq.phrasebook.chinese_english import clauses, nouns, sentence, verbs
from kerasseq.phrasebook.chinese_english.lexicon import ADJECTIVES, NAMES, NOUNS, VERBS
from kerasseq.phrasebook.corpus import make_sampler
from kerasseq.text.processor import TextProcessor

MEASURE_WORDS = {
    "只": "猫狗鸟羊老虎", "匹": "马", "头": "牛", "条": "鱼船", "本": "书小说", "封": "信",
    "张": "报纸照片地图桌子床", "篇": "论文文章", "首": "诗", "把": "钥匙刀伞椅子",
    "顶": "帽子", "支": "笔", "辆": "车自行车", "所": "学校", "座": "图书馆博物馆房子桥",
    "家": "医院饭店", "间": "教室办公室", "棵": "树", "扇": "门窗户", "份": "协议",
    "位": "老师医生律师记者作家科学家",
}  # fmt: skip

CHAPTER = ("猫跑了。", "狗咬人。", "人咬狗。", "我爱北京。", "这不是好书。")


@pytest.fixture(scope="module")
def pairs():
    sampler = make_sampler("zh_en", seed=99)
    return [sampler.sentence(2 + i % 30) for i in range(2_000)]


def test_tokens_are_those_of_the_text_processor(pairs):
    text = TextProcessor(level="word")
    for side in ("source", "target"):
        tokens = text.tokens([getattr(pair, side) for pair in pairs])
        assert [tuple(t) for t in tokens] == [getattr(pair, f"{side}_tokens") for pair in pairs]


def test_chinese_is_characters_and_chinese_punctuation(pairs):
    for pair in pairs:
        assert re.fullmatch(r"[\u4e00-\u9fff，]+。", pair.source)
        assert list(pair.source) == list(pair.source_tokens)


def test_english_begins_with_a_capital_and_ends_in_a_period(pairs):
    for pair in pairs:
        assert pair.target[0].isupper() and pair.target.endswith(".")


def test_english_article_before_vowels(pairs):
    english = [pair.target for pair in pairs]
    assert any(re.search(r"\ban [aeiou]", text) for text in english)
    assert not any(re.search(r"(?i)\ba [aeiou]", text) for text in english)
    assert not any(re.search(r"(?i)\ban [^aeiouE]", text) for text in english)


@pytest.mark.parametrize("measure_word", MEASURE_WORDS)
def test_measure_words(pairs, measure_word):
    """Counts nouns that stand right behind their measure word."""
    counted = "".join(MEASURE_WORDS[measure_word])
    rest = [
        after
        for pair in pairs
        for after in re.findall(rf"[一两三四几每]{measure_word}(..?)", pair.source)
    ]
    other_nouns = [
        noun
        for noun, entry in NOUNS.items()
        if noun not in counted and entry.measure_word != measure_word and len(noun) == 2
    ]
    assert rest
    assert not set(rest) & set(other_nouns)


def test_numerals_take_a_measure_word(pairs):
    measure_words = "".join(MEASURE_WORDS) + "个"
    for pair in pairs:
        assert not re.search(rf"[两三四][^{measure_words}]", pair.source), pair.source
        assert not re.search(r"二", pair.source)


def test_negation_is_negation(pairs):
    for pair in pairs:
        chinese = len(re.findall("[不没]", pair.source))
        assert chinese == len(re.findall(r"\b(not|cannot)\b", pair.target)), pair.source


def test_perfective_particle_is_past(pairs):
    """A short clause of subject, verb and 了 has the verb in the past."""
    past = {verb.english["past"] for verb in VERBS.values()}
    found = [p for p in pairs if p.construction == "intransitive" and p.source.endswith("了。")]
    assert found
    for pair in found:
        assert past & set(pair.target_tokens), pair.source


@pytest.mark.parametrize(
    ("marking", "english"),
    [
        ("", "The man chases the cat."),
        ("了", "The man chased the cat."),
        ("不", "The man does not chase the cat."),
        ("没", "The man did not chase the cat."),
        ("正在", "The man is chasing the cat."),
        ("会", "The man will chase the cat."),
        ("不会", "The man will not chase the cat."),
        ("不能", "The man cannot chase the cat."),
        ("不想", "The man does not want to chase the cat."),
        ("必须", "The man must chase the cat."),
    ],
)
def test_particles_decide_the_tense(marking, english):
    source, target = say(the("人"), verbs.action(VERBS["追"], marking, the("猫")))
    assert source == ("人追了猫。" if marking == "了" else f"人{marking}追猫。")
    assert target == english


def test_no_particle_after_a_negated_past(pairs):
    assert not any(re.search(r"没(买|卖|吃|写|追|咬|跑|来|走)了", pair.source) for pair in pairs)


def test_alignments_are_well_formed(pairs):
    for pair in pairs:
        sure, possible = set(pair.sure), set(pair.possible)
        assert sure <= possible
        assert len({j for _, j in sure}) == len(sure), "one sure source word a target word"
        assert all(i < len(pair.source_tokens) and j < len(pair.target_tokens) for i, j in possible)
        assert (len(pair.source_tokens) - 1, len(pair.target_tokens) - 1) in sure


def test_sure_links_join_words_that_the_dictionary_joins(pairs):
    meaning = {}
    for noun in NOUNS.values():
        meaning.setdefault(noun.chinese[0], set()).update(noun.english.values())
    for adjective in ADJECTIVES.values():
        meaning.setdefault(adjective.chinese[0], set()).add(adjective.english)
    for verb in VERBS.values():
        meaning.setdefault(verb.chinese[0], set()).update(verb.english.values())
    for name in NAMES.values():
        meaning.setdefault(name.chinese[0], set()).add(name.english)
    content = set().union(*meaning.values())
    lower = {english.lower() for english in content}
    checked = 0
    for pair in pairs:
        for i, j in pair.sure:
            english = pair.target_tokens[j]
            if english.lower() in lower:
                translations = {text.lower() for text in meaning.get(pair.source_tokens[i], ())}
                assert english.lower() in translations, (pair.source_tokens[i], english)
                checked += 1
    assert checked > 5_000


def say(subject, predicate):
    pair = sentence.finish(clauses.clause(subject, predicate), "")
    return pair.source, pair.target


def the(noun, *arguments):
    return nouns.noun_phrase(NOUNS[noun], "", *arguments)


def test_the_cat_ran():
    assert say(the("猫"), verbs.action(VERBS["跑"], "了")) == ("猫跑了。", "The cat ran.")


def test_order_decides_who_bites():
    bites = VERBS["咬"]
    dog_bites = say(the("狗"), verbs.action(bites, "", the("人")))
    man_bites = say(the("人"), verbs.action(bites, "", the("狗")))
    assert dog_bites == ("狗咬人。", "The dog bites the man.")
    assert man_bites == ("人咬狗。", "The man bites the dog.")


def test_i_love_beijing():
    love = verbs.action(VERBS["爱"], "", nouns.name(NAMES["北京"]))
    assert say(nouns.pronoun("我"), love) == ("我爱北京。", "I love Beijing.")


def test_good_and_not_good():
    book = clauses.bare_predicate_noun(NOUNS["书"], [ADJECTIVES["好"]])
    good = say(nouns.this("这"), clauses.identified(book))
    not_good = say(nouns.this("这"), clauses.identified(book, negated=True))
    assert good == ("这是好书。", "This is a good book.")
    assert not_good == ("这不是好书。", "This is not a good book.")


@pytest.mark.parametrize(
    "source", ["猫跑了。", "狗咬人。", "人咬狗。", "我爱北京。", "这不是好书。"]
)
def test_the_sampler_reaches_the_sentences_of_the_chapter(source, monkeypatch):
    """Draws sentences that prefer the wanted words; all else is left to chance."""
    sampler = make_sampler("zh_en", seed=5)
    one_of = sampler.choice.one_of

    def prefer(options):
        wanted = [o for o in options if getattr(o, "chinese", o) in source]
        return one_of(wanted or options)

    monkeypatch.setattr(sampler.choice, "one_of", prefer)
    assert any(sampler.sentence(len(source) - 1).source == source for _ in range(4_000))


def test_a_relative_clause_stands_before_its_noun():
    bit = verbs.action(VERBS["咬"], "了", the("人"))

    def relative(form):
        return clauses.subject_relative(bit, form, NOUNS["狗"].kinds)

    dog = nouns.noun_phrase(NOUNS["狗"], "这", (), relative)
    assert say(dog, verbs.action(VERBS["走"], "了")) == (
        "这只咬了人的狗走了。",
        "This dog that bit the man left.",
    )


def test_possessor_keeps_its_particle():
    hat = nouns.noun_phrase(NOUNS["帽子"], nouns.possessor(the("学生")))
    phrase = clauses.clause(hat, clauses.described(ADJECTIVES["漂亮"]))
    pair = sentence.finish(phrase, "")
    assert (pair.source, pair.target) == ("学生的帽子很漂亮。", "The student's hat is beautiful.")
    particle = pair.source_tokens.index("的")
    assert (particle, pair.target_tokens.index("'s")) in pair.sure


def test_words_link_surely_to_their_first_character_only():
    phrase = clauses.clause(nouns.pronoun("我"), verbs.action(VERBS["喜欢"], "", the("猫")))
    pair = sentence.finish(phrase, "")
    assert pair.source == "我喜欢猫。" and pair.target == "I like the cat."
    assert pair.sure == ((0, 0), (1, 1), (3, 3), (4, 4))
    assert set(pair.possible) - set(pair.sure) == {(2, 1), (3, 2)}
