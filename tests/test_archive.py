"""The file of a translator: whole, without paths, and refused when it is another's."""

import json
import pathlib
import zipfile

import keras
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import new_process
from support.archives import attending, refused, rewritten, small
from support.reference import randomize

from kerasseq import TextProcessor, Translator, build_attention_seq2seq, build_seq2seq


def test_file_brings_back_text_processors_with_their_settings(tmp_path):
    source = TextProcessor(level="char", lower=True).adapt(["É b"])
    target = TextProcessor(vocab_size=6).adapt(["我 爱 爱"])
    model = build_seq2seq(len(source), len(target), embedding_dim=4, units=4)
    Translator(model, source, target).save(tmp_path / "x.kerasseq")
    loaded = Translator.load(tmp_path / "x.kerasseq")
    assert loaded.source_text.get_config() == source.get_config()
    assert loaded.target_text.get_config() == target.get_config()
    assert loaded.source_text.encode(["é"]).numpy().tolist() == [
        [2, source.vocabulary.index("é"), 3]
    ]


def test_saved_file_holds_no_path_and_leaves_nothing_beside_it(tmp_path):
    small().save(tmp_path / "x.kerasseq")
    assert [file.name for file in tmp_path.iterdir()] == ["x.kerasseq"]
    with zipfile.ZipFile(tmp_path / "x.kerasseq") as members:
        texts = b"".join(members.read(name) for name in members.namelist() if "json" in name)
        with members.open("model.keras") as model, zipfile.ZipFile(model) as inner:
            texts += inner.read("config.json") + inner.read("metadata.json")
    assert str(tmp_path).encode() not in texts
    assert b"/tmp" not in texts and b"/home" not in texts


def test_the_optimizer_stays_at_home(tmp_path):
    translator = attending()
    translator.save(tmp_path / "new.kerasseq")
    translator.model.compile("adam", "mse")
    translator.model.optimizer.build(translator.model.trainable_variables)
    translator.save(tmp_path / "x.kerasseq")
    sizes = [(tmp_path / f"{name}.kerasseq").stat().st_size for name in ("new", "x")]
    assert sizes[0] == sizes[1]
    assert not Translator.load(tmp_path / "x.kerasseq").model.compiled
    assert translator.model.compiled


def test_failing_save_leaves_the_old_file(tmp_path, monkeypatch):
    translator = small()
    translator.save(tmp_path / "x.kerasseq")
    before = (tmp_path / "x.kerasseq").read_bytes()

    def fail(path):
        raise OSError("disk full")

    monkeypatch.setattr(keras.Model, "save", lambda model, path: fail(path))
    with pytest.raises(OSError, match="disk full"):
        translator.save(tmp_path / "x.kerasseq")
    assert (tmp_path / "x.kerasseq").read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 1


def test_files_that_are_not_a_translators_are_refused(tmp_path):
    small().save(tmp_path / "x.kerasseq")
    with pytest.raises(
        FileNotFoundError, match=r"`file` does not exist. Received: file=.*missing'"
    ):
        Translator.load(tmp_path / "missing")
    (tmp_path / "text").write_text("hello")
    with pytest.raises(ValueError, match=r"Translator.save wrote.* Received: file=.*text'"):
        Translator.load(tmp_path / "text")
    with pytest.raises(ValueError, match=r"it lacks source_text.json"):
        Translator.load(rewritten(tmp_path / "x.kerasseq", **{"source_text.json": None}))
    newer = json.dumps({"format_version": 3})
    with pytest.raises(ValueError, match=r"format version 3; this kerasseq reads versions 1 to 2"):
        Translator.load(rewritten(tmp_path / "x.kerasseq", **{"settings.json": newer}))


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "{", '{"format_version": null}', "\0", "[" * 9999]
)
def test_damaged_settings_are_refused_in_one_sentence(tmp_path, text):
    small().save(tmp_path / "x.kerasseq")
    refused(
        rewritten(tmp_path / "x.kerasseq", **{"settings.json": text}),
        "it is damaged|it has the format version|Expecting",
    )


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    file = tmp_path_factory.mktemp("archive") / "x.kerasseq"
    attending().save(file)
    return file


@pytest.mark.parametrize("keep", [0.1, 0.5, 0.9, 0.999])
def test_cut_off_files_are_refused(file, tmp_path, keep):
    content = file.read_bytes()
    (tmp_path / "cut").write_bytes(content[: int(len(content) * keep)])
    refused(tmp_path / "cut", "it is not a zip file|it is damaged|it lacks")


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0), st.binary(min_size=1, max_size=8))
def test_damaged_bytes_load_or_are_refused(file, place, damage):
    content = bytearray(file.read_bytes())
    place %= len(content)
    content[place : place + len(damage)] = damage
    damaged = file.with_name("damaged")
    damaged.write_bytes(content)
    try:
        Translator.load(damaged)
    except ValueError as error:
        assert "Received: file=" in str(error)


@pytest.mark.parametrize(("version", "beam_width"), [(1, 1), (2, 2)])
def test_a_file_of_an_earlier_release_loads_and_translates_alike(version, beam_width):
    """The files lie beside this test; see `tests/data/README.md`."""
    file = pathlib.Path(__file__).parent / "data" / f"translator_{version}.kerasseq"
    expected = json.loads(file.with_suffix(".json").read_text())
    translator = Translator.load(file)
    translations = translator.translate(expected["sources"], beam_width=beam_width)
    assert [translation.text for translation in translations] == expected["translations"]
    scores = [translation.score for translation in translations]
    np.testing.assert_allclose(scores, expected["scores"], rtol=1e-4)


@pytest.mark.slow
def test_translator_from_a_moved_folder_says_the_same_in_a_new_process():
    translator, found = new_process.translator(), new_process.results()
    assert found["vocabulary"] == translator.source_text.vocabulary
    assert found["ids"] == translator.source_text.encode(new_process.TEXTS).numpy().tolist()
    expected = translator.translate(new_process.TEXTS)
    assert [text for text, _ in found["translations"]] == [one.text for one in expected]
    scores = [score for _, score in found["translations"]]
    np.testing.assert_allclose(scores, [one.score for one in expected], rtol=1e-5)


# Whatever is saved can be loaded


def with_lora(model):
    """Give all layers that can have it LoRA that changes what they compute."""
    rng = np.random.default_rng(5)
    for name in ("source_embedding", "target_embedding", "bridge_0", "readout", "logits"):
        if name in {layer.name for layer in model.layers}:
            layer = model.get_layer(name)
            layer.enable_lora(2)
            b = getattr(layer, "lora_embeddings_b", None)
            b = layer.lora_kernel_b if b is None else b
            b.assign(rng.normal(0, 1, b.shape))


def frozen(model):
    model.get_layer("encoder").trainable = False
    model.get_layer("readout").trainable = False


STATES = {
    "LoRA": with_lora,
    "int8": lambda model: model.quantize("int8"),
    "int4": lambda model: model.quantize("int4"),
    "frozen": frozen,
    "frozen, LoRA": lambda model: (frozen(model), with_lora(model)),
}
INPUTS = {"source": np.array([[2, 5, 4, 3]]), "target_in": np.array([[2, 6, 5]])}


def loud(vocab_size=7, width=4, **options):
    """A translator with random weights and a vocabulary of some size."""
    text = TextProcessor().adapt([" ".join(f"w{index}" for index in range(vocab_size - 4))])
    sizes = {"embedding_dim": width, "units": 4}
    model = build_attention_seq2seq(len(text), len(text), **sizes, **options)
    return Translator(randomize(model), text, text)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Layer .* does not have a `quantize`")
@pytest.mark.parametrize("tie_embeddings", [False, True])
@pytest.mark.parametrize("state", STATES)
def test_a_model_in_any_state_is_saved_and_loaded(state, tie_embeddings, tmp_path):
    translator = loud(tie_embeddings=tie_embeddings)
    STATES[state](translator.model)
    translator.save(tmp_path / "x.kerasseq")
    loaded = Translator.load(tmp_path / "x.kerasseq").model
    np.testing.assert_allclose(loaded(INPUTS), translator.model(INPUTS), atol=1e-5)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Layer .* does not have a `quantize`")
@pytest.mark.parametrize("mode", ["int8", "int4"])
def test_most_weights_may_take_a_byte_or_less(mode, tmp_path):
    """Embeddings so large that the file would be too small for weights of two bytes."""
    translator = loud(2_000, width=64)
    translator.model.quantize(mode)
    translator.save(tmp_path / "x.kerasseq")
    loaded = Translator.load(tmp_path / "x.kerasseq").model
    found, expected = (np.asarray(model(INPUTS)) for model in (loaded, translator.model))
    np.testing.assert_allclose(found, expected, atol=1e-5 * np.abs(expected).max())


@pytest.mark.parametrize("policy", ["mixed_bfloat16", "mixed_float16", "float64"])
def test_a_model_of_another_precision_is_saved_and_loaded(policy, tmp_path):
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy(policy)
    try:
        translator = loud()
    finally:
        keras.config.set_dtype_policy(before)
    translator.save(tmp_path / "x.kerasseq")
    loaded = Translator.load(tmp_path / "x.kerasseq").model
    np.testing.assert_array_equal(loaded(INPUTS), translator.model(INPUTS))


def refuses_to_save(translator, file, message):
    file.write_bytes(b"an older one")
    with pytest.raises(ValueError, match=message):
        translator.save(file)
    assert file.read_bytes() == b"an older one"
    assert [one.name for one in file.parent.iterdir()] == [file.name]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Layer .* does not have a `quantize`")
def test_lora_on_quantized_weights_is_refused(tmp_path):
    """Keras would merge the two and round the sum, and the translations could be others."""
    translator = loud()
    translator.model.quantize("int8")
    with_lora(translator.model)
    message = r"LoRA on a quantized layer.* Received: model=.*int8_from_float32"
    refuses_to_save(translator, tmp_path / "x.kerasseq", message)


class Unknown(keras.layers.GRUCell):
    """A cell that nobody registered."""


def test_a_cell_that_could_not_be_loaded_is_refused(tmp_path):
    message = r"layers with a get_config.*keras.saving.* Received: model="
    refuses_to_save(loud(cell=Unknown, encoder="forward"), tmp_path / "x.kerasseq", message)


@keras.saving.register_keras_serializable(package="tests")
class Forgetful(keras.layers.GRUCell):
    """A cell whose config lacks what it was made with."""

    def __init__(self, units, scale=1.0, **kwargs):
        super().__init__(units, **kwargs)
        self.scale = scale

    def call(self, inputs, states, training=False):
        return super().call(self.scale * inputs, states, training)


def test_a_cell_that_would_compute_something_else_is_refused(tmp_path):
    translator = loud(cell=lambda units: Forgetful(units, scale=5.0))
    refuses_to_save(translator, tmp_path / "x.kerasseq", "a loaded copy computes something else")
