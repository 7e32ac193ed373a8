"""Training that a power cut cannot spoil, and the best weights of it."""

import json
import os
import shutil
import warnings
from pathlib import Path

import keras

from kerasseq.callbacks.best import find_best
from kerasseq.callbacks.order import begin_epoch, plan_of
from kerasseq.checks import check_one_of, check_path, check_positive_integer

_STATE, _BEST, _LOG = "state.weights.h5", "best.weights.h5", "training.json"


class Checkpoint(keras.callbacks.Callback):
    """Keeps what the next epoch depends on, and the best weights; stops when they get no better.

    After each epoch it writes `<folder>/epoch-<number>` whole or not at all, and removes the one
    before: weights and optimizer, the best weights so far, and the logs. However training is ended,
    `restore` goes on behind the last whole epoch. Together with `EpochSeeds` and the batches of
    `kerasseq.make_batches` the weights become those of a run that was never interrupted. Stands
    last, behind the callback that measures `monitor`.

    One folder holds one run of one model. Another `fit` with the same object goes on with it: the
    epochs count on, and the best is that of all. Dropout, too, is then that of one long run if
    `initial_epoch` is the number of epochs done. The first of equal values is the best, and NaN
    never is. Until a measurement moves it tells nothing: the latest epoch counts as the best,
    patience waits, and a warning says so.

    Args:
        folder: Where to keep it. It is made if need be.
        best_model: The model whose weights to keep when they are the best; by default the one in
            training.
        monitor: The name in `logs` to judge by. Epochs without it are neither better nor worse.
        mode: `"max"` if more is better, or `"min"`.
        patience: Stop after so many measurements without a better one. None never stops.
        settings: Dict of whatever the run depends on, which JSON can hold. `restore` refuses to go
            on with another.

    Raises:
        ValueError: If an argument does not fit; when training begins, if the folder holds epochs
            that were not restored, the model is another than before, or `initial_epoch` lies
            beyond the epochs done; when an epoch ends, if nothing was ever measured under the name
            `monitor`, or somebody else has written to the folder.

    Example:
        >>> checkpoint = Checkpoint("runs/1", monitor="loss", mode="min")
        >>> done = checkpoint.restore(model, batches)
        >>> history = model.fit(batches, epochs=3, initial_epoch=done, verbose=0,
        ...                     callbacks=[EpochSeeds(0), checkpoint])
        >>> checkpoint.load_best()
    """

    def __init__(
        self,
        folder,
        best_model=None,
        monitor="val_bleu",
        mode="max",
        patience=None,
        settings=None,
    ):
        super().__init__()
        self.folder = Path(check_path("folder", folder))
        self.best_model = best_model
        self.monitor = monitor
        self.mode = check_one_of("mode", mode, ("max", "min"))
        self.patience = None if patience is None else check_positive_integer("patience", patience)
        self.settings = json.loads(json.dumps(settings or {}))
        self.history = []
        self._trained = self._plan = None

    def restore(self, model, batches=None):
        """Bring a compiled model to where training stopped.

        Args:
            model: The model that will be trained.
            batches: The dataset of `kerasseq.make_batches` that it will be trained on, if it is
                one: each epoch is then trained in its own order, whatever was looked at before.

        Returns:
            The number of epochs that are done, for `fit` as `initial_epoch`; 0 if there is nothing.

        Raises:
            ValueError: If the model is not compiled, `batches` has no plan, or the folder belongs
                to a run with other settings, monitor or mode, or of another model.
        """
        plan = plan_of(batches)
        if getattr(model, "optimizer", None) is None:
            raise ValueError(f"`model` must be compiled. Received: model={model!r}")
        last, log = self._last()
        if last is not None:
            self._check_settings(log)
            model.optimizer.build(model.trainable_variables)
            _load(model, last / _STATE)
            print(f"Going on after epoch {len(log['history'])} of {self.folder}")
        self._trained, self._plan, self.history = model, plan, log["history"]
        if plan is not None:
            plan.epoch = len(self.history)
        return len(self.history)

    def _check_settings(self, log):
        judge = {"monitor": self.monitor, "mode": self.mode}
        now, before = self.settings | judge, judge | log["settings"] | log.get("judge", {})
        changes = [
            f"{name}={now.get(name)!r} (was {before.get(name)!r})"
            for name in sorted(before | now)
            if now.get(name) != before.get(name)
        ]
        if changes:
            raise ValueError(
                f"{self.folder} holds a run with other settings. Go on with the same, choose "
                f"another folder, or remove it. Received: {', '.join(changes)}"
            )

    @property
    def best_epoch(self):
        """The number of the best epoch, from 0; None before the first measurement."""
        return find_best(self.history, self.monitor, self.mode)

    @property
    def is_over(self):
        """Whether `patience` is at its end."""
        if self.patience is None:
            return False
        best = self.best_epoch
        since = self.history[0 if best is None else best + 1 :]
        return sum(self.monitor in logs for logs in since) >= self.patience

    def load_best(self):
        """Put the best weights into `best_model`, by default the model in training.

        Raises:
            FileNotFoundError: If no epoch was measured.
            ValueError: If there is no `best_model` and no model was restored or trained yet.
        """
        last, _ = self._last()
        if last is None or not (last / _BEST).is_file():
            raise FileNotFoundError(f"There are no best weights in {self.folder}.")
        model = self._trained if self.best_model is None else self.best_model
        if model is None:
            raise ValueError(
                "Which model shall get the best weights? Give a `best_model`, or call `restore` "
                "or `fit` first. Received: best_model=None"
            )
        _load(model, last / _BEST)

    def on_train_begin(self, logs=None):
        self._check_run()

    def on_epoch_begin(self, epoch, logs=None):
        done = len(self.history)
        if epoch > done:
            raise ValueError(
                f"`initial_epoch` must be what `restore` returned, {done} epochs are done. "
                f"Received: initial_epoch={epoch}"
            )
        begin_epoch(self._plan, done, self.params)

    def on_epoch_end(self, epoch, logs=None):
        self._check_run()
        logs = {name: float(value) for name, value in (logs or {}).items()}
        history = [*self.history, logs]
        if not any(self.monitor in logs for logs in history):
            raise ValueError(
                f"`monitor` must be the name of a measurement, and this callback stand behind what "
                f"measures it. Received: monitor={self.monitor!r}, logs={sorted(logs)}"
            )
        self._write(history)
        self.history, self._trained = history, self.model
        if self.is_over:
            self.model.stop_training = True
        self._warn_of_rest()

    def _warn_of_rest(self):
        """Say once, after the second measurement, that it is the same as the first."""
        values = [logs[self.monitor] for logs in self.history if self.monitor in logs]
        if len(values) == 2 and self.monitor in self.history[-1] and values[0] == values[1]:
            warnings.warn(
                f"`{self.monitor}` is {values[0]} after each epoch so far. Until it moves, the "
                "latest epoch counts as the best, and patience waits.",
                stacklevel=2,
            )

    def _check_run(self):
        """Refuse another model than that of the history, and another history in the folder."""
        if self.history and self._trained is not self.model:
            raise ValueError(
                f"The {len(self.history)} epochs of this Checkpoint are those of another model: "
                f"call `restore` with the new one before `fit`. Received: model={self.model!r}"
            )
        _, log = self._last()
        if json.dumps(log["history"]) != json.dumps(self.history):
            raise ValueError(
                f"{self.folder} must hold the epochs of this run: call `restore` before `fit` to "
                "go on with what is there, or remove the folder to begin anew. "
                f"Received: {len(log['history'])} epochs instead of {len(self.history)}"
            )

    def _write(self, history):
        before, new = self._last()[0], self.folder / "unfinished"
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir(parents=True)
        self.model.save_weights(new / _STATE)
        if find_best(history, self.monitor, self.mode) == len(history) - 1:
            model = self.model if self.best_model is None else self.best_model
            model.save_weights(new / _BEST)
        elif before is not None and (before / _BEST).is_file():
            shutil.copyfile(before / _BEST, new / _BEST)
        judge = {"monitor": self.monitor, "mode": self.mode}
        log = {"settings": self.settings, "judge": judge, "history": history}
        (new / _LOG).write_text(json.dumps(log, indent=1), "utf-8")
        for file in new.iterdir():
            with file.open("rb+") as written:
                os.fsync(written.fileno())  # on the disk before its name is
        whole = self.folder / f"epoch-{len(history):04}"
        shutil.rmtree(whole, ignore_errors=True)  # a damaged one may stand there
        new.rename(whole)
        if before is not None:
            shutil.rmtree(before)

    def _last(self):
        """Return the newest whole epoch's folder and log, or None and an empty log."""
        epochs = [(folder, _read_log(folder)) for folder in self.folder.glob("epoch-*")]
        whole = [(folder, log) for folder, log in epochs if log]
        return max(whole, key=lambda one: len(one[1]["history"]), default=(None, {"history": []}))


def _read_log(folder):
    """Return the log of an epoch as it was written, or None if there is none."""
    try:
        log = json.loads((folder / _LOG).read_text("utf-8"))
        return log if {"settings", "history"} <= log.keys() else None
    except (OSError, ValueError, AttributeError):
        return None


def _load(model, file):
    try:
        model.load_weights(file)
    except (OSError, KeyError) as error:
        raise ValueError(
            f"{file} is damaged: remove {file.parent.parent} to begin anew. Received: {error}"
        ) from error
