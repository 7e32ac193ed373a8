"""The file of a `Translator`: a zip of its model, its text processors and a format version."""

import json
import tempfile
import zipfile
import zlib
from pathlib import Path

import keras
import tensorflow as tf

from kerasseq.model_file import check_model, stored_members
from kerasseq.random_state import keep_random_state
from kerasseq.text import TextProcessor
from kerasseq.text_arguments import path

FORMAT_VERSION = 1
_SETTINGS, _MODEL, _TEXTS = "settings.json", "model.keras", ("source_text.json", "target_text.json")
_MOST_SETTINGS = 10_000  # bytes
_LONGEST_REASON = 300  # characters
_UNREADABLE = (
    *(
        AttributeError,
        EOFError,
        KeyError,
        MemoryError,
        NotImplementedError,
        OSError,
        RecursionError,
    ),
    *(RuntimeError, TypeError, ValueError, tf.errors.OpError, zipfile.BadZipFile, zlib.error),
)


def write(file, model, source_text, target_text):
    """Write the file, whole or not at all: an older one is replaced when the new one is complete.

    Args:
        file: Path of the file.
        model: A Keras model.
        source_text, target_text: The `TextProcessor` of each side.

    Raises:
        FileNotFoundError: If the folder does not exist.
        ValueError: If `file` is no path, or that of a folder, or cannot be written.
    """
    file = check_place(file)
    with tempfile.TemporaryDirectory(dir=file.parent) as folder:
        model_file, archive = Path(folder) / _MODEL, Path(folder) / "archive"
        uncompiled(model).save(model_file)
        with zipfile.ZipFile(archive, "w") as members:
            members.writestr(_SETTINGS, json.dumps({"format_version": FORMAT_VERSION}))
            for name, text in zip(_TEXTS, (source_text, target_text), strict=True):
                members.writestr(name, json.dumps(text.get_config(), ensure_ascii=False))
            members.write(model_file, _MODEL)
        archive.replace(file)


def uncompiled(model):
    """Return a copy without the optimizer, whose state is larger than the model itself."""
    with keep_random_state():
        copy = type(model).from_config(model.get_config())
    copy.set_weights(model.get_weights())
    return copy


def check_place(file):
    """Return the path of a file that can be written, or raise as `write` does."""
    file = Path(path("file", file))
    if file.is_dir():
        raise ValueError(f"`file` must be a file, not a folder. Received: file={str(file)!r}")
    if not file.parent.is_dir():
        raise FileNotFoundError(
            f"There is no folder {file.parent.absolute()}. Received: file={str(file)!r}"
        )
    try:
        tempfile.TemporaryFile(dir=file.parent).close()
    except OSError as error:
        raise ValueError(
            f"Nothing can be written to {file.parent.absolute()}: {error.strerror}. "
            f"Received: file={str(file)!r}"
        ) from error
    return file


def read(file):
    """Read what `write` wrote. Nothing in the file is executed.

    Args:
        file: Path of the file.

    Returns:
        `(model, source_text, target_text)`.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If the file is not a translator's, or its format is not this release's.
    """
    file = path("file", file)
    received = f"Received: file={file!r}"
    if not Path(file).is_file():
        raise FileNotFoundError(f"There is no such file. {received}")
    try:
        _check_version(file)
        contents = stored_members(file, {_SETTINGS, _MODEL, *_TEXTS})
        texts = [TextProcessor.from_config(json.loads(contents[name])) for name in _TEXTS]
        _ = [len(text) for text in texts]  # refuses one without a vocabulary
        check_model(contents[_MODEL])
        with tempfile.TemporaryDirectory() as folder:
            model_file = Path(folder) / _MODEL
            model_file.write_bytes(contents[_MODEL])
            return keras.saving.load_model(model_file, compile=False, safe_mode=True), *texts
    except _UNREADABLE as error:
        reason = str(error).strip().split("\n")[0].removesuffix(".")[:_LONGEST_REASON]
        if type(error) is not ValueError:  # nobody's own words
            reason = f"it is damaged ({type(error).__name__}: {reason})"
        text = f"`file` must be one that Translator.save wrote, but {reason}."
        raise ValueError(f"{text} {received}") from error


def _check_version(file):
    """Raise ValueError unless the file is of this release's format: another may look otherwise."""
    if not zipfile.is_zipfile(file):
        raise ValueError("it is no zip file")
    with zipfile.ZipFile(file) as members:
        if _SETTINGS not in members.namelist():
            raise ValueError(f"it lacks {_SETTINGS}")
        if members.getinfo(_SETTINGS).file_size > _MOST_SETTINGS:
            raise ValueError(f"its {_SETTINGS} is too large")
        version = json.loads(members.read(_SETTINGS))["format_version"]
    if version != FORMAT_VERSION:
        raise ValueError(
            f"it has the format version {version!r}, this kerasseq reads version {FORMAT_VERSION}; "
            "a later one needs a later kerasseq"
        )
