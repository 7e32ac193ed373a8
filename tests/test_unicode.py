import unicodedata

import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from kerasseq.text.unicode import nfc

MARKS = "".join(chr(code) for code in range(0x300, 0x370)) + "\u3099\u309a\u05b0\u064e\u093c"
SCRIPTS = {
    "latin": "aAeEoOuUyYcnsƠơƯưÂâĂăÅ\u212b",
    "greek": "αΑεηιουω\u1f71\u1f00\u1fbd",
    "cyrillic": "иИеЕуКг",
    "kana": "かはきカハウゝ",
    "hangul": "".join(map(chr, [*range(0x1100, 0x1113), *range(0x1161, 0x1176)]))
    + "\u11a8\u11ab가",
    "indic": "\u0915\u09c7\u09be\u09d7\u0b47\u0b56\u0b3e\u0958",
}


nfc_in_graph = tf.function(nfc, input_signature=[tf.TensorSpec([None], tf.string)])


def check(texts):
    got = nfc_in_graph(tf.constant([text.encode() for text in texts]))
    got = [text.decode() for text in got.numpy()]
    assert got == [unicodedata.normalize("NFC", text) for text in texts]


@pytest.mark.parametrize("script", SCRIPTS)
@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_equals_unicodedata(script, data):
    letters = st.one_of(st.sampled_from(SCRIPTS[script]), st.sampled_from(MARKS))
    check(data.draw(st.lists(st.text(letters, max_size=8), min_size=1, max_size=20)))


@settings(deadline=None, max_examples=60)
@given(st.lists(st.text(), min_size=1, max_size=6))
def test_equals_unicodedata_for_any_text(texts):
    check(texts)


def test_every_decomposed_character_is_composed_again():
    characters = [chr(code) for code in range(1, 0x30000) if not 0xD800 <= code < 0xE000]
    check(characters)
    check([unicodedata.normalize("NFD", character) for character in characters])


def test_vietnamese_sentence():
    sentence = "Tiếng Việt được viết bằng chữ Quốc ngữ."
    check([unicodedata.normalize("NFD", sentence), sentence])


def test_graph_equals_eager():
    texts = tf.constant(["e\u0301", "plain", "", "\u1112\u1161\u11ab"])
    assert nfc(texts).numpy().tolist() == nfc_in_graph(texts).numpy().tolist()
