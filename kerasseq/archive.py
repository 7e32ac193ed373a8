"""The file of a `Translator`: a zip of its model, its text processors and a format version."""

import json
import tempfile
import zipfile
from pathlib import Path

import keras

from kerasseq.text import TextProcessor
from kerasseq.text_arguments import path

FORMAT_VERSION = 1
_SETTINGS, _MODEL, _TEXTS = "settings.json", "model.keras", ("source_text.json", "target_text.json")
_WHOLE = "`file` must be whole, as Translator.save wrote it."


def write(file, model, source_text, target_text):
    """Write the file, whole or not at all: an older one is replaced when the new one is complete.

    Args:
        file: Path of the file.
        model: A Keras model.
        source_text, target_text: The `TextProcessor` of each side.

    Raises:
        FileNotFoundError: If the folder does not exist.
        ValueError: If `file` is no path, or that of a folder.
    """
    file = Path(path("file", file))
    if file.is_dir():
        raise ValueError(f"`file` must be a file, not a folder. Received: file={str(file)!r}")
    if not file.parent.is_dir():
        raise FileNotFoundError(
            f"There is no folder {file.parent.absolute()}. Received: file={str(file)!r}"
        )
    with tempfile.TemporaryDirectory(dir=file.parent) as folder:
        model_file, archive = Path(folder) / _MODEL, Path(folder) / "archive"
        model.save(model_file)
        with zipfile.ZipFile(archive, "w") as members:
            members.writestr(_SETTINGS, json.dumps({"format_version": FORMAT_VERSION}))
            for name, text in zip(_TEXTS, (source_text, target_text), strict=True):
                members.writestr(name, json.dumps(text.get_config(), ensure_ascii=False))
            members.write(model_file, _MODEL)
        archive.replace(file)


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
    if not zipfile.is_zipfile(file):
        raise ValueError(f"`file` must come from Translator.save. {received}")
    with zipfile.ZipFile(file) as members, tempfile.TemporaryDirectory() as folder:
        missing = {_SETTINGS, _MODEL, *_TEXTS} - set(members.namelist())
        if missing:
            lacking = ", ".join(sorted(missing))
            raise ValueError(
                f"`file` must come from Translator.save; it lacks {lacking}. {received}"
            )
        try:
            version = json.loads(members.read(_SETTINGS))["format_version"]
            contents = {name: members.read(name) for name in (_MODEL, *_TEXTS)}
        except (KeyError, TypeError, ValueError, zipfile.BadZipFile) as error:
            raise ValueError(f"{_WHOLE} {received}") from error
        if version != FORMAT_VERSION:
            raise ValueError(
                f"`file` must have format version {FORMAT_VERSION}; a later one needs a later "
                f"kerasseq. Received: format_version={version!r} in file={file!r}"
            )
        model_file = Path(folder) / _MODEL
        model_file.write_bytes(contents[_MODEL])
        try:
            texts = [TextProcessor.from_config(json.loads(contents[name])) for name in _TEXTS]
            _ = [len(text) for text in texts]  # refuses one without a vocabulary
            return keras.saving.load_model(model_file, safe_mode=True), *texts
        except (AttributeError, KeyError, OSError, TypeError, ValueError) as error:
            raise ValueError(f"{error}\n{_WHOLE} {received}") from error
