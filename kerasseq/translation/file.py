"""The file of a `Translator`: a zip of the model, the two text processors and a format version."""

import json
import tempfile
import zipfile
from pathlib import Path

import keras
import numpy as np

from kerasseq.checks import check_path
from kerasseq.runtime import keep_random_state
from kerasseq.text.control_tokens import END, START, UNKNOWN
from kerasseq.text.processor import TextProcessor
from kerasseq.translation.model_file import check_model, stored_members

FORMAT_VERSION = 2  # version 1: words did not keep the spaces between them
_SETTINGS, _MODEL, _TEXTS = "settings.json", "model.keras", ("source_text.json", "target_text.json")
_LARGEST_SETTINGS = 10_000  # bytes
_LONGEST_REASON = 300  # characters
_ROUNDING = 0.03  # share of the largest logit, for LoRA merged in bfloat16


def write_translator(file, model, source_text, target_text):
    """Write the file, whole or not at all. LoRA is merged into the weights.

    An older file is replaced only after the new file has been read back.

    Args:
        file: Path of the file.
        model: A Keras model.
        source_text, target_text: The `TextProcessor` of each side.

    Raises:
        FileNotFoundError: If the folder does not exist.
        ValueError: If `file` is not a path, is the path of a folder, or cannot be written; if the
            model would compute something else after loading.
    """
    file = check_writable(file)
    with tempfile.TemporaryDirectory(dir=file.parent) as folder:
        model_file, archive = Path(folder) / _MODEL, Path(folder) / "archive"
        copy_without_optimizer(model).save(model_file)
        with zipfile.ZipFile(archive, "w") as members:
            members.writestr(_SETTINGS, json.dumps({"format_version": FORMAT_VERSION}))
            for name, text in zip(_TEXTS, (source_text, target_text), strict=True):
                members.writestr(name, json.dumps(text.get_config(), ensure_ascii=False))
            members.write(model_file, _MODEL)
        _check_copy(archive, model)
        archive.replace(file)


def copy_without_optimizer(model):
    """Return a copy of a model without LoRA and without the optimizer.

    The state of an optimizer is larger than the model itself.
    """
    try:
        config = model.get_config()
        for layer in config["layers"]:
            for name in ("lora_rank", "lora_alpha"):
                layer["config"].pop(name, None)
        with keep_random_state():
            copy = type(model).from_config(config)
    except (NotImplementedError, TypeError) as error:
        raise ValueError(
            "`model` must consist of layers with a get_config; register your own layers with "
            f"keras.saving.register_keras_serializable. Received: model={model!r}"
        ) from error
    for layer, new in zip(model._flatten_layers(), copy._flatten_layers(), strict=True):
        if getattr(layer, "lora_enabled", False) and layer.quantization_mode is not None:
            raise ValueError(
                "`model` must not have LoRA on a quantized layer: merging would round the weights "
                f"again. Received: model={model!r}, layer {layer.name!r} with dtype policy "
                f"{layer.dtype_policy.name}"
            )
        layer.save_own_variables(variables := {})  # merges LoRA
        new.load_own_variables(variables)
    return copy


def _check_copy(archive, model):
    """Raise ValueError unless the model in a file can be read and computes what `model` does."""
    inputs = {name: np.array([[START, UNKNOWN, END]]) for name in ("source", "target_in")}
    try:
        with keep_random_state():
            copy, *_ = read_translator(archive)
        # Logits of one sentence, (1, 3, target_vocab_size).
        received, expected = (np.asarray(each(inputs), "float32") for each in (copy, model))
        if not np.abs(received - expected).max() <= _ROUNDING * np.abs(expected).max():
            raise ValueError(
                "a loaded copy computes something else; perhaps a layer lacks get_config"
            )
    except ValueError as error:
        reason = str(error.__cause__ or error).strip().split("\n")[0].removesuffix(".")
        raise ValueError(f"`model` cannot be saved: {reason}. Received: {model=}") from error


def check_writable(file):
    """Return the path of a file that can be written; else raise as `write_translator` does."""
    file = Path(check_path("file", file))
    if file.is_dir():
        raise ValueError(f"`file` must be a file, not a folder. Received: file={str(file)!r}")
    if not file.parent.is_dir():
        raise FileNotFoundError(
            f"The folder of `file` does not exist: {file.parent.absolute()}. "
            f"Received: file={str(file)!r}"
        )
    try:
        tempfile.TemporaryFile(dir=file.parent).close()
    except OSError as error:
        raise ValueError(
            f"The folder of `file` is not writable: {file.parent.absolute()} ({error.strerror}). "
            f"Received: file={str(file)!r}"
        ) from error
    return file


def read_translator(file):
    """Read a file of `write_translator`. Nothing in the file is executed.

    Args:
        file: Path of the file.

    Returns:
        `(model, source_text, target_text)`.

    Raises:
        FileNotFoundError: If the file does not exist.
        ValueError: If the file is not the file of a translator, or comes from a later release.
    """
    file = check_path("file", file)
    received = f"Received: file={file!r}"
    if not Path(file).is_file():
        raise FileNotFoundError(f"`file` does not exist. {received}")
    try:
        _check_version(file)
        contents = stored_members(file, {_SETTINGS, _MODEL, *_TEXTS})
        texts = [TextProcessor.from_config(json.loads(contents[name])) for name in _TEXTS]
        _ = [len(text) for text in texts]  # raises ValueError for a text without a vocabulary
        check_model(contents[_MODEL])
        with tempfile.TemporaryDirectory() as folder:
            model_file = Path(folder) / _MODEL
            model_file.write_bytes(contents[_MODEL])
            return keras.saving.load_model(model_file, compile=False, safe_mode=True), *texts
    except Exception as error:  # of any kind: Keras, zip and JSON all fail on damaged files
        reason = str(error).strip().split("\n")[0].removesuffix(".")[:_LONGEST_REASON]
        if type(error) is not ValueError:  # not a message of this package
            reason = f"it is damaged ({type(error).__name__}: {reason})"
        text = f"`file` must be a file that Translator.save wrote, but {reason}."
        raise ValueError(f"{text} {received}") from error


def _check_version(file):
    """Raise ValueError unless this release knows the format of the file."""
    if not zipfile.is_zipfile(file):
        raise ValueError("it is not a zip file")
    with zipfile.ZipFile(file) as members:
        if _SETTINGS not in members.namelist():
            raise ValueError(f"it lacks {_SETTINGS}")
        if members.getinfo(_SETTINGS).file_size > _LARGEST_SETTINGS:
            raise ValueError(f"its {_SETTINGS} is too large")
        version = json.loads(members.read(_SETTINGS))["format_version"]
    if version not in range(1, FORMAT_VERSION + 1):
        raise ValueError(
            f"it has the format version {version!r}; this kerasseq reads versions 1 to "
            f"{FORMAT_VERSION}, and a later version needs a later kerasseq"
        )
