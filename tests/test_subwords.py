import json
import subprocess
import sys
import unicodedata

import keras
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from kerasseq import TextProcessor
from kerasseq.text import subwords

TEXTS = [
    "Le chat dort sur la table de la cuisine.",
    "La chatte dormait sous les tables.",
    "Les chats dorment, et les chiens dormaient.",
    "L'homme désolé n'a pas dormi.",
]
TEXTS = TEXTS * 20
TEXT = TextProcessor(340, level="subword").adapt(TEXTS)
NORMAL = TextProcessor(level="char").adapt(["a"])  # what any level makes of a text before it cuts


def test_pieces_join_to_the_text():
    assert TEXT.decode(TEXT.encode(TEXTS)) == TEXTS


@settings(max_examples=100, deadline=None)
@given(st.text())
def test_any_text_comes_back_whole(text):
    normal = "".join(NORMAL.tokens(text)).replace("▁", "_")
    assert TEXT.decode(TEXT.encode([text])) == [normal]
    assert 1 not in TEXT.encode([text]).numpy()  # nothing is unknown


@pytest.mark.parametrize(
    "text", ["", " ", "  a ", "a\n\tb", "猫", "🙂", "‘x’", "a\u00a0b", "<0x41>"]
)
def test_white_space_and_unknown_characters_come_back(text):
    assert TEXT.decode(TEXT.encode([text])) == [text]


def test_the_mark_of_a_space_is_the_one_character_that_changes():
    assert TEXT.decode(TEXT.encode(["a▁b"])) == ["a_b"]


def test_a_word_seen_often_is_one_piece_and_an_unseen_one_several():
    assert TEXT.tokens("chat table") == ["▁chat", "▁table"]
    assert TEXT.tokens("chataigne")[0] == "▁chat"
    assert "".join(TEXT.tokens("chataigne")) == "▁chatai<0x67>ne"  # no text had a "g"


def test_both_unicode_forms_have_the_same_ids():
    forms = [unicodedata.normalize(form, "désolé") for form in ("NFC", "NFD")]
    ids = TEXT.encode(forms).numpy()
    assert ids[0].tolist() == ids[1].tolist()


def test_control_tokens_begin_the_vocabulary_and_no_text_becomes_one():
    assert TEXT.vocabulary[:4] == ["[PAD]", "[UNK]", "[START]", "[END]"]
    row = TEXT.encode(["[START] [END] [PAD] [UNK] <s>"]).numpy()[0]
    assert row[0] == 2 and row[-1] == 3 and row[1:-1].min() > 3


def test_bytes_that_are_no_character_become_a_replacement():
    half = TEXT.vocabulary.index("<0xC3>")
    word = TEXT.vocabulary.index("▁chat")
    assert TEXT.decode([[2, half, word, 3]]) == ["\ufffd chat"]


def test_lower_case():
    text = TextProcessor(340, level="subword", lower=True).adapt(TEXTS)
    assert text.encode(["LES"]).numpy().tolist() == text.encode(["les"]).numpy().tolist()


def test_one_vocabulary_for_two_languages():
    english = ["Why does the wolf keep quiet?"] * 20
    joint = TextProcessor(400, level="subword").adapt([*TEXTS, *english])
    for text in (TEXTS[0], english[0]):
        tokens = joint.tokens(text)
        assert not any(token.startswith("<0x") for token in tokens)
        assert len(tokens) < len(text)


def test_the_same_texts_give_the_same_pieces():
    again = TextProcessor(340, level="subword").adapt(tf.data.Dataset.from_tensor_slices(TEXTS))
    assert again.vocabulary == TEXT.vocabulary


def test_vocab_size_is_the_most():
    assert len(TEXT) <= 340
    assert len(TextProcessor(8000, level="subword").adapt(TEXTS)) < 500  # the texts have no more


def test_a_processor_comes_back_from_its_config():
    config = json.loads(json.dumps(TEXT.get_config()))
    copy = TextProcessor.from_config(config)
    assert copy.vocabulary == TEXT.vocabulary
    assert copy.encode(TEXTS).numpy().tolist() == TEXT.encode(TEXTS).numpy().tolist()
    copy = keras.saving.deserialize_keras_object(keras.saving.serialize_keras_object(TEXT))
    assert copy.tokens("désolé") == TEXT.tokens("désolé")


def test_decoding_works_in_a_graph():
    ids = TEXT.encode(TEXTS)
    decoded = tf.function(TEXT.decode_tensor)(ids).numpy()
    assert [text.decode() for text in decoded] == TEXTS


def test_cutting_in_a_graph_is_refused():
    with pytest.raises(ValueError, match=r"outside of `tf.function` and `Dataset.map`"):
        tf.data.Dataset.from_tensor_slices(TEXTS).map(lambda text: TEXT.encode(text))


@pytest.mark.parametrize("vocab_size", [5, 260])
def test_too_small_a_vocabulary_is_refused(vocab_size):
    with pytest.raises(ValueError, match=f"256 bytes.*Received: vocab_size={vocab_size} "):
        TextProcessor(vocab_size, level="subword").adapt(TEXTS)


@pytest.mark.parametrize("texts", [[], [""]])
def test_no_text_is_refused(texts):
    with pytest.raises(ValueError, match="must not be empty"):
        TextProcessor(level="subword").adapt(texts)


def test_what_is_no_model_is_refused():
    with pytest.raises(ValueError, match=r"SentencePiece model. Received: 3 bytes"):
        subwords.Subwords(b"abc")


def test_the_model_of_another_program_is_refused():
    import io

    import sentencepiece

    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXTS), model_writer=model, vocab_size=40, minloglevel=2
    )
    with pytest.raises(ValueError, match="The first pieces must be"):
        subwords.Subwords(model.getvalue())


def test_tokens_before_adapt_say_so():
    with pytest.raises(ValueError, match="call `adapt"):
        TextProcessor(level="subword").tokens("a")


@pytest.mark.slow
def test_words_need_no_sentencepiece():
    code = (
        "import sys; from kerasseq import TextProcessor; TextProcessor().adapt(['a']);"
        "sys.exit('sentencepiece' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0
