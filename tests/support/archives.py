"""Files of translators, and how to change what is in them."""

import zipfile

import pytest

from kerasseq import TextProcessor, Translator, build_attention_seq2seq, build_seq2seq


def small():
    text = TextProcessor().adapt(["a b c"])
    return Translator(build_seq2seq(7, 7, embedding_dim=4, units=4), text, text)


def rewritten(path, **changed):
    """The archive at `path` with members replaced, or removed where None."""
    with zipfile.ZipFile(path) as members:
        contents = {name: members.read(name) for name in members.namelist()} | changed
    other = path.with_name("other.kerasseq")
    with zipfile.ZipFile(other, "w") as members:
        for name, content in contents.items():
            if content is not None:
                members.writestr(name, content)
    return other


def refused(file, message):
    """Loading fails fast with one sentence that holds `message` and names the file."""
    with pytest.raises(ValueError, match=message) as caught:
        Translator.load(file)
    text = str(caught.value)
    assert text.startswith("`file` must be a file that Translator.save wrote, but ")
    assert text.endswith(f"Received: file={str(file)!r}") and "\n" not in text


def attending():
    """A translator with attention."""
    text = TextProcessor().adapt(["a b c"])
    return Translator(build_attention_seq2seq(7, 7, embedding_dim=4, units=4), text, text)
