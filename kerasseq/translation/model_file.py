"""What a model file may hold: looked at before anything in it is built.

Keras builds whatever layers a file names, as large as it says. A translator's model has few layers
of known names, and its weights lie in the file; so what else is there, or would be larger than the
file, is refused first.
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
_LEAST_BYTES = 0.5  # of a weight, as int4


def stored_members(file, expected):
    """Return the contents of a zip by name.

    Args:
        file: Path or file object.
        expected: The names it must have.

    Raises:
        ValueError: If it lacks one, has others, or has them compressed: a small file could then be
            huge ones.
    """
    with zipfile.ZipFile(file) as members:
        names = [member.filename for member in members.infolist()]
        if missing := set(expected) - set(names):
            raise ValueError(f"it lacks {', '.join(sorted(missing))}")
        if other := sorted(name for name in names if name not in expected):
            raise ValueError(f"it holds more than it should: {', '.join(other)}")
        if len(names) > len(expected):
            raise ValueError(f"it holds a member twice: {', '.join(names)}")
        for member in members.infolist():
            stored = member.compress_type == zipfile.ZIP_STORED
            if not stored or member.file_size > member.compress_size:
                raise ValueError(
                    f"{member.filename} would become {member.file_size} bytes out of "
                    f"{member.compress_size}"
                )
        return {name: members.read(name) for name in names}


def check_model(data):
    """Raise ValueError if a `.keras` file is not that of a model of the builders.

    Args:
        data: The bytes of the file.
    """
    members = stored_members(io.BytesIO(data), _MEMBERS)
    config = json.loads(members["config.json"])
    for entry in _objects(config):
        if entry["class_name"] == "Lambda" or not _is_known(entry):
            raise ValueError(
                f"its model has a {entry['class_name']}, which no translator has; the module of a "
                "cell of your own must be imported first"
            )
    if (number := len(config["config"]["layers"])) > _MOST_LAYERS:
        raise ValueError(f"its model has {number:,} layers, and a translator has a few")
    layers = {entry["config"]["name"]: entry for entry in config["config"]["layers"]}
    for name, entry in layers.items():
        if entry["class_name"] not in _WITH_WEIGHTS.get(name, _WITHOUT_WEIGHTS):
            raise ValueError(
                f"its model has the layer {name!r} of class {entry['class_name']}, which no "
                "translator has"
            )
        if entry["class_name"] in _PLAIN and (other := _unknown_options(entry)):
            raise ValueError(
                f"its model has a {entry['class_name']} with {', '.join(sorted(other))}, which no "
                "translator has"
            )
    weights = _fewest_weights(layers)
    if weights * _LEAST_BYTES > len(members["model.weights.h5"]):
        raise ValueError(
            f"its model would have {weights:,} weights or more, and the file holds "
            f"{len(members['model.weights.h5']):,} bytes of them"
        )


def _objects(config):
    """Yield the dicts that name a class, wherever they stand in a config."""
    values = config.values() if isinstance(config, dict) else config
    if isinstance(config, dict) and isinstance(config.get("class_name"), str):
        yield config
    if isinstance(config, dict | list):
        for value in values:
            if isinstance(value, dict | list):
                yield from _objects(value)


def _unknown_options(entry):
    """Return the options of a plain layer that it does not have when made: LoRA adds weights."""
    return set(entry["config"]) - set(_PLAIN[entry["class_name"]](1, 1).get_config())


def _is_known(entry):
    """Whether a class is Keras' own or has been registered: another one would be looked for.

    Of functions Keras' own are the activations: any other would be called with the numbers.
    """
    module = entry.get("module") or "keras"
    if entry["class_name"] == "function":
        name = str(entry["config"])
        registered = keras.saving.get_registered_object(entry.get("registered_name") or name)
        return registered is not None or hasattr(keras.activations, name)
    registered = keras.saving.get_registered_object(entry.get("registered_name") or "")
    return module.split(".")[0] in ("keras", "builtins") or registered is not None


def _fewest_weights(layers):
    """Return how many weights the layers have at least, with cells of a single gate."""
    found = {name: _sizes(entry) for name, entry in layers.items() if name in _WITH_WEIGHTS}
    total = 0
    for side, recurrent in (("source", "encoder"), ("target", "decoder")):
        rows, width = (found[f"{side}_embedding"][key] for key in ("input_dim", "output_dim"))
        units = max(found[recurrent]["units"], default=0)
        total += max(rows, default=0) * max(width, default=0)
        total += units * (units + max(width, default=0))
    units = max(found["decoder"]["units"], default=0)
    readout = max(found["readout"]["units"], default=0)
    total += readout * units + max(found.get("logits", {"units": [0]})["units"]) * readout
    total += sum(max(found[name]["units"]) for name in found if name.startswith("bridge"))
    return total


def _sizes(entry):
    """Return the sizes named within a layer's config: lists of integers by name."""
    sizes = {"units": [], "input_dim": [], "output_dim": []}

    def look(config):
        for name, value in config.items() if isinstance(config, dict) else enumerate(config):
            if name in sizes and isinstance(value, int):
                sizes[name].append(value)
            elif isinstance(value, dict | list):
                look(value)

    look(entry["config"])
    return sizes
