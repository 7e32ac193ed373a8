"""Check a model file before Keras builds anything from it.

Keras builds every layer that a file names, in the size that the file states. A file from a stranger
could name harmful layers or huge sizes. The model of a translator has few layers of known names,
and its weights lie in the file. So two kinds of files are refused: files with other layers, and
files whose layers need more weights than the file holds.
"""

import io
import json
import zipfile

import keras

from kerasseq.models.seq2seq import TiedEmbedding

_MEMBERS = {"metadata.json", "config.json", "model.weights.h5"}
_WITH_WEIGHTS = {
    "source_embedding": {"Embedding"},
    "target_embedding": {"Embedding", "TiedEmbedding"},
    "encoder": {"RNN", "Bidirectional"},
    "decoder": {"RNN", "AttentionRNN"},
    **{name: {"Dense"} for name in ("readout", "logits")},
    **{f"bridge_{index}": {"Dense"} for index in range(40)},
}
_PLAIN = {
    "Dense": lambda *_: keras.layers.Dense(1),
    "Embedding": keras.layers.Embedding,
    "TiedEmbedding": TiedEmbedding,
}
_WITHOUT_WEIGHTS = {"InputLayer", "Dropout", "Concatenate", "NotEqual", "Flip"}
_MOST_LAYERS = 100
_LEAST_BYTES = 0.5  # per weight: int4 is the smallest dtype


def stored_members(file, expected):
    """Return the members of a zip file: a dict from name to bytes.

    Args:
        file: Path or file object.
        expected: The names that the file must have.

    Raises:
        ValueError: If a name is missing, unknown or there twice, or a member is compressed: a small
            compressed file may unpack to a huge file.
    """
    with zipfile.ZipFile(file) as members:
        names = [member.filename for member in members.infolist()]
        if missing := set(expected) - set(names):
            raise ValueError(f"it lacks {', '.join(sorted(missing))}")
        if other := sorted(name for name in names if name not in expected):
            raise ValueError(f"it holds unknown members: {', '.join(other)}")
        if len(names) > len(expected):
            raise ValueError(f"it holds a member twice: {', '.join(names)}")
        for member in members.infolist():
            stored = member.compress_type == zipfile.ZIP_STORED
            if not stored or member.file_size > member.compress_size:
                raise ValueError(
                    f"its member {member.filename} is compressed and would grow from "
                    f"{member.compress_size} to {member.file_size} bytes"
                )
        return {name: members.read(name) for name in names}


def check_model(data):
    """Raise ValueError unless a `.keras` file holds a model of the builders.

    Args:
        data: The bytes of the file.
    """
    members = stored_members(io.BytesIO(data), _MEMBERS)
    config = json.loads(members["config.json"])
    for entry in _objects(config):
        if entry["class_name"] == "Lambda" or not _is_known(entry):
            raise ValueError(
                f"its model has a layer or cell of the class {entry['class_name']}, which no "
                "translator has; if you wrote the class, import its module first"
            )
    if (number := len(config["config"]["layers"])) > _MOST_LAYERS:
        raise ValueError(f"its model has {number:,} layers, more than any translator")
    layers = {entry["config"]["name"]: entry for entry in config["config"]["layers"]}
    for name, entry in layers.items():
        if entry["class_name"] not in _WITH_WEIGHTS.get(name, _WITHOUT_WEIGHTS):
            raise ValueError(
                f"its model has the layer {name!r} of class {entry['class_name']}, which no "
                "translator has"
            )
        if entry["class_name"] in _PLAIN and (other := _unknown_options(entry)):
            raise ValueError(
                f"its model has the option {', '.join(sorted(other))} in a layer of the class "
                f"{entry['class_name']}, which no translator has"
            )
    weights = _fewest_weights(layers)
    if weights * _LEAST_BYTES > len(members["model.weights.h5"]):
        raise ValueError(
            f"its model needs at least {weights:,} weights, and the file holds only "
            f"{len(members['model.weights.h5']):,} bytes of weights"
        )


def _objects(config):
    """Yield every dict in a config, at any depth, that names a class."""
    values = config.values() if isinstance(config, dict) else config
    if isinstance(config, dict) and isinstance(config.get("class_name"), str):
        yield config
    if isinstance(config, dict | list):
        for value in values:
            if isinstance(value, dict | list):
                yield from _objects(value)


def _unknown_options(entry):
    """Return the options in the config of a plain layer that a new layer of its class lacks.

    Such options, LoRA for example, would add weights.
    """
    return set(entry["config"]) - set(_PLAIN[entry["class_name"]](1, 1).get_config())


def _is_known(entry):
    """Return whether a class or function belongs to Keras or has been registered.

    Keras would import any other class from the module that the file names. Of the functions in
    Keras only the activations are known.
    """
    module = entry.get("module") or "keras"
    if entry["class_name"] == "function":
        name = str(entry["config"])
        registered = keras.saving.get_registered_object(entry.get("registered_name") or name)
        return registered is not None or hasattr(keras.activations, name)
    registered = keras.saving.get_registered_object(entry.get("registered_name") or "")
    return module.split(".")[0] in ("keras", "builtins") or registered is not None


def _fewest_weights(layers):
    """Return a lower bound of the number of weights, with cells of a single gate."""
    sizes = {name: _sizes(entry) for name, entry in layers.items() if name in _WITH_WEIGHTS}
    total = 0
    for side, recurrent in (("source", "encoder"), ("target", "decoder")):
        rows, width = (sizes[f"{side}_embedding"][key] for key in ("input_dim", "output_dim"))
        units = max(sizes[recurrent]["units"], default=0)
        total += max(rows, default=0) * max(width, default=0)  # the embedding
        total += units * (units + max(width, default=0))  # W and U of the cell
    units = max(sizes["decoder"]["units"], default=0)
    readout = max(sizes["readout"]["units"], default=0)
    total += readout * units + max(sizes.get("logits", {"units": [0]})["units"]) * readout
    total += sum(max(sizes[name]["units"]) for name in sizes if name.startswith("bridge"))
    return total


def _sizes(entry):
    """Return all integers of a layer's config under three names, at any depth: a dict of lists."""
    sizes = {"units": [], "input_dim": [], "output_dim": []}

    def collect(config):
        for name, value in config.items() if isinstance(config, dict) else enumerate(config):
            if name in sizes and isinstance(value, int):
                sizes[name].append(value)
            elif isinstance(value, dict | list):
                collect(value)

    collect(entry["config"])
    return sizes
