"""The file of a `Translator`: a zip of its model, its text processors and a format version."""

import json
import tempfile
import zipfile
from pathlib import Path

import keras

from kerasseq.text import TextProcessor

FORMAT_VERSION = 1
_SETTINGS, _MODEL, _TEXTS = "settings.json", "model.keras", ("source_text.json", "target_text.json")


def write(file, model, source_text, target_text):
    """Write the file, whole or not at all: an older one is replaced when the new one is complete.

    Args:
        file: Path of the file.
        model: A Keras model.
        source_text, target_text: The `TextProcessor` of each side.
    """
    file = Path(file)
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
    received = f"Received: file={str(file)!r}"
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
        version = json.loads(members.read(_SETTINGS)).get("format_version")
        if version != FORMAT_VERSION:
            raise ValueError(
                f"`file` must have format version {FORMAT_VERSION}; a later one needs a later "
                f"kerasseq. Received: format_version={version!r} in file={str(file)!r}"
            )
        texts = [TextProcessor.from_config(json.loads(members.read(name))) for name in _TEXTS]
        model_file = Path(folder) / _MODEL
        model_file.write_bytes(members.read(_MODEL))
        return keras.saving.load_model(model_file, safe_mode=True), *texts
