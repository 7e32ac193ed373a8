import json
import math
import types

import keras
import numpy as np
import pytest
import tensorflow as tf

from kerasseq.callbacks import AverageWeights, Checkpoint, EpochSeeds
from kerasseq.data import BatchPlan

X, Y = np.random.default_rng(0).normal(size=(2, 32, 3))


def make_model(**optimizer):
    keras.utils.set_random_seed(0)
    layers = [keras.Input((3,)), keras.layers.Dense(3), keras.layers.Dropout(0.5)]
    model = keras.Sequential(layers)
    model.compile(keras.optimizers.Adam(0.1, **optimizer), "mse", jit_compile=False)
    return model


class Say(keras.callbacks.Callback):
    """Puts given numbers into the logs."""

    def __init__(self, values, name="val_bleu"):
        super().__init__()
        self.values, self.name = values, name

    def on_epoch_end(self, epoch, logs=None):
        if self.values[epoch] is not None:
            logs[self.name] = self.values[epoch]


def fit(model, callbacks, epochs, **options):
    model.fit(X, Y, epochs=epochs, verbose=0, shuffle=False, callbacks=callbacks, **options)


def judge(values, folder, **options):
    """Return a `Checkpoint` after a fit that measured the values, and the weights of each epoch."""
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(3)])
    model.compile("sgd", "mse", run_eagerly=True)
    checkpoint, kept = Checkpoint(folder, **options), []

    class Keep(keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            kept.append(self.model.get_weights()[0])

    fit(model, [Say(values), Keep(), checkpoint], len(values))
    return checkpoint, kept


def test_it_goes_on_as_if_nothing_had_been(tmp_path):
    # The best weights are those of the first epoch, and not what the next one begins with.
    whole = make_model()
    fit(whole, [EpochSeeds(3), Say([3, 2, 1, 0]), Checkpoint(tmp_path / "a")], 4)

    half = make_model()
    fit(half, [EpochSeeds(3), Say([3, 2, 1, 0]), Checkpoint(tmp_path / "b")], 2)
    rest, checkpoint = make_model(), Checkpoint(tmp_path / "b")
    done = checkpoint.restore(rest)
    assert done == 2 and len(checkpoint.history) == 2
    fit(rest, [EpochSeeds(3), Say([3, 2, 1, 0]), checkpoint], 4, initial_epoch=done)
    for one, other in zip(whole.get_weights(), rest.get_weights(), strict=True):
        np.testing.assert_array_equal(one, other)
    assert int(rest.optimizer.iterations) == 4


@pytest.mark.parametrize("seed", [3, 4])
def test_dropout_is_a_function_of_seed_and_epoch(seed):
    model, states = make_model(), []

    class Look(keras.callbacks.Callback):
        def on_train_batch_begin(self, batch, logs=None):
            if batch == 0:
                [state] = [v for v in self.model.variables if "seed_generator" in v.path]
                states.append(state.numpy().tolist())

    fit(model, [EpochSeeds(seed), Look()], 3)
    begun = list(states)
    fit(model, [EpochSeeds(seed), Look()], 3, initial_epoch=1)
    assert states[3:] == begun[1:]
    assert len({tuple(state) for state in begun}) == 3
    states.clear()
    fit(model, [EpochSeeds(seed + 1), Look()], 1)
    assert states[0] != begun[0]


def test_the_order_of_the_batches_goes_on(tmp_path):
    fit(make_model(), [Say(range(2)), Checkpoint(tmp_path)], 2)
    batches = types.SimpleNamespace(plan=types.SimpleNamespace(epoch=0))
    Checkpoint(tmp_path).restore(make_model(), batches)
    assert batches.plan.epoch == 2


def test_the_best_weights_are_kept(tmp_path):
    model, checkpoint = make_model(), Checkpoint(tmp_path, patience=2)
    kept = []

    class Keep(keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            kept.append(self.model.get_weights())

    checkpoint.restore(model)
    fit(model, [Say([1, 5, 5, 4, 9]), Keep(), checkpoint], 5)
    assert len(kept) == 4  # two measurements without a better one
    assert checkpoint.best_epoch == 1 and checkpoint.is_over
    checkpoint.load_best()
    for one, other in zip(kept[1], model.get_weights(), strict=True):
        np.testing.assert_array_equal(one, other)
    again = Checkpoint(tmp_path, patience=2)
    assert again.restore(make_model()) == 4 and again.is_over
    assert Checkpoint(tmp_path, patience=3).restore(make_model()) == 4


@pytest.mark.slow
def test_less_can_be_better(tmp_path):
    checkpoint = Checkpoint(tmp_path, monitor="loss", mode="min")
    model = make_model()
    fit(model, [checkpoint], 3)
    losses = [logs["loss"] for logs in checkpoint.history]
    assert checkpoint.best_epoch == int(np.argmin(losses))


def test_epochs_without_a_measurement_do_not_count(tmp_path):
    checkpoint = Checkpoint(tmp_path, patience=1)
    fit(make_model(), [Say([3, None, None, 2, 1]), checkpoint], 5)
    assert len(checkpoint.history) == 4 and checkpoint.best_epoch == 0


def test_one_whole_epoch_lies_in_the_folder(tmp_path):
    fit(make_model(), [Say(range(3)), Checkpoint(tmp_path)], 3)
    [folder] = tmp_path.iterdir()
    assert folder.name == "epoch-0003"
    names = {file.name for file in folder.iterdir()}
    assert names == {"state.weights.h5", "best.weights.h5", "training.json"}


def test_an_unfinished_epoch_is_not_seen(tmp_path):
    fit(make_model(), [Say(range(2)), Checkpoint(tmp_path)], 1)
    (tmp_path / "unfinished").mkdir()
    (tmp_path / "unfinished" / "state.weights.h5").write_bytes(b"half")
    model, checkpoint = make_model(), Checkpoint(tmp_path)
    assert checkpoint.restore(model) == 1
    fit(model, [Say(range(2)), checkpoint], 2, initial_epoch=1)
    assert [file.name for file in tmp_path.iterdir()] == ["epoch-0002"]


def test_nothing_to_go_on_from(tmp_path):
    checkpoint = Checkpoint(tmp_path / "new")
    assert checkpoint.restore(make_model()) == 0
    with pytest.raises(FileNotFoundError, match="no best weights"):
        checkpoint.load_best()


def test_other_settings_are_named(tmp_path):
    fit(make_model(), [Say([1]), Checkpoint(tmp_path, settings={"units": 3, "seed": 0})], 1)
    with pytest.raises(ValueError, match=r"Received: units=4 \(was 3\)$"):
        Checkpoint(tmp_path, settings={"units": 4, "seed": 0}).restore(make_model())


def test_a_measurement_that_never_comes_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"monitor='val_bleu', logs=\['loss'\]"):
        fit(make_model(), [Checkpoint(tmp_path)], 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mode": "most"}, "mode='most'"),
        ({"patience": 0}, "patience=0"),
        ({"folder": 3}, "folder=3"),
    ],
)
def test_impossible_arguments(tmp_path, options, message):
    with pytest.raises(ValueError, match=message):
        Checkpoint(**{"folder": tmp_path} | options)


def test_the_average_is_that_of_the_optimizer():
    model = make_model(use_ema=True, ema_momentum=0.9)
    averaged = keras.models.clone_model(model)
    steps = []

    class Keep(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            steps.append([weight.numpy() for weight in self.model.trainable_variables])

    seen = []

    class Look(keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            seen.append([weight.numpy() for weight in averaged.trainable_variables])

    fit(model, [Keep(), AverageWeights(averaged), Look()], 3, batch_size=8)
    expected = steps[0]
    for step in steps[1:]:
        pairs = zip(expected, step, strict=True)
        expected = [0.9 * average + 0.1 * weight for average, weight in pairs]
    for one, other in zip(expected, seen[-1], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)


def test_the_averaged_model_has_what_is_not_trained_too():
    layers = [keras.layers.Dense(3), keras.layers.BatchNormalization(), keras.layers.Dense(3)]
    model = keras.Sequential([keras.Input((3,)), *layers])
    averaged = keras.models.clone_model(model)
    for frozen in (True, False):
        layers[0].trainable = not frozen
        optimizer = keras.optimizers.Adam(0.1, use_ema=True)
        model.compile(optimizer, "mse", jit_compile=False)
        fit(model, [AverageWeights(averaged)], 1)  # at its end Keras averages the model itself
        for one, other in zip(model.get_weights(), averaged.get_weights(), strict=True):
            np.testing.assert_array_equal(one, other)


def test_an_average_needs_an_optimizer_that_keeps_it():
    model = make_model()
    with pytest.raises(ValueError, match="use_ema=True"):
        fit(model, [AverageWeights(keras.models.clone_model(model))], 1)
    other = keras.Sequential([keras.Input((3,)), keras.layers.Dense(4)])
    with pytest.raises(ValueError, match=r"Received: \[\(3, 4\), \(4,\)\] instead of"):
        fit(make_model(use_ema=True), [AverageWeights(other)], 1)


@pytest.mark.parametrize(
    ("values", "best"),
    [
        ([0, 0, 0], 2),
        ([0, 0, -1, 0], 1),
        ([0, 0, 7, 7], 2),
        ([math.nan, 3, 2], 1),
        ([3, math.nan, 3], 2),
        ([3, 5, math.nan], 1),
    ],
)
@pytest.mark.filterwarnings("ignore:`val_bleu` is:UserWarning")
def test_the_best_is_the_first_of_the_greatest_once_they_differ(tmp_path, values, best):
    checkpoint, kept = judge(values, tmp_path)
    assert checkpoint.best_epoch == best
    checkpoint.load_best()
    np.testing.assert_array_equal(checkpoint.model.get_weights()[0], kept[best])


def test_patience_waits_until_a_measurement_moves(tmp_path):
    with pytest.warns(UserWarning, match="`val_bleu` is 0.0 after each epoch so far") as warned:
        checkpoint, _ = judge([0, 0, 0, 0, 5, 4, 9], tmp_path, patience=1)
    assert len(checkpoint.history) == 6 and checkpoint.best_epoch == 4
    assert len([one for one in warned if "val_bleu" in str(one.message)]) == 1


def test_nan_is_never_best_and_patience_counts_it(tmp_path):
    checkpoint, _ = judge([math.nan] * 4, tmp_path, patience=3)
    assert len(checkpoint.history) == 3 and checkpoint.best_epoch is None and checkpoint.is_over
    with pytest.raises(FileNotFoundError, match="no best weights"):
        checkpoint.load_best()


@pytest.mark.parametrize(
    ("other", "change"),
    [
        ({"monitor": "loss"}, r"monitor='loss' \(was 'val_bleu'\)"),
        ({"mode": "min"}, r"mode='min' \(was 'max'\)"),
    ],
)
def test_the_best_by_another_measurement_is_not_taken_over(tmp_path, other, change):
    judge([1, 2], tmp_path)
    with pytest.raises(ValueError, match=f"Received: {change}$"):
        Checkpoint(tmp_path, **other).restore(make_model())


def test_a_used_folder_is_refused_before_training(tmp_path):
    judge([1], tmp_path)
    with pytest.raises(ValueError, match=r"call `restore`.*or remove.*1 epochs instead of 0$"):
        judge([1], tmp_path)


def test_another_run_that_writes_into_the_folder_is_noticed(tmp_path):
    class Other(keras.callbacks.Callback):
        def on_train_begin(self, logs=None):
            judge([3], tmp_path)

    model, checkpoint = make_model(), Checkpoint(tmp_path)
    with pytest.raises(ValueError, match="holds the epochs of another run"):
        fit(model, [Say([1]), checkpoint, Other()], 1)
    assert [file.name for file in tmp_path.iterdir()] == ["epoch-0001"]


def test_another_model_is_refused_before_training(tmp_path):
    checkpoint, _ = judge([1], tmp_path)
    with pytest.raises(ValueError, match="belong to another model: call `restore`"):
        fit(make_model(), [Say([1, 2]), checkpoint], 2, initial_epoch=1)


def test_an_epoch_that_the_folder_lacks_is_refused(tmp_path):
    with pytest.raises(
        ValueError, match=r"`initial_epoch` must be .*0. Received: initial_epoch=2$"
    ):
        fit(make_model(), [Say(range(3)), Checkpoint(tmp_path)], 3, initial_epoch=2)


def test_the_best_weights_need_a_model(tmp_path):
    judge([1], tmp_path)
    with pytest.raises(ValueError, match=r"or `fit` first\. Received: best_model=None"):
        Checkpoint(tmp_path).load_best()


def test_a_model_that_is_not_compiled_cannot_be_restored(tmp_path):
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(3)])
    with pytest.raises(ValueError, match="`model` must be compiled"):
        Checkpoint(tmp_path).restore(model)


def test_after_the_folder_is_removed_restore_begins_anew(tmp_path):
    checkpoint, _ = judge([1, 2], tmp_path / "run")
    (tmp_path / "run").rename(tmp_path / "elsewhere")
    assert checkpoint.restore(make_model()) == 0
    assert checkpoint.history == []


def test_a_damaged_epoch_is_written_over(tmp_path):
    checkpoint, _ = judge([1, 2], tmp_path)
    (tmp_path / "epoch-0003").mkdir()
    (tmp_path / "epoch-0003" / "training.json").write_text("{")
    fit(checkpoint.model, [Say([3]), checkpoint], 1)
    assert [file.name for file in tmp_path.iterdir()] == ["epoch-0003"]


def test_the_newest_epoch_is_not_the_last_by_name(tmp_path):
    for number in (9999, 10000):
        folder = tmp_path / f"epoch-{number:04}"
        folder.mkdir()
        log = {"settings": {}, "history": [{"val_bleu": 1}] * number}
        (folder / "training.json").write_text(json.dumps(log))
    assert Checkpoint(tmp_path)._last()[0].name == "epoch-10000"


def make_plan(batches=4):
    return BatchPlan(np.full(batches, 5), np.full(batches, 5), 1, 0, True, 1, {})


@pytest.mark.parametrize("make", [EpochSeeds, None], ids=["EpochSeeds", "Checkpoint"])
def test_an_epoch_is_trained_in_its_own_order(tmp_path, make):
    plan, model, orders = make_plan(), make_model(), []
    batches = types.SimpleNamespace(plan=plan)
    if make:
        callback = make(3, batches)
    else:
        callback = Checkpoint(tmp_path)
        callback.restore(model, batches)

    class Look(keras.callbacks.Callback):
        def on_epoch_begin(self, epoch, logs=None):
            orders.append(plan.epoch)
            plan.epoch = 9

    fit(model, [Say([0, 1, 2]), callback, Look()], 3, batch_size=8)
    assert orders == [0, 1, 2]


def test_an_epoch_that_is_no_pass_over_the_batches_is_refused():
    seeds = EpochSeeds(3, types.SimpleNamespace(plan=make_plan()))
    with pytest.raises(ValueError, match=r"4 steps.*no `steps_per_epoch`. Received: steps=3$"):
        fit(make_model(), [seeds], 1, batch_size=8, steps_per_epoch=3)


@pytest.mark.parametrize("use", ["EpochSeeds", "restore"])
def test_batches_without_a_plan_are_refused(tmp_path, use):
    batches, checkpoint = tf.data.Dataset.range(3), Checkpoint(tmp_path)
    with pytest.raises(
        ValueError, match="`batches` must be the dataset that `make_batches` returned"
    ):
        EpochSeeds(3, batches) if use == "EpochSeeds" else checkpoint.restore(make_model(), batches)


def test_a_seed_is_a_whole_number():
    with pytest.raises(ValueError, match="seed=-1"):
        EpochSeeds(-1)


@pytest.mark.parametrize("damage", ["", "{}", "[]", '{"settings": {'])
def test_a_damaged_epoch_is_passed_over(tmp_path, damage):
    fit(make_model(), [Say(range(2)), Checkpoint(tmp_path)], 2)
    (tmp_path / "epoch-0003").mkdir()
    (tmp_path / "epoch-0003" / "training.json").write_text(damage)
    (tmp_path / "epoch-0004").mkdir()
    (tmp_path / "epoch-notes.txt").touch()
    assert Checkpoint(tmp_path).restore(make_model()) == 2


def test_damaged_weights_are_named(tmp_path):
    fit(make_model(), [Say(range(2)), Checkpoint(tmp_path)], 2)
    for name, method in (("state", "restore"), ("best", "load_best")):
        file = tmp_path / "epoch-0002" / f"{name}.weights.h5"
        whole = file.read_bytes()
        file.write_bytes(whole[:100])
        checkpoint = Checkpoint(tmp_path, best_model=make_model())
        with pytest.raises(ValueError, match=f"{name}.weights.h5 is damaged: remove"):
            getattr(checkpoint, method)(*[make_model()] * (method == "restore"))
        file.write_bytes(whole)
