"""`Checkpoint` under every order of calls: the best of all epochs, or a refusal before training."""

import math
import pathlib
import shutil
import tempfile

import hypothesis.strategies as st
import keras
import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from kerasseq.callbacks import Checkpoint

X = np.ones((2, 1))


class Interrupted(Exception):
    pass


def make_model():
    model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1, use_bias=False)])
    model.compile("sgd", "mse", run_eagerly=True)
    return model


def stamp_of(model):
    return model.get_weights()[0].item()


class Stamp(keras.callbacks.Callback):
    """Gives each epoch a weight of its own and the next value; may break off the last epoch."""

    def __init__(self, values, first_stamp, broken_off=None):
        super().__init__()
        self.values, self.stamp, self.broken_off = list(values), first_stamp, broken_off
        self.ended, self.begun = [], 0

    def on_train_batch_begin(self, batch, logs=None):
        self.begun += 1
        if self.broken_off == "middle" and len(self.values) == 1:
            raise Interrupted

    def on_epoch_end(self, epoch, logs=None):
        value = self.values.pop(0)
        if self.broken_off == "end" and not self.values:
            raise Interrupted
        self.model.set_weights([np.full((1, 1), float(self.stamp))])
        if value is not None:
            logs["val_bleu"] = value
        self.ended.append((value, self.stamp))
        self.stamp += 1


def best_of(epochs):
    """Return the stamp of the best of (value, stamp), looked through one after the other."""
    best, moved = None, False
    for value, stamp in epochs:
        if value is None or math.isnan(value):
            continue
        if best is None or value > best[0] or (value == best[0] and not moved):
            moved = moved or (best is not None and value != best[0])
            best = value, stamp
        else:
            moved = moved or value != best[0]
    return None if best is None else best[1]


class Orders(RuleBasedStateMachine):
    """Two `Checkpoint`s and any number of models at one folder.

    `epochs` is what the folder must hold, `known` what each `Checkpoint` has seen of it, and
    `owners` the model of each.
    """

    @initialize()
    def begin(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.epochs, self.stamp = [], 1
        self.checkpoints, self.known, self.owners = [None] * 2, [None] * 2, [None] * 2
        self.new_checkpoint(0)
        self.new_checkpoint(1)
        self.new_model()

    def teardown(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    @rule(which=st.integers(0, 1))
    def new_checkpoint(self, which):
        self.checkpoints[which] = Checkpoint(self.folder / "run")
        self.known[which], self.owners[which] = [], None

    @rule()
    def new_model(self):
        self.model = make_model()

    @rule()
    def remove_the_folder(self):
        shutil.rmtree(self.folder / "run", ignore_errors=True)
        self.epochs = []

    @rule(which=st.integers(0, 1))
    def restore(self, which):
        assert self.checkpoints[which].restore(self.model) == len(self.epochs)
        self.known[which], self.owners[which] = list(self.epochs), self.model
        if self.epochs:
            assert stamp_of(self.model) == self.epochs[-1][1]

    @rule(
        which=st.integers(0, 1),
        values=st.lists(st.sampled_from([0.0, 1.0, 2.0, math.nan]), min_size=1, max_size=3),
        begin=st.sampled_from(["zero", "done", "done", "beyond"]),
        broken_off=st.sampled_from([None, None, "middle", "end"]),
    )
    def fit(self, which, values, begin, broken_off):
        known = self.known[which]
        first = {"zero": 0, "done": len(known), "beyond": len(known) + 1}[begin]
        foreign = bool(known) and self.owners[which] is not self.model
        refused = foreign or known != self.epochs or begin == "beyond"
        stamp = Stamp(values, self.stamp, broken_off)
        callbacks = [stamp, self.checkpoints[which]]
        numbers = {"initial_epoch": first, "epochs": first + len(values)}
        try:
            self.model.fit(X, X, verbose=0, callbacks=callbacks, **numbers)
        except ValueError:
            assert refused and not stamp.begun
            return
        except Interrupted:
            assert broken_off
        assert not refused
        self.stamp = stamp.stamp
        self.epochs = self.epochs + stamp.ended
        if stamp.ended:
            self.known[which], self.owners[which] = list(self.epochs), self.model
        [last] = [f.name for f in (self.folder / "run").glob("epoch-*")] or [None]
        assert last == (f"epoch-{len(self.epochs):04}" if self.epochs else None)

    @rule(which=st.integers(0, 1))
    def load_best(self, which):
        best, model = best_of(self.epochs), self.owners[which]
        if best is None:
            with pytest.raises(FileNotFoundError):
                self.checkpoints[which].load_best()
        elif model is None:
            with pytest.raises(ValueError, match="best_model=None"):
                self.checkpoints[which].load_best()
        else:
            self.checkpoints[which].load_best()
            assert stamp_of(model) == best


def run_orders(examples, steps):
    options = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(Orders, settings=options)


@pytest.mark.filterwarnings("ignore:`val_bleu` is:UserWarning")
def test_any_order_of_calls_keeps_the_best_or_is_refused():
    run_orders(examples=12, steps=12)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:`val_bleu` is:UserWarning")
def test_many_more_orders_of_calls():
    run_orders(examples=40, steps=30)
