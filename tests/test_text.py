import time
import unicodedata

import keras
import numpy as np
import pytest
import tensorflow as tf

from kerasseq.text.processor import END, PADDING, START, UNKNOWN, TextProcessor


@pytest.fixture(scope="module")
def french():
    return TextProcessor().adapt(["je suis désolé", "je suis là", "il est là !"])


def test_vocabulary_is_by_frequency_then_alphabet():
    processor = TextProcessor().adapt(["b a c", "c b d", "C"])
    assert processor.vocabulary == ["[PAD]", "[UNK]", "[START]", "[END]", "b", "c", "C", "a", "d"]


def test_vocab_size_counts_the_control_tokens():
    processor = TextProcessor(vocab_size=6).adapt(["b a c", "c b d"])
    assert processor.vocabulary[4:] == ["b", "c"]
    assert len(processor) == 6


def test_encode_pads_at_the_end(french):
    ids = french.encode(["je suis", "là"])
    je, suis, la = (french.vocabulary.index(token) for token in ("je", "suis", "là"))
    assert ids.dtype == tf.int32
    assert ids.numpy().tolist() == [[START, je, suis, END], [START, la, END, PADDING]]


def test_nfc_and_nfd_are_the_same(french):
    composed, decomposed = (unicodedata.normalize(form, "désolé") for form in ("NFC", "NFD"))
    assert composed != decomposed
    ids = french.encode([composed, decomposed]).numpy()
    assert ids[0].tolist() == ids[1].tolist() == [START, french.vocabulary.index("désolé"), END]


def test_lower_knows_unicode():
    processor = TextProcessor(lower=True).adapt(["je suis désolé", "ÇA"])
    assert processor.tokens("DÉSOLÉ") == ["désolé"]
    assert "ça" in processor.vocabulary
    assert UNKNOWN not in processor.encode(["DÉSOLÉ"]).numpy()


def test_case_is_kept_by_default(french):
    assert french.encode(["DÉSOLÉ"]).numpy().tolist() == [[START, UNKNOWN, END]]


@pytest.mark.parametrize("text", ["zzz", "desole", b"\xff", b"\xc3"])
def test_an_unknown_text_is_one_unknown_token(french, text):
    assert french.encode([text]).numpy().tolist() == [[START, UNKNOWN, END]]


def test_punctuation_of_an_unknown_sentence(french):
    assert french.encode(["¿qué?"]).numpy().tolist() == [[START, *3 * [UNKNOWN], END]]


def test_broken_bytes_within_a_text_are_unknown(french):
    suis = french.vocabulary.index("suis")
    for text in (b"\xff\xfe suis", "\ud800 suis"):
        ids = french.encode([text]).numpy()[0].tolist()
        assert set(ids[1:-2]) == {UNKNOWN} and ids[-2] == suis


@pytest.mark.parametrize("text", ["", " ", "\u3000\n", "\u200b\ufeff"])
def test_an_empty_text_is_start_and_end(french, text):
    assert french.encode([text]).numpy().tolist() == [[START, END]]
    assert french.decode(french.encode([text])) == [""]


@pytest.mark.parametrize("level", ["word", "char"])
@pytest.mark.parametrize("marker", ["[START]", "[END]", "[PAD]", "[UNK]", "[START][END]"])
def test_a_text_cannot_hold_a_control_token(level, marker):
    processor = TextProcessor(level=level).adapt([marker, "Hello!"])
    ids = processor.encode([f"{marker}Hello!"]).numpy()[0]
    assert ids[0] == START and ids[-1] == END
    assert min(ids[1:-1]) > END
    assert processor.decode([ids])[0].replace(" ", "") == f"{marker}Hello!"


def test_a_control_token_is_not_found_even_if_it_were_cut_so(monkeypatch):
    monkeypatch.setattr("kerasseq.text.vocabulary.CONTROL_TOKENS", tuple("PUSE"))
    processor = TextProcessor().from_config(
        {"level": "char", "vocabulary": ["P", "U", "S", "E", "a"]}
    )
    assert processor.encode(["PUSEa"]).numpy().tolist() == [[START, *4 * [UNKNOWN], 4, END]]


def test_decode_shows_no_markers_and_stops_at_the_first_end(french):
    je, suis = french.vocabulary.index("je"), french.vocabulary.index("suis")
    rows = [[START, je, suis, END], [je, END, suis, END, 0], [END], [0, suis, 0, START], [UNKNOWN]]
    assert french.decode(rows) == ["je suis", "je", "", "suis", "[UNK]"]


def test_decode_takes_numbers_outside_the_vocabulary_as_unknown(french):
    assert french.decode([[-1, len(french)]]) == ["[UNK] [UNK]"]


def test_decode_of_nothing(french):
    assert french.decode([]) == []
    assert french.decode(np.zeros((2, 0), "int32")) == ["", ""]


@pytest.mark.parametrize("level", ["word", "char"])
def test_graph_equals_eager(level):
    texts = [
        "L'homme désolé, n'est-il pas là?",
        unicodedata.normalize("NFD", "Đặc biệt"),
        "",
        "狗咬人",
    ]
    processor = TextProcessor(level=level).adapt(texts)
    encode = tf.function(processor.encode, input_signature=[tf.TensorSpec([None], tf.string)])
    decode = tf.function(processor.decode_tensor)
    ids = encode(tf.constant(texts))
    np.testing.assert_array_equal(ids, processor.encode(texts))
    assert [text.decode() for text in decode(ids).numpy()] == processor.decode(ids)


def test_works_in_a_saved_model(french, tmp_path):
    module = tf.Module()
    module.processor = french
    module.serve = tf.function(
        lambda texts: french.decode_tensor(french.encode(texts)),
        input_signature=[tf.TensorSpec([None], tf.string)],
    )
    tf.saved_model.save(module, str(tmp_path / "saved"))
    served = tf.saved_model.load(str(tmp_path / "saved")).serve(
        tf.constant(["je suis là !", "e\u0301"])
    )
    assert [text.decode() for text in served.numpy()] == ["je suis là !", "[UNK]"]


@pytest.mark.parametrize("options", [{}, {"vocab_size": 6, "level": "char", "lower": True}])
def test_config_round_trip_holds_the_vocabulary(options):
    processor = TextProcessor(**options).adapt(["Le chat dort.", "狗咬人"])
    config = keras.saving.serialize_keras_object(processor)
    again = keras.saving.deserialize_keras_object(config)
    assert again.get_config() == processor.get_config()
    np.testing.assert_array_equal(again.encode(["le chat 狗"]), processor.encode(["le chat 狗"]))


def test_config_before_adapt_has_no_vocabulary():
    again = TextProcessor.from_config(TextProcessor(vocab_size=9).get_config())
    with pytest.raises(ValueError, match="adapt"):
        again.encode(["a"])


@pytest.mark.parametrize("batch", [None, 2])
def test_adapt_takes_a_dataset(batch):
    texts = ["je suis", "je dors", "il est là"]
    dataset = tf.data.Dataset.from_tensor_slices(texts)
    dataset = dataset.batch(batch) if batch else dataset
    assert TextProcessor().adapt(dataset).vocabulary == TextProcessor().adapt(texts).vocabulary


def test_adapt_takes_a_generator_and_starts_anew(french):
    processor = TextProcessor().adapt(["old"]).adapt(text for text in ["new", "words"])
    assert processor.vocabulary[4:] == ["new", "words"]


def test_tokens_of_many_texts(french):
    assert french.tokens(["Je dors.", "", "Oui !"]) == [["Je", "dors", "."], [], ["Oui", "!"]]
    assert french.tokens([]) == []


def test_one_str_counts_as_a_list_of_one(french):
    np.testing.assert_array_equal(french.encode("je suis"), french.encode(["je suis"]))


def test_a_long_sentence_is_not_cut(french):
    assert french.encode(["je " * 2000]).shape == (1, 2002)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda p: TextProcessor(level="words"), r"\['word', 'char', 'subword'\].*level='words'"),
        (lambda p: TextProcessor(vocab_size=4), "above 4.*vocab_size=4"),
        (lambda p: TextProcessor(vocab_size=9.5), "vocab_size=9.5"),
        (lambda p: TextProcessor(vocab_size=True), "vocab_size=True"),
        (lambda p: TextProcessor().encode(["a"]), "adapt"),
        (lambda p: TextProcessor().decode([[4]]), "adapt"),
        (lambda p: TextProcessor().vocabulary, "adapt"),
        (lambda p: p.encode(["a", 3]), r"Received: texts\[1\]=3"),
        (lambda p: p.encode([None]), r"Received: texts\[0\]=None"),
        (lambda p: p.encode(7), "list of str. Received: texts=7"),
        (lambda p: p.encode(tf.constant([1])), r"strings .*texts.dtype=int32"),
        (lambda p: p.adapt([("a", "b")]), r"Received: texts\[0\]=\('a', 'b'\)"),
        (lambda p: p.adapt(tf.data.Dataset.from_tensors(("a", "b"))), "one component"),
        (lambda p: p.tokens([["a"]]), r"Received: texts\[0\]=\['a'\]"),
    ],
)
def test_errors(french, call, message):
    with pytest.raises(ValueError, match=message):
        call(french)


def test_twenty_thousand_sentences_are_fast(french):
    texts = ["Je suis désolé, il n'est pas là pour l'instant."] * 20_000
    french.encode(texts[:10])
    started = time.perf_counter()
    french.encode(texts)
    assert time.perf_counter() - started < 6  # measured: about 1 second on 2 cores


def test_ragged_ids_are_those_of_encode_without_padding():
    text = TextProcessor().adapt(["a b c"])
    for texts in (["b a c", "", "zzz"], []):
        ragged = text.encode_ragged(texts)
        assert ragged.dtype == tf.int32 and ragged.shape.rank == 2
        assert ragged.to_list() == [row[row != 0].tolist() for row in text.encode(texts).numpy()]
