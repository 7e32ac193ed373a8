"""Hostile files: refused before anything in them is built."""

import io
import json
import zipfile

import keras
import pytest
from support.archives import attending, refused, rewritten, small


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    file = tmp_path_factory.mktemp("archive") / "x.kerasseq"
    attending().save(file)
    return file


def test_a_file_with_more_than_it_should_is_refused(tmp_path):
    small().save(tmp_path / "x.kerasseq")
    extra = rewritten(tmp_path / "x.kerasseq", **{"../../climbed": b"out"})
    refused(extra, r"holds unknown members: \.\./\.\./climbed")
    assert not (tmp_path.parent.parent / "climbed").exists()


def test_compressed_members_are_refused(tmp_path):
    """A megabyte of file could become a terabyte."""
    small().save(tmp_path / "x.kerasseq")
    with zipfile.ZipFile(tmp_path / "x.kerasseq") as members:
        contents = {name: members.read(name) for name in members.namelist()}
    bomb = tmp_path / "bomb.kerasseq"
    with zipfile.ZipFile(bomb, "w") as members:
        for name, content in contents.items():
            if name == "target_text.json":
                members.writestr(name, b" " * 50_000_000, zipfile.ZIP_DEFLATED)
            else:
                members.writestr(name, content)
    assert bomb.stat().st_size < 200_000
    refused(bomb, "target_text.json is compressed and would grow from .* to 50000000 bytes")


def test_a_member_twice_is_refused(tmp_path):
    small().save(tmp_path / "x.kerasseq")
    with zipfile.ZipFile(tmp_path / "x.kerasseq", "a") as members, pytest.warns(UserWarning):
        members.writestr("target_text.json", "{}")
    refused(tmp_path / "x.kerasseq", "a member twice")


def with_config(file, change):
    """The archive at `file` with the configuration of its model changed."""
    with zipfile.ZipFile(file) as members:
        model = io.BytesIO(members.read("model.keras"))
    with zipfile.ZipFile(model) as members:
        contents = {name: members.read(name) for name in members.namelist()}
    config = json.loads(contents["config.json"])
    change({layer["config"]["name"]: layer for layer in config["config"]["layers"]}, config)
    contents["config.json"] = json.dumps(config)
    changed = io.BytesIO()
    with zipfile.ZipFile(changed, "w") as members:
        for name, content in contents.items():
            members.writestr(name, content)
    return rewritten(file, **{"model.keras": changed.getvalue()})


def test_a_lambda_is_refused_before_anything_is_built(file, monkeypatch):
    monkeypatch.setattr(keras.saving, "load_model", None)  # whoever calls it fails

    def change(layers, config):
        layers["readout"] |= {"module": "keras.layers", "class_name": "Lambda"}

    refused(with_config(file, change), "of the class Lambda, which no translator has")


@pytest.mark.parametrize("module", ["os", "kerasseq_evil", "subprocess.keras"])
def test_classes_of_other_modules_are_refused(file, module):
    def change(layers, config):
        layers["decoder"]["config"]["cell"] |= {"module": module, "registered_name": "x>Y"}

    refused(with_config(file, change), "of the class LSTMCell, which no translator has")


def test_other_layers_are_refused(file):
    def change(layers, config):
        layers["readout"]["config"]["name"] = "other"

    refused(with_config(file, change), "the layer 'other' of class Dense")

    def change(layers, config):
        layers["readout"]["class_name"] = "Embedding"

    refused(with_config(file, change), "the layer 'readout' of class Embedding")


@pytest.mark.parametrize(
    ("layer", "sizes"),
    [
        ("source_embedding", {"input_dim": 10**9, "output_dim": 10**6}),
        ("target_embedding", {"input_dim": 10**9}),
        ("readout", {"units": 10**9}),
        ("logits", {"units": 10**12}),
        ("bridge_0", {"units": 10**9}),
    ],
)
def test_huge_declared_sizes_are_refused(file, layer, sizes):
    def change(layers, config):
        layers[layer]["config"] |= sizes

    refused(with_config(file, change), "weights, and the file holds")


@pytest.mark.parametrize("layer", ["source_embedding", "readout", "logits"])
def test_weights_that_only_an_option_asks_for_are_refused(file, layer):
    def change(layers, config):
        layers[layer]["config"]["lora_rank"] = 30_000_000

    refused(with_config(file, change), "the option lora_rank")


def test_ten_thousand_layers_are_refused(file):
    def change(layers, config):
        config["config"]["layers"] += [
            {"class_name": "Dropout", "config": {"name": f"d{index}"}} for index in range(10_000)
        ]

    refused(with_config(file, change), r"its model has 10,\d+ layers")


def test_functions_other_than_activations_are_refused(file):
    def change(layers, config):
        layers["readout"]["config"]["activation"] = {
            "module": "keras.utils",
            "class_name": "function",
            "config": "set_random_seed",
            "registered_name": "function",
        }

    refused(with_config(file, change), "of the class function, which no translator has")


def test_a_declared_size_that_the_file_does_not_have_is_refused(tmp_path):
    small().save(tmp_path / "x.kerasseq")
    data = bytearray((tmp_path / "x.kerasseq").read_bytes())
    entry = data.rfind(b"PK\x01\x02")  # of the last member; its two sizes stand at 20
    data[entry + 20 : entry + 28] = b"\xf0\xff\xff\x7f" * 2
    (tmp_path / "h.kerasseq").write_bytes(data)
    refused(tmp_path / "h.kerasseq", "it is damaged")


def test_a_huge_cell_is_refused(file):
    def change(layers, config):
        layers["decoder"]["config"]["cell"]["config"]["units"] = 10**6

    refused(with_config(file, change), "weights, and the file holds")
