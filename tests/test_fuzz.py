"""Anything at all at every door: a result, or a ValueError that teaches; never another exception.

    python -m pytest -m slow tests/test_fuzz.py --fuzz 10000

gives each door 10,000 inputs, new ones at each run. Without `--fuzz` there are fewer, always the
same.
"""

import dataclasses
import io
import json
import tempfile
import zipfile
from pathlib import Path

import keras
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    rule,
    run_state_machine_as_test,
)
from support.odd_texts import canonical
from support.scripts import SENTENCES

from kerasseq import TextProcessor, Translator, bleu, build_attention_seq2seq, chrf, data
from kerasseq import __main__ as command_line
from kerasseq.training import TrainingOptions

pytestmark = pytest.mark.slow

LINES = [line for lines in SENTENCES.values() for line in lines.split("\n")]
PIECES = [piece for line in LINES[:40] for piece in line.split(" ")]
ODD = ["[START]", "[UNK]", "▁", "\u2060", "\x00", "\ud800", "\ufffe", "$x^2$", "\u200f", "<0xE2>"]
TEXT = st.one_of(
    st.text(max_size=30),
    st.sampled_from(LINES),
    st.lists(st.sampled_from(PIECES + ODD), max_size=8).map(" ".join),
    st.lists(st.sampled_from(PIECES + ODD), max_size=8).map("".join),
)
ANYTHING = st.one_of(
    *(st.none(), st.booleans(), st.integers(-3, 99999), st.floats(), st.text(max_size=5)),
    *(st.lists(st.integers(-1, 9), max_size=3), st.just({}), st.just(b"x"), st.just(object())),
)


def fuzz(request, strategy, check, at_once=1, usual=120):
    """Give `check` as many inputs as `--fuzz` says, `at_once` in a list."""
    wanted = request.config.getoption("--fuzz")
    examples = -(-(wanted or usual) // at_once)
    strategy = strategy if at_once == 1 else st.lists(strategy, min_size=at_once, max_size=at_once)

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=not wanted,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def run(value):
        check(value)

    run()


def result_or_lesson(function, *args, errors=ValueError, **kwargs):
    """Return the result, or None after an error that says what was expected and what came."""
    try:
        return function(*args, **kwargs)
    except errors as error:
        assert "Received: " in str(error), f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("level", ["word", "char", "subword"])
def test_texts(request, level):
    processor = TextProcessor(3000 if level == "subword" else None, level).adapt([*LINES, *ODD])

    def check(texts):
        ids = processor.encode(texts)
        assert [len(row) for row in processor.tokens(texts)] == [
            np.count_nonzero(row) - 2 for row in ids.numpy()
        ]
        assert len(processor.decode(ids)) == len(texts)
        if level != "subword":
            again = TextProcessor(level=level).adapt([*texts, "a"])
            back = again.decode(again.encode(texts))
            assert level == "char" or back == [canonical(text) for text in texts]
            np.testing.assert_array_equal(again.encode(back), again.encode(texts))

    fuzz(request, TEXT, check, at_once=50, usual=1500)


def test_what_is_no_text(request):
    processor = TextProcessor().adapt(["a b"])

    def check(values):
        for call in (processor.encode, processor.tokens, processor.decode, TextProcessor().adapt):
            result_or_lesson(call, values)

    fuzz(request, st.one_of(ANYTHING, st.lists(ANYTHING, max_size=3)), check)


def test_settings_of_a_text_processor(request):
    config = TextProcessor().adapt(["a b"]).get_config()

    def check(changes):
        processor = result_or_lesson(TextProcessor.from_config, config | changes)
        if processor is not None and changes.get("vocabulary", 1) is not None:
            assert len(processor.decode(processor.encode(["a b"]))) == 1

    names = st.sampled_from([*config, "subwords"])
    vocabulary = st.lists(st.one_of(ANYTHING, st.sampled_from(config["vocabulary"])), max_size=7)
    fuzz(request, st.dictionaries(names, st.one_of(ANYTHING, vocabulary), max_size=2), check)


CELL = st.one_of(st.binary(max_size=20), TEXT.map(lambda text: text.encode("utf-8", "replace")))
ROW = st.lists(CELL, max_size=3).map(b"\t".join)
FILE = st.one_of(
    st.binary(max_size=60),
    st.lists(ROW, max_size=5).map(b"\n".join),
    st.lists(st.tuples(CELL, CELL).map(b"\t".join), max_size=9).map(b"\r\n".join),
)
CODE = st.one_of(
    st.sampled_from("en fr de zh cn jp pt-BR zh_TW ceb iw chinese EN xx th kr".split()),
    st.text("abcdefgxyz-_ ", max_size=8),
    ANYTHING,
)
SPLIT = st.one_of(
    st.sampled_from(["train", "val", "test", "train[:50%]", "train[-2:]", "train+test"]),
    st.text("trainvltes[]:%+-0123456789", max_size=14),
    ANYTHING,
)


def test_files_of_pairs(request, tmp_path):
    def check(value):
        (name, contents), source, target, split = value
        file = tmp_path / name
        file.write_bytes(contents)
        try:
            pairs = result_or_lesson(data.load_pairs, str(file), source, target, split)
            for text in (pairs and [*data.to_lists(pairs)[0]]) or []:
                assert isinstance(text, str)
        finally:
            file.unlink()

    names = st.sampled_from(["de-en.tsv", "fra.txt", "de-en.tsv.gz", "x.csv", "zh_cn-en.tsv"])
    code = st.one_of(st.sampled_from(["de", "en", "fr", "zh"]), CODE)
    fuzz(request, st.tuples(st.tuples(names, FILE), code, code, SPLIT), check)


def test_folders_of_pairs(request, tmp_path):
    def check(value):
        source, target, codes, split = value
        for code, contents in zip(("de", "en"), (source, target), strict=True):
            (tmp_path / f"train.{code}").write_bytes(contents)
        pairs = result_or_lesson(data.load_pairs, str(tmp_path), *codes, split)
        if pairs is not None:
            sources, targets = data.to_lists(pairs)
            assert len(sources) == len(targets)

    codes = st.one_of(st.just(("de", "en")), st.tuples(CODE, CODE))
    fuzz(request, st.tuples(FILE, FILE, codes, SPLIT), check)


def test_pairs_for_batches(request):
    processor = TextProcessor().adapt(LINES[:5])

    def check(value):
        pairs, options = value
        batches = result_or_lesson(
            data.make_batches, pairs, processor, processor, verbose=False, **options
        )
        for inputs, target_out in batches or ():
            assert inputs["target_in"].shape == target_out.shape

    pair = st.one_of(st.tuples(TEXT, TEXT), st.tuples(TEXT, ANYTHING), ANYTHING)
    good = st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=9)
    small = st.one_of(st.integers(1, 9), ANYTHING)
    options = st.fixed_dictionaries(
        {}, optional={"batch_size": small, "buckets": small, "max_length": small, "seed": small}
    )
    pairs = st.one_of(good, st.lists(pair, max_size=4), ANYTHING)
    # Numbers in the millions would be honoured.
    fuzz(request, st.tuples(pairs, options), check)


def test_scores(request):
    def check(value):
        hypotheses, references, language = value
        for score in (
            result_or_lesson(bleu, hypotheses, references, language),
            result_or_lesson(chrf, hypotheses, references),
        ):
            assert score is None or 0 <= score.score <= 100

    texts = st.one_of(st.lists(TEXT, min_size=2, max_size=2), st.lists(ANYTHING, max_size=2))
    fuzz(request, st.tuples(texts, texts, CODE), check)


@pytest.fixture(scope="module")
def translator():
    text = TextProcessor().adapt(LINES[:20])
    model = build_attention_seq2seq(len(text), len(text), embedding_dim=4, units=4)
    rng = np.random.default_rng(0)
    model.set_weights([rng.normal(0, 0.5, weight.shape) for weight in model.get_weights()])
    return Translator(model, text, text)


def test_texts_to_translate(request, translator):
    def check(texts):
        found = translator.translate(texts, max_length=4, batch_size=25)
        for one in (*found, *translator.align(texts, texts[::-1])):
            shape = len(one.tokens), len(one.source_tokens)
            assert one.attention_weights.shape == shape and np.isfinite(one.score)

    fuzz(request, TEXT, check, at_once=50, usual=1500)


def test_options_of_a_translation(request, translator):
    def check(options):
        result_or_lesson(translator.translate, ["a b", ""], **{"max_length": 3} | options)

    number = st.one_of(st.integers(1, 3), ANYTHING)
    names = ("beam_width", "length_penalty", "n_best", "max_length", "batch_size")
    optional = dict.fromkeys(names, number) | {"replace_unknown": ANYTHING}
    few = st.lists(st.sampled_from(list(optional)), max_size=2, unique=True)
    options = few.flatmap(lambda names: st.fixed_dictionaries({n: optional[n] for n in names}))
    fuzz(request, options, check)


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-9, 9**9), st.floats(), st.text(max_size=9)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=4,
)


def places(value, at=()):
    """Yield the path of every value within a JSON document."""
    yield at
    if isinstance(value, list):
        value = dict(enumerate(value))
    for key, inner in value.items() if isinstance(value, dict) else ():
        yield from places(inner, (*at, key))


def changed(value, path, new):
    if not path:
        return new
    copy = value.copy()
    copy[path[0]] = changed(value[path[0]], path[1:], new)
    return copy


def zipped(members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as members_of:
        for name, content in members.items():
            members_of.writestr(name, content)
    return file.getvalue()


def unzipped(contents):
    with zipfile.ZipFile(io.BytesIO(contents)) as members:
        return {name: members.read(name) for name in members.namelist()}


@pytest.fixture(scope="module")
def saved(translator, tmp_path_factory):
    file = tmp_path_factory.mktemp("saved") / "x.kerasseq"
    translator.save(file)
    return file.read_bytes()


def load_or_lesson(contents, file):
    file.write_bytes(contents)
    loaded = result_or_lesson(Translator.load, file)
    if loaded is not None:
        assert len(loaded.translate(["a b"], max_length=2)) == 1
    return loaded


def test_damaged_files(request, saved, tmp_path):
    def check(value):
        begin, length, new = value
        begin %= len(saved)
        load_or_lesson(saved[:begin] + new + saved[begin + length :], tmp_path / "x.kerasseq")

    place = st.one_of(st.integers(0, len(saved)), st.integers(0, 3000).map(lambda n: -n))
    length = st.one_of(st.just(1), st.integers(0, 200), st.just(len(saved)))
    fuzz(request, st.tuples(place, length, st.binary(max_size=9)), check)


def test_files_with_other_contents(request, saved, tmp_path):
    outer = unzipped(saved)
    inner = unzipped(outer["model.keras"])
    documents = {name: json.loads(text) for name, text in outer.items() if "json" in name}
    documents |= {name: json.loads(text) for name, text in inner.items() if "json" in name}
    options = [(name, path) for name, value in documents.items() for path in places(value)]

    def check(value):
        (name, path), new = value
        try:
            text = json.dumps(changed(documents[name], path, new))
        except ValueError:  # of a lone surrogate, say: no file can hold it
            return
        if name in inner:
            contents = outer | {"model.keras": zipped(inner | {name: text})}
        else:
            contents = outer | {name: text}
        load_or_lesson(zipped(contents), tmp_path / "x.kerasseq")

    same = st.sampled_from([value for one in documents.values() for value in leaves(one)])
    fuzz(request, st.tuples(st.sampled_from(options), st.one_of(JSON, same)), check)


def leaves(value):
    return [one for path in places(value) if not isinstance(one := at(value, path), dict | list)]


def at(value, path):
    for key in path:
        value = value[key]
    return value


OPTION = st.sampled_from(
    [
        f"--{name.replace('_', '-')}"
        for name in (field.name for field in dataclasses.fields(TrainingOptions))
    ]
    + ["--beam-width", "--length-penalty", "--batch-size", "--language", "--references", "--help"]
    + ["--source", "--target", "--dataset", "--train", "--validation", "--unbuffered", "--no-joint"]
)
VALUE = st.one_of(
    st.sampled_from(
        ["0", "-1", "1", "2.5", "nan", "inf", "1e999", "x", "", "train[:3]", "de", "en"]
    ),
    st.text(max_size=6),
)


def test_command_lines(request, translator, tmp_path, monkeypatch):
    for name, text in {
        "a.txt": "a b\n\nc",
        "b.txt": "a b\nb\nc",
        "train.de": "a\n",
        "train.en": "b\n",
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Translator, "load", lambda *_, **__: translator)

    class Trained(ValueError):
        """Raised in place of training, once all options have been taken."""

    def train(train, validation, run_dir, target_language=None, verbose=None, **options):
        TrainingOptions(**options)
        raise Trained("Received: all options")

    monkeypatch.setattr(command_line, "train_translator", train)
    begins = {
        "translate": ["--model", "x"],
        "evaluate": ["a.txt", "--references", "b.txt"],
        "train": ["--dataset", str(tmp_path), "--source", "de", "--target", "en"],
    }

    def check(value):
        command, options, lines = value
        arguments = [command, *begins.get(command, []), *(one for pair in options for one in pair)]
        output, errors = io.TextIOWrapper(io.BytesIO()), io.StringIO()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(lines)))
            patch.setattr("sys.stdout", output)
            patch.setattr("sys.stderr", errors)
            try:
                command_line.main(arguments)
            except SystemExit as end:
                message = end.code if isinstance(end.code, str) else errors.getvalue()
                assert end.code == 0 or len(message) > 20
                assert "Traceback" not in message

    command = st.one_of(st.sampled_from([*begins, *begins, "export", "x"]), st.text(max_size=3))
    options = st.lists(st.tuples(OPTION, VALUE), max_size=2)
    fuzz(request, st.tuples(command, options, FILE), check)


class TranslatorOrders(RuleBasedStateMachine):
    """Whatever is done to a model, a translator made before says what a new one says."""

    @initialize(seed=st.integers(0, 9), cell=st.sampled_from(["rnn", "lstm"]))
    def make(self, seed, cell):
        text = TextProcessor().adapt(["a b c d"])
        keras.utils.set_random_seed(seed)
        sizes = {"embedding_dim": 4, "units": 4, "cell": cell}
        self.model = build_attention_seq2seq(len(text), len(text), **sizes)
        self.model.compile("adam", "sparse_categorical_crossentropy", jit_compile=False)
        self.translator = Translator(self.model, text, text)
        self.translate("a b", 1)  # its graph is there before anything happens to the model

    @rule(text=st.sampled_from(["a b", "", "d d d", "x"]), beam_width=st.integers(1, 2))
    def translate(self, text, beam_width):
        [found] = self.translator.translate([text], beam_width, max_length=3)
        new = Translator(self.model, self.translator.source_text, self.translator.target_text)
        [expected] = new.translate([text], beam_width, max_length=3)
        assert found.tokens == expected.tokens
        assert abs(found.score - expected.score) < 1e-4

    @rule()
    def align(self):
        [found] = self.translator.align(["a b"], ["c d"])
        assert np.isfinite(found.score) and found.attention_weights.shape == (2, 4)

    @rule(layer=st.sampled_from(["readout", "logits", "source_embedding"]))
    def add_lora(self, layer):
        layer = self.model.get_layer(layer)
        if not layer.lora_enabled and layer.quantization_mode is None:
            layer.enable_lora(2)
            new = [weight + 0.1 for weight in layer.get_weights()]
            layer.set_weights(new)

    @rule(seed=st.integers(0, 99))
    def change_the_weights(self, seed):
        random = np.random.default_rng(seed)
        for weight in self.model.trainable_variables:
            weight.assign(random.normal(0, 0.5, weight.shape))

    @rule()
    def freeze(self):
        self.model.get_layer("encoder").trainable = False

    @rule()
    def quantize(self):
        layer = self.model.get_layer("readout")
        if layer.quantization_mode is None and not layer.lora_enabled:
            layer.quantize("int8")

    @rule()
    def save_and_load(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "x.kerasseq"
            if result_or_lesson(self.translator.save, file) is None and not file.exists():
                return
            loaded = Translator.load(file)
        [found], [expected] = (
            one.translate(["a b"], max_length=3) for one in (loaded, self.translator)
        )
        assert abs(found.score - expected.score) < 0.1


def test_orders_of_a_translator(request):
    wanted = request.config.getoption("--fuzz")
    steps = 10
    run_state_machine_as_test(
        TranslatorOrders,
        settings=settings(
            max_examples=-(-(wanted or 30) // steps),
            stateful_step_count=steps,
            deadline=None,
            database=None,
            derandomize=not wanted,
            suppress_health_check=list(HealthCheck),
        ),
    )
