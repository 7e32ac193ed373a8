import random
import unicodedata

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st
from support.odd_texts import PIECES

from kerasseq.text.processor import TextProcessor
from kerasseq.text.spacing import join_words

SENTENCES = """\
Hello, world!
The keys to the cabinet are on the table.
The man who said that the woman is here has left.
She doesn't know what they've done, but I'm sure he'll help.
"Stop!" he said. "Don't go."
“Curious,” she said; “very curious.”
It costs $5.50, not 3,000 dollars (about 10:30 p.m.).
It's John's well-known book, isn't it?
The dogs' owner wasn't here...
U.S. troops left at 5 p.m. on Friday.
He read 'War and Peace' and 50% of it was good.
Yes/no questions: are they easy?
I'd say that 1,000,000 people can't be wrong.
L'homme qu'elle aime n'est pas là.
Aujourd'hui, j'ai mangé une pomme.
L'Espace économique européen s'agrandit.
Deux jeunes hommes blancs sont dehors près de buissons.
« Bonjour », dit-il.
Jusqu'à présent, rien d'extraordinaire.
L'œuvre d'art n'est-elle pas belle?
Der Hund läuft über die Straße.
„Guten Tag“, sagte er.
Ein Mann in einem schwarz-weißen T-Shirt.
Das kostet 3,50 Euro; ist das teuer?
Zwei Männer stehen am Herd und bereiten Essen zu.
猫跑了。
我爱北京。
他说：“我爱你。”
我有3个苹果，你呢？
《红楼梦》是一本好书！
不是好（是不好）。
これはペンです。
안녕하세요 세계.
¿Qué tal? ¡Bien!
Привет, мир!
नमस्ते दुनिया
👍🏽 🇫🇷 great ❤️""".splitlines()

TOKENS = {
    "She doesn't, won't, CAN'T.": "She|does|n't|,|wo|n't|,|CA|N'T|.",
    "they've John's I'm we're he'll I'd": "they|'ve|John|'s|I|'m|we|'re|he|'ll|I|'d",
    "shouldn't've": "should|n't|'ve",
    "l’homme d'Europe aujourd'hui qu'elle": "l’|homme|d'|Europe|aujourd'|hui|qu'|elle",
    "s'il m'a d'les": "s'|il|m'|a|d'|les",
    "rock'n'roll": "rock'|n'|roll",
    "'tis the dogs' 'bone'": "'|tis|the|dogs|'|'|bone|'",
    "it's' 's": "it|'s|'|'|s",
    "3,000.5 3.14 10:30 1,2,3 3, 4. B2B 3rd": "3,000.5|3.14|10|:|30|1,2,3|3|,|4|.|B2B|3rd",
    "U.S. e.g. end. a.": "U.S.|e.g.|end|.|a|.",
    "well-known a--b": "well|-|known|a|-|-|b",
    "what?!...": "what|?|!|.|.|.",
    "我爱Python编程。": "我|爱|Python|编|程|。",
    "カタカナー々 がっこう": "カ|タ|カ|ナ|ー|々|が|っ|こ|う",
    "か\u309a\u0301x": "か\u309a\u0301|x",
    "हिन्दी สวัสดี": "हिन्दी|สวัสดี",
    "👍🏽😀🇫🇷🇩🇪❤️": "👍🏽|😀|🇫🇷|🇩🇪|❤️",
    "isn’t l’été ‘tis’ O’Neill’s": "is|n’t|l’|été|‘|tis|’|O’|Neill|’s",
    "می\u200cخواهم क्\u200dष": "می\u200cخواهم|क्\u200dष",
    "👩\u200d👧x🏴\U000e0067\U000e007f ‼️": "👩\u200d👧|x|🏴\U000e0067\U000e007f|‼️",
    "a\u3000b\u2003c\u00a0d\u2028e\u0085f\rg\x1fh": "a|b|c|d|e|f|g|h",
    "\ufeffa\u200bb\u00adc\u2060d\x00e": "abcde",
    " \u0301x (\u0301y": "\u0301x|(\u0301|y",
    "[START]": "[|START|]",
    "": "",
    " \n\t ": "",
}


@pytest.mark.parametrize("text", TOKENS)
def test_tokens(text):
    assert "|".join(TextProcessor().tokens(text)) == TOKENS[text]


@pytest.mark.parametrize("sentence", SENTENCES)
def test_an_ordinary_sentence_comes_back_exactly(sentence):
    processor = TextProcessor().adapt(SENTENCES)
    assert processor.decode(processor.encode([sentence])) == [sentence]


def check_tokens_survive(texts):
    processor = TextProcessor().adapt([*texts, "a"])  # texts without a token are refused
    ids = processor.encode(texts)
    np.testing.assert_array_equal(processor.encode(processor.decode(ids)), ids)


def test_joined_text_has_the_same_tokens():
    rng = random.Random(0)
    check_tokens_survive(
        ["".join(rng.choices(PIECES, k=rng.randint(1, 12))) for _ in range(30_000)]
        + ["it's''y'", "it's'.'", "( \u0301a", "a ' ' b", "1. 2 1 , 2", "a.b. c.", "it's 猫"]
    )


@settings(deadline=None, max_examples=40)
@given(st.lists(st.text(), min_size=1, max_size=10))
def test_any_joined_text_has_the_same_tokens(texts):
    check_tokens_survive(texts)


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        ("Va !", "Va!"),
        ("l' été d' Europe", "l'été d'Europe"),
        ("( a ) [ b ]", "(a) [b]"),
        ("我 有 3 个 , Tom", "我有3个, Tom"),
        ("Y a - t - il", "Y a-t-il"),
    ],
)
def test_join_words(tokens, text):
    joined = join_words(tf.ragged.constant([tokens.split(" ")]))
    assert joined.numpy()[0].decode() == text


@settings(deadline=None, max_examples=40)
@given(st.lists(st.text(st.characters(exclude_categories=["C"])), min_size=1, max_size=8))
def test_characters_come_back_exactly(texts):
    texts = [unicodedata.normalize("NFC", text) for text in texts]
    processor = TextProcessor(level="char").adapt([*texts, "a"])
    assert processor.decode(processor.encode(texts)) == texts


def test_characters_keep_white_space():
    assert TextProcessor(level="char").tokens(" a\t\u3000b\n") == [
        " ",
        "a",
        "\t",
        "\u3000",
        "b",
        "\n",
    ]
