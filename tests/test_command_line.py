"""`python -m kerasseq`: files and pipes."""

import dataclasses
import json
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import kerasseq
from kerasseq import __main__ as command_line
from kerasseq import training

WORDS = "eins zwei drei vier"
LINES = ["eins zwei", "", "drei\x0cvier", "unbekannt é", "  ", "eins\u2028zwei drei"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder of parallel text, the translator that `train` makes of it, and another."""
    folder = tmp_path_factory.mktemp("corpus")
    sources = [f"{a} {b} zwei {b} {a}" for a in WORDS.split() for b in WORDS.split()]
    for split in ("train", "val", "test"):
        (folder / f"{split}.de").write_text("\n".join(sources) + "\n")
        (folder / f"{split}.en").write_text("\n".join(sources[::-1]) + "\n")
    command_line.main(
        f"train --dataset {folder} --source de --target en --model {folder}/m.kerasseq "
        f"--run-dir {folder}/run --level word --no-joint --embedding-dim 8 --units 8 --epochs 1 "
        "--average 0.5".split()
    )
    text = kerasseq.TextProcessor().adapt([WORDS])
    model = kerasseq.build_attention_seq2seq(8, 8, embedding_dim=6, units=8)
    rng = np.random.default_rng(2)
    model.set_weights([rng.normal(0, 1, weight.shape) for weight in model.get_weights()])
    bias = model.get_layer("logits").bias
    bias.assign(np.where(np.arange(8) == 3, -9.0, bias))  # it does not end at once
    kerasseq.Translator(model, text, text).save(folder / "random.kerasseq")
    return folder


def test_train_saves_what_train_translator_makes(folder):
    [log] = (folder / "run" / "checkpoint").glob("epoch-*/training.json")
    settings = json.loads(log.read_text())["settings"]
    given = {"level": "word", "joint": False, "units": 8, "epochs": 1}
    assert given.items() <= settings.items()
    translator = kerasseq.Translator.load(folder / "m.kerasseq")
    assert len(translator.source_text) == 8


@pytest.fixture(scope="module")
def piped(folder):
    """What `translate` answers to LINES over a pipe."""
    command = f"{sys.executable} -m kerasseq translate --model {folder}/random.kerasseq"
    done = subprocess.run(
        command.split(), input="".join(line + "\n" for line in LINES).encode(), capture_output=True
    )
    assert done.returncode == 0, done.stderr.decode()
    assert b"lines" not in done.stderr  # no progress where there is no terminal
    return done.stdout.decode()


@pytest.mark.slow
def test_translate_keeps_the_count_of_lines(folder, piped):
    assert piped.endswith("\n")
    answers = piped.removesuffix("\n").split("\n")
    translator = kerasseq.Translator.load(folder / "random.kerasseq")
    expected = translator.translate(LINES, beam_width=5, length_penalty=1.0)
    assert answers == [one.text for one in expected]
    assert answers[1] == answers[4] == "" and len(set(answers)) > 3


@pytest.mark.slow
def test_translate_answers_line_by_line(folder):
    command = (
        f"{sys.executable} -m kerasseq translate --model {folder}/random.kerasseq --unbuffered"
    )
    with subprocess.Popen(
        command.split(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        for line in LINES[:3]:
            process.stdin.write(line.encode() + b"\n")
            process.stdin.flush()
            assert process.stdout.readline().endswith(b"\n")  # before the next is there
        process.stdin.close()
        assert process.wait() == 0


def test_an_empty_input_gives_an_empty_output(folder, monkeypatch, capfdbinary):
    import io

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    command_line.main(["translate", "--model", f"{folder}/random.kerasseq"])
    assert capfdbinary.readouterr().out == b""


@pytest.mark.slow
def test_a_reader_that_has_enough_ends_it_quietly(folder, tmp_path):
    (tmp_path / "many").write_text("eins zwei\n" * 4000)
    command = (
        f"{sys.executable} -m kerasseq translate --model {folder}/random.kerasseq --beam-width 1 "
        f"--batch-size 4 < {tmp_path}/many | head -1"
    )
    done = subprocess.run(command, shell=True, capture_output=True)
    assert done.stdout.count(b"\n") == 1 and b"Broken pipe" not in done.stderr


def test_a_byte_order_mark_is_no_text(folder, tmp_path, capsys):
    text = (folder / "test.en").read_bytes()
    (tmp_path / "bom").write_bytes(b"\xef\xbb\xbf" + text)
    command_line.main(f"evaluate {tmp_path}/bom --references {folder}/test.en".split())
    assert "BLEU 100.00" in capsys.readouterr().out


def test_evaluate_prints_both_scores_and_their_signatures(folder, capsys):
    command_line.main(
        f"evaluate {folder}/test.en --references {folder}/test.en --language en".split()
    )
    out = capsys.readouterr().out
    assert "BLEU 100.00 (nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:" in out
    assert "chrF 100.00 (nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:" in out
    assert "bootstrap" not in out


def test_evaluate_compares_two(folder, capsys):
    references = folder / "test.en"
    command_line.main(f"evaluate {folder}/test.de {references} --references {references}".split())
    out = capsys.readouterr().out.splitlines()
    assert next(line for line in out if line.startswith("  BLEU +")).endswith("p = 0.001")
    command_line.main(f"evaluate {references} {folder}/val.en --references {references}".split())
    assert "BLEU +0.00, p = 1.000" in capsys.readouterr().out


def test_lines_end_only_at_line_feeds(tmp_path, capsys):
    (tmp_path / "a").write_bytes("one\rtwo\x0c\u2028three\r\n\nfour".encode())
    (tmp_path / "b").write_bytes(b"one\n\nfour\n")
    command_line.main(["evaluate", str(tmp_path / "a"), "--references", str(tmp_path / "b")])
    assert "BLEU" in capsys.readouterr().out  # three lines each


def test_evaluate_names_a_line_that_is_not_utf_8(tmp_path):
    (tmp_path / "a").write_bytes(b"one\n\xe9t\xe9\n")
    with pytest.raises(SystemExit, match=r"must be UTF-8.*line 2"):
        command_line.main(["evaluate", str(tmp_path / "a"), "--references", str(tmp_path / "a")])


def test_evaluate_reads_compressed_files_and_any_language(tmp_path, capsys):
    import gzip

    (tmp_path / "a.gz").write_bytes(gzip.compress("วันนี้อากาศร้อนมาก\n".encode()))
    (tmp_path / "b").write_text("วันนี้อากาศร้อนมาก\n", "utf-8")
    command = f"evaluate {tmp_path}/a.gz --references {tmp_path}/b"
    for language in ("", " --language tha"):
        command_line.main((command + language).split())
        assert "BLEU 100.00 (nrefs:1|case:mixed|eff:no|tok:char" in capsys.readouterr().out


def test_a_line_with_odd_ends_is_translated_whole(monkeypatch, capfdbinary):
    import io

    class Fake:
        def translate(self, texts, **options):
            return [SimpleNamespace(text=f"{text}!\r\n?") for text in texts]

    monkeypatch.setattr(command_line.Translator, "load", lambda file: Fake())
    lines = b"\xef\xbb\xbfone\rtwo\r\n\x0c\xff\nlast"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines)))
    command_line.main(["translate", "--model", "x"])
    expected = ["one two! ?", "\x0c\ufffd! ?", "last! ?"]
    assert capfdbinary.readouterr().out.decode() == "".join(f"{line}\n" for line in expected)


@pytest.mark.slow
def test_train_into_a_language_without_a_code_of_two_letters(tmp_path):
    for code in ("de", "ceb"):
        for split in ("train", "val"):
            (tmp_path / f"{split}.{code}").write_text("eins zwei drei vier\n" * 4, "utf-8")
    command_line.main(
        f"train --dataset {tmp_path} --source de --target ceb --model {tmp_path}/m.kerasseq "
        f"--run-dir {tmp_path}/run --level word --embedding-dim 4 --units 4 --epochs 1".split()
    )
    assert (tmp_path / "m.kerasseq").exists()


@pytest.mark.slow
def test_export_writes_a_saved_model(folder):
    import tensorflow as tf

    command_line.main(
        ["export", "--model", f"{folder}/random.kerasseq", "--folder", f"{folder}/saved"]
    )
    loaded = tf.saved_model.load(f"{folder}/saved")
    [expected] = kerasseq.Translator.load(folder / "random.kerasseq").translate("eins zwei")
    assert loaded.greedy(tf.constant(["eins zwei"]))["texts"].numpy()[0].decode() == expected.text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("translate --model missing", "kerasseq translate: `file` does not exist"),
        ("export --model missing --folder x", "kerasseq export: `file` does not exist"),
        ("evaluate missing --references missing", "kerasseq evaluate: .*missing"),
        (
            "train --dataset missing/ --source de --target en",
            "kerasseq train: `dataset` does not exist",
        ),
        (
            "train --dataset {0} --source de --target en --model {0}/no/m",
            "The folder of `file` does not exist",
        ),
        ("train --dataset {0} --source de --target en --model .", "must be a file, not a folder"),
        ("translate --model {0}/random.kerasseq --batch-size 0", "batch_size=0"),
        ("export --model {0}/random.kerasseq --folder {0}/test.en", "`folder` must be a folder"),
        ("train --dataset {0} --source de --target en --dropout 2 --level word", "dropout=2"),
        ("translate --model {0}/random.kerasseq --beam-width 0", "beam_width=0"),
    ],
)
def test_what_does_not_fit_ends_with_one_sentence(folder, arguments, message, monkeypatch):
    import io

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a\n")))
    monkeypatch.chdir(folder)
    with pytest.raises(SystemExit, match=message) as caught:
        command_line.main(arguments.format(folder).split())
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("command", ["train", "translate", "evaluate", "export"])
def test_help_has_an_example(command, capsys):
    with pytest.raises(SystemExit) as caught:
        command_line.main([command, "--help"])
    assert caught.value.code == 0
    assert f"Example: {command} " in capsys.readouterr().out


def test_train_has_every_option_of_train_translator(capsys):
    with pytest.raises(SystemExit):
        command_line.main(["train", "--help"])
    out = " ".join(capsys.readouterr().out.split())
    for name, default in dataclasses.asdict(training.TrainingOptions()).items():
        assert "--" + name.replace("_", "-") in out and f"(default: {default})" in out


def test_long_lines_are_read_a_few_at_a_time():
    lines = ["a"] * 5 + ["b" * 3000, "c", "d"]
    chunks = list(command_line._chunks(iter(lines), 4))
    assert [len(chunk) for chunk in chunks] == [4, 2, 2]
    assert [line for chunk in chunks for line in chunk] == lines
    assert list(command_line._chunks(iter([]), 4)) == []
