"""Texts come back whole, whatever stood between their words."""

import functools
import pickle
import unicodedata

import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from support.odd_texts import PIECES, canonical
from support.scripts import SENTENCES

from kerasseq import TextProcessor, bleu
from kerasseq.text.processor import UNKNOWN
from kerasseq.text.spacing import NOTHING, join_words, write_spacing
from kerasseq.text.tokenization import split_words

LINES = {language: lines.split("\n") for language, lines in SENTENCES.items()}
ALL = [line for lines in LINES.values() for line in lines]


@functools.cache
def of_language(language):
    return there_and_back(LINES[language])


def there_and_back(texts, level="word"):
    processor = TextProcessor(level=level).adapt([*texts, "a"])  # no token at all is refused
    return processor.decode(processor.encode(texts))


def test_the_table_has_many_languages_and_scripts():
    letters = {character for line in ALL for character in line if character.isalpha()}
    scripts = {unicodedata.name(letter).split()[0] for letter in letters}
    assert len(LINES) >= 70 and len(scripts) >= 35


@pytest.mark.parametrize("language", LINES)
def test_every_sentence_comes_back(language):
    assert of_language(language) == [unicodedata.normalize("NFC", line) for line in LINES[language]]


@pytest.mark.parametrize("level", ["char", "subword"])
def test_every_sentence_comes_back_from_other_levels(level):
    if level == "subword":
        processor = TextProcessor(2000, "subword").adapt(ALL)
        assert processor.decode(processor.encode(ALL)) == [
            unicodedata.normalize("NFC", line) for line in ALL
        ]
    else:
        assert there_and_back(ALL, level) == [unicodedata.normalize("NFC", line) for line in ALL]


@pytest.mark.parametrize("language", LINES)
def test_a_perfect_model_scores_100(language):
    assert bleu(of_language(language), LINES[language], language).score == pytest.approx(100)


@settings(deadline=None, max_examples=25)
@given(st.lists(st.text() | st.lists(st.sampled_from(PIECES)).map("".join), min_size=1))
def test_any_text_comes_back(texts):
    assert there_and_back(texts) == [canonical(text) for text in texts]


@pytest.mark.parametrize(
    ("text", "vocabulary"),
    [
        (
            "Hello, world! (So - so.)",
            ["Hello", ",", "world", "!", "(", "So", " - ", "so", ".", ")"],
        ),
        ("Va !", ["Va", " !"]),
        ("Va\u202f!", ["Va", "\u202f!"]),
        ('a "b" c', ["a", f' "{NOTHING}', "b", '"', "c"]),
        ("a,b", ["a", f",{NOTHING}", "b"]),
        ("R&D", ["R", f"&{NOTHING}", "D"]),
        ("a + b+c", ["a", "+", "b", f"{NOTHING}+{NOTHING}", "c"]),
        ("l'homme isn't", ["l'", "homme", "is", "n't"]),
        ("我爱 Tom和你 们", ["我", "爱", " Tom", "和", "你", " 们"]),
        ("5 € $5", ["5", "€", " $", "5"]),
        ("¿Qué? ¡Sí!", ["¿", "Qué", "?", "¡", "Sí", "!"]),
    ],
)
def test_a_token_keeps_what_its_neighbors_do_not_tell(text, vocabulary):
    tokens = write_spacing(*split_words(tf.constant([text])))
    assert [token.decode() for token in tokens.to_list()[0]] == vocabulary
    assert join_words(tokens).numpy()[0].decode() == text


def test_the_tokens_that_are_shown_have_no_spaces():
    processor = TextProcessor().adapt(['Va ! "a" 我 Tom'])
    assert processor.tokens("Va ! 我 Tom") == ["Va", "!", "我", "Tom"]
    assert " !" in processor.vocabulary
    assert sorted(processor.readable_vocabulary[4:]) == sorted(
        ["Va", "!", '"', '"', "a", "我", "Tom"]
    )


def test_a_mark_is_known_beside_any_space():
    processor = TextProcessor().adapt(["Va ! l'homme"])
    for text in ("Va!", "Va ! Va", "Va!Va", "l’homme"):
        assert UNKNOWN not in processor.encode([text]).numpy()


def test_an_exact_token_goes_before_one_that_is_like_it():
    processor = TextProcessor().adapt(["a ! a !", "b!"])
    exact = processor.vocabulary.index("!")
    assert processor.encode(["b!"]).numpy()[0, 2] == exact
    assert processor.decode(processor.encode(["a!", "a !"])) == ["a!", "a !"]


def test_of_tokens_alike_the_more_frequent_stands_for_an_unknown_one():
    processor = TextProcessor().adapt(["a ! b ! c !", "a!"])
    assert processor.encode(["a\u202f!"]).numpy()[0, 2] == processor.vocabulary.index(" !")


def test_a_vocabulary_of_before_reads_as_before():
    # As files of the first format have it: marks without what stood beside them.
    old = ["[PAD]", "[UNK]", "[START]", "[END]", "l'", "homme", ".", "Va", "!", "-", "到", '"']
    processor = TextProcessor.from_config({"vocabulary": old})
    ids = processor.encode(["l’homme - Va !", "Va! 到.", '"Va"']).numpy().tolist()
    assert ids == [[2, 4, 5, 9, 7, 8, 3], [2, 7, 8, 10, 6, 3, 0], [2, 11, 7, 11, 3, 0, 0]]
    assert processor.decode(ids)[:2] == ["l'homme-Va!", "Va!到."]


def test_what_a_model_invents_can_be_joined():
    tokens = tf.ragged.constant([[" !", " !", f"a{NOTHING}", f"{NOTHING}b", "c ", " d"]])
    assert join_words(tokens).numpy()[0].decode() == "! ! ab c d"


def test_nothing_to_join():
    empty = tf.ragged.constant([[], []], tf.string, ragged_rank=1)
    assert join_words(empty).numpy().tolist() == [b"", b""]
    assert write_spacing(*split_words(tf.constant(["", " "]))).to_list() == [[], []]


WITHOUT_SPACES = {
    "th": "วันนี้อากาศร้อนมาก",
    "lo": "ມື້ນີ້ອາກາດຮ້ອນຫຼາຍແທ້ໆ",
    "km": "ថ្ងៃនេះអាកាសធាតុក្តៅខ្លាំងណាស់",
    "my": "ဒီနေ့ရာသီဥတုအရမ်းပူတယ်ကွာ",
}


@pytest.mark.parametrize("language", WITHOUT_SPACES)
def test_word_level_says_where_it_does_not_fit(language):
    with pytest.warns(UserWarning, match='hardly any spaces.*level="subword"'):
        TextProcessor().adapt([WITHOUT_SPACES[language]])


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
def test_word_level_is_quiet_where_it_fits():
    for language, lines in LINES.items():
        if language not in WITHOUT_SPACES:
            TextProcessor().adapt(lines)


def test_pickle_keeps_the_vocabulary():
    for level in ("word", "char", "subword"):
        processor = TextProcessor(None if level != "subword" else 300, level).adapt(["a b !", "c"])
        again = pickle.loads(pickle.dumps(processor))
        assert again.get_config() == processor.get_config()
        assert again.encode(["a !"]).numpy().tolist() == processor.encode(["a !"]).numpy().tolist()
    assert (
        pickle.loads(pickle.dumps(TextProcessor(9))).get_config() == TextProcessor(9).get_config()
    )
