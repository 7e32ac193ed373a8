"""Training that is killed and begun again ends as if it had not been."""

import dataclasses
import json
import os
import shutil
import signal
import subprocess
import sys
import time

import keras
import numpy as np
import pytest
from support.training import PAIRS, SIZES, run, weights_of

import kerasseq
from kerasseq import callbacks, training


@pytest.fixture(scope="module")
def whole_folder(tmp_path_factory):
    return tmp_path_factory.mktemp("whole")


@pytest.fixture(scope="module")
def whole(whole_folder):
    return run(whole_folder)


@pytest.mark.slow
def test_measures_each_epoch_and_keeps_the_best(whole):
    scores = [logs["val_bleu"] for logs in whole.history]
    assert len(scores) == 3
    assert whole.best_epoch == int(np.argmax(scores))
    assert {"loss", "val_loss", "val_perplexity"} <= set(whole.history[0])
    found = whole.translator.translate([source for source, _ in PAIRS[:8]])
    score = kerasseq.bleu([one.text for one in found], [target for _, target in PAIRS[:8]]).score
    np.testing.assert_allclose(score, scores[whole.best_epoch])


@pytest.mark.slow
def test_interrupted_after_an_epoch_it_ends_with_the_same_weights(whole, tmp_path, monkeypatch):
    class Interrupt(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            if self.model.optimizer.iterations.numpy() == 6:  # in the second epoch of four steps
                raise KeyboardInterrupt

    seeds = callbacks.EpochSeeds
    monkeypatch.setattr(
        training.callbacks,
        "EpochSeeds",
        lambda seed: keras.callbacks.CallbackList([seeds(seed), Interrupt()]),
    )
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path)
    monkeypatch.setattr(training.callbacks, "EpochSeeds", seeds)
    again = run(tmp_path)
    assert [logs["loss"] for logs in again.history] == [logs["loss"] for logs in whole.history]
    for one, other in zip(weights_of(whole), weights_of(again), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.fixture
def finished(whole_folder, whole, tmp_path):
    """A copy of the folder of a run that is over."""
    shutil.copytree(whole_folder / "checkpoint", tmp_path / "checkpoint")
    return tmp_path


@pytest.mark.slow
def test_what_is_finished_is_not_trained_again(whole, finished, monkeypatch):
    monkeypatch.setattr(keras.Model, "fit", None)  # whoever calls it fails
    again = run(finished)
    for one, other in zip(weights_of(whole), weights_of(again), strict=True):
        np.testing.assert_array_equal(one, other)
    assert again.history == whole.history


@pytest.mark.slow
def test_other_settings_are_refused(finished):
    with pytest.raises(ValueError, match=r"other settings.*learning_rate=0.5 \(was 0.02\)"):
        run(finished, learning_rate=0.5)
    with pytest.raises(ValueError, match=r"Received: train="):
        training.train_translator(PAIRS[:32], PAIRS[:8], finished, epochs=3, **SIZES)
    with pytest.raises(ValueError, match=r"Received: validation="):
        training.train_translator(PAIRS, PAIRS[:7], finished, epochs=3, **SIZES)
    with pytest.raises(ValueError, match=r"Received: target_language='fr' \(was None\)"):
        run(finished, target_language="fr")


def test_a_joint_vocabulary_is_one_processor():
    sides = list(zip(*PAIRS, strict=True))
    options = training.TrainingOptions(level="subword", vocab_size=290)
    source, target = training._learn_texts(sides, options)
    assert source is target
    source, target = training._learn_texts(
        sides, training.TrainingOptions(level="word", vocab_size=290, joint=False)
    )
    assert source is not target and len(source) == len(target) == 16


def test_an_unknown_option_is_named(tmp_path):
    with pytest.raises(ValueError, match="learning_rat"):
        run(tmp_path, learning_rat=1)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("learning_rate", -1),
        ("learning_rate", "x"),
        ("clipnorm", 0),
        ("warmup_steps", -5),
        ("joint", "yes"),
        ("jit_compile", "yes"),
        ("epochs", 0),
        ("epochs", 1.5),
        ("average", 1.0),
    ],
)
def test_an_option_that_does_not_fit_is_refused(tmp_path, option, value):
    with pytest.raises(ValueError, match=f"Received: {option}={value!r}"):
        run(tmp_path, **{option: value})


def test_numbers_of_numpy_are_numbers():
    options = training.TrainingOptions(units=np.int64(8), dropout=np.float64(0.5))
    expected = dataclasses.asdict(training.TrainingOptions()) | {"units": 8, "dropout": 0.5}
    assert json.loads(json.dumps(dataclasses.asdict(options))) == expected


def test_the_run_folder_must_be_a_folder(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        run(tmp_path / "file")
    with pytest.raises(ValueError, match="`run_dir` must be a path"):
        run(None)


@pytest.mark.slow
def test_it_stops_when_bleu_gets_no_better(tmp_path, monkeypatch):
    scores = iter([3.0, 2.0, 3.0, 9.0])
    monkeypatch.setattr(
        callbacks.BleuScore, "record", lambda self, epoch, logs: logs.update(val_bleu=next(scores))
    )
    trained = run(tmp_path, epochs=9, patience=2)
    assert len(trained.history) == 3 and trained.best_epoch == 0


@pytest.mark.slow
def test_when_bleu_never_moves_it_says_so_and_takes_the_latest_epoch(tmp_path):
    # A learning rate of nearly nothing.
    with pytest.warns(UserWarning, match=r"`val_bleu` is [\d.]+ after each epoch so far"):
        trained = run(tmp_path, epochs=4, learning_rate=1e-9, patience=2)
    assert len(trained.history) == 4 and trained.best_epoch == 3


_KILLED = """
import sys
sys.path.insert(0, sys.argv[2])
from support import training
trained = training.run(sys.argv[1], epochs=40, dropout=0.2)
import numpy as np
np.savez(sys.argv[1] + "/weights.npz", *training.weights_of(trained))
"""


@pytest.mark.slow
def test_kill_9_in_the_middle(tmp_path):
    """The same command again ends with the weights of a run that was never killed."""

    def start(folder):
        command = [sys.executable, "-c", _KILLED, str(folder), os.path.dirname(__file__)]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    whole, killed = tmp_path / "whole", tmp_path / "killed"
    assert start(whole).wait() == 0
    process = start(killed)
    while not list(killed.glob("checkpoint/epoch-000[3-9]")):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (killed / "weights.npz").exists()
    assert start(killed).wait() == 0
    with np.load(whole / "weights.npz") as one, np.load(killed / "weights.npz") as other:
        for name in one:
            np.testing.assert_array_equal(one[name], other[name])
    logs = [
        json.loads(next(run.glob("checkpoint/epoch-*/training.json")).read_text())
        for run in (whole, killed)
    ]
    assert logs[0]["history"] == logs[1]["history"]
