"""What never ends is refused wherever all of it would be read."""

import itertools

import pytest
import tensorflow as tf

from kerasseq import TextProcessor, Translator, alignment_error_rate, bleu, build_attention_seq2seq
from kerasseq.callbacks import AlignmentError, BleuScore, GateMaps
from kerasseq.checks import is_endless
from kerasseq.data import make_batches, to_lists
from kerasseq.training import train_translator

Dataset = tf.data.Dataset
TEXTS = Dataset.from_tensor_slices(["a b", "b"])
FILTERED = TEXTS.filter(lambda text: text != "c")  # of unknown cardinality
ENDLESS = {
    "repeat": TEXTS.repeat(),
    "map": TEXTS.repeat().map(tf.strings.lower),
    "batch": TEXTS.repeat().batch(2),
    "filter": TEXTS.repeat().filter(lambda text: text != "c"),
    "filter, then batch": TEXTS.repeat().filter(lambda text: text != "c").batch(2),
    "repeat what is filtered": FILTERED.repeat(),
    "unbatch": TEXTS.batch(2).repeat().unbatch(),
    "shuffle": FILTERED.repeat().shuffle(2),
    "concatenate": FILTERED.concatenate(TEXTS.repeat()),
    "zip": Dataset.zip(FILTERED.repeat(), TEXTS.repeat()),
    "take all": TEXTS.repeat().filter(lambda text: text != "c").take(-1),
    "cycle": itertools.cycle(["a"]),
    "itertools.repeat": itertools.repeat("a"),
    "count": itertools.count(),
}
FINITE = {
    "dataset": TEXTS,
    "filter": FILTERED,
    "repeat twice": FILTERED.repeat(2),
    "take": TEXTS.repeat().take(5),
    "take of what is filtered": TEXTS.repeat().filter(lambda text: text != "c").take(5),
    "take, then map": TEXTS.repeat().filter(lambda text: text != "c").take(5).map(tf.strings.lower),
    "take_while": TEXTS.repeat().take_while(lambda text: text != "b"),
    "zip": Dataset.zip(TEXTS.repeat(), FILTERED),
    "sampled": Dataset.sample_from_datasets([FILTERED, FILTERED]),
    "itertools.repeat": itertools.repeat("a", 3),
    "list": ["a"],
    "none": None,
}


@pytest.mark.parametrize("name", ENDLESS)
def test_what_has_no_end_is_recognized(name):
    assert is_endless(ENDLESS[name])


@pytest.mark.parametrize("name", FINITE)
def test_what_has_an_end_is_let_through(name):
    assert not is_endless(FINITE[name])


def test_a_part_of_what_repeats_can_be_read():
    assert to_lists(Dataset.zip(TEXTS, TEXTS).repeat().take(3)) == (["a b", "b", "a b"],) * 2
    assert len(TextProcessor().adapt(TEXTS.repeat().take(3))) == 6


REPEATED, PAIRS = TEXTS.repeat(), Dataset.zip(TEXTS, TEXTS).repeat()


@pytest.fixture(scope="module")
def translator():
    text = TextProcessor().adapt(TEXTS)
    model = build_attention_seq2seq(len(text), len(text), embedding_dim=4, units=4)
    return Translator(model, text, text)


DOORS = {
    "adapt": lambda translator: TextProcessor().adapt(REPEATED),
    "adapt to a cycle": lambda translator: TextProcessor().adapt(itertools.cycle(["a"])),
    "encode": lambda translator: translator.source_text.encode(itertools.repeat("a")),
    "decode": lambda translator: translator.source_text.decode(itertools.repeat([4])),
    "make_batches": lambda translator: make_batches(PAIRS, *[translator.source_text] * 2),
    "make_batches of a cycle": lambda translator: make_batches(
        itertools.cycle([("a", "b")]), *[translator.source_text] * 2
    ),
    "to_lists": lambda translator: to_lists(PAIRS),
    "train": lambda translator: train_translator(PAIRS, PAIRS.take(1), "nowhere"),
    "translate": lambda translator: translator.translate(REPEATED),
    "align": lambda translator: translator.align(REPEATED, REPEATED),
    "BleuScore": lambda translator: BleuScore(translator, REPEATED, REPEATED),
    "AlignmentError": lambda translator: AlignmentError(translator, itertools.repeat(None)),
    "GateMaps": lambda translator: GateMaps(None, itertools.repeat(["a"]), None),
    "bleu": lambda translator: bleu(["a"], itertools.repeat("a")),
    "bleu of endless hypotheses": lambda translator: bleu(REPEATED, ["a"]),
    "alignment_error_rate": lambda translator: alignment_error_rate(
        [[[1.0]]], itertools.repeat([[0, 0]]), [[]]
    ),
}


@pytest.mark.parametrize("door", DOORS)
def test_no_door_reads_for_ever(door, translator, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=r"`.*` must end.*Received: "):
        DOORS[door](translator)
