"""`Checkpoint`: resume a training after any interruption, and keep the best weights."""

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
    """Save the state of the training and the best weights after each epoch, and stop early.

    After each epoch the callback writes `<folder>/epoch-<number>`, whole or not at all, and removes
    the folder of the epoch before. It holds the weights and the optimizer, the best weights so far,
    and the logs. However the training ended, `restore` resumes after the last whole epoch. With
    `EpochSeeds` and the batches of `kerasseq.make_batches`, the final weights are the weights of an
    uninterrupted run. Place the callback last, after the callback that measures `monitor`.

    One folder holds one run of one model. A second `fit` with the same object continues the run:
    the epoch numbers go on, and the best epoch is the best of all. Dropout, too, continues if
    `initial_epoch` is the number of finished epochs. Of equal values the first is the best; NaN is
    never the best. As long as all measurements are equal, they say nothing: the latest epoch counts
    as the best, patience does not run, and a warning says so.

    Args:
        folder: Folder of the run. It is created.
        best_model: The model whose weights are saved as the best weights. Default: the model in
            training.
        monitor: Name of the value in `logs` that decides. Epochs without it are neither better nor
            worse.
        mode: `"max"` if larger is better, or `"min"`.
        patience: Number of measurements without a better value before training stops. None never
            stops.
        settings: Dict, in JSON types, of everything that the run depends on. `restore` refuses to
            resume a run with other settings.

    Raises:
        ValueError: If an argument does not fit. When training begins: if the folder holds epochs
            that were not restored, the model is not the model of these epochs, or `initial_epoch`
            is larger than the number of finished epochs. When an epoch ends: if `logs` never had a
            value `monitor`, or another program has written to the folder.

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
        """Load the state of the last whole epoch into a compiled model.

        Args:
            model: The model to train.
            batches: The dataset of `kerasseq.make_batches` to train on, or None for other data.
                Every epoch then has an order of its own, which no earlier look at the batches
                changes.

        Returns:
            The number of finished epochs, to be passed to `fit` as `initial_epoch`; 0 for a new
            run.

        Raises:
            ValueError: If the model is not compiled, `batches` has no plan, or the folder belongs
                to a run with other settings, another monitor or mode, or another model.
        """
        plan = plan_of(batches)
        if getattr(model, "optimizer", None) is None:
            raise ValueError(f"`model` must be compiled. Received: model={model!r}")
        last, log = self._last()
        if last is not None:
            self._check_settings(log)
            model.optimizer.build(model.trainable_variables)
            _load(model, last / _STATE)
            print(f"Resuming after epoch {len(log['history'])} of {self.folder}")
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
                f"The folder {self.folder} holds a run with other settings. Use the same settings "
                f"or another folder, or remove the folder. Received: {', '.join(changes)}"
            )

    @property
    def best_epoch(self):
        """Number of the best epoch, from 0; None before the first measurement."""
        return find_best(self.history, self.monitor, self.mode)

    @property
    def is_over(self):
        """Whether `patience` has run out."""
        if self.patience is None:
            return False
        best = self.best_epoch
        since = self.history[0 if best is None else best + 1 :]
        return sum(self.monitor in logs for logs in since) >= self.patience

    def load_best(self):
        """Load the best weights into `best_model` or, without it, into the model in training.

        Raises:
            FileNotFoundError: If no epoch has been measured.
            ValueError: If there is no `best_model`, and no model has been restored or trained yet.
        """
        last, _ = self._last()
        if last is None or not (last / _BEST).is_file():
            raise FileNotFoundError(f"The folder {self.folder} holds no best weights.")
        model = self._trained if self.best_model is None else self.best_model
        if model is None:
            raise ValueError(
                "`load_best` needs a model for the weights: pass a `best_model`, or call `restore` "
                "or `fit` first. Received: best_model=None"
            )
        _load(model, last / _BEST)

    def on_train_begin(self, logs=None):
        self._check_run()

    def on_epoch_begin(self, epoch, logs=None):
        done = len(self.history)
        if epoch > done:
            raise ValueError(
                f"`initial_epoch` must be the result of `restore`, {done}. "
                f"Received: initial_epoch={epoch}"
            )
        begin_epoch(self._plan, done, self.params)

    def on_epoch_end(self, epoch, logs=None):
        self._check_run()
        logs = {name: float(value) for name, value in (logs or {}).items()}
        history = [*self.history, logs]
        if not any(self.monitor in logs for logs in history):
            raise ValueError(
                "`monitor` must be the name of a value in `logs`; place Checkpoint after the "
                f"callback that measures it. Received: monitor={self.monitor!r}, "
                f"logs={sorted(logs)}"
            )
        self._write(history)
        self.history, self._trained = history, self.model
        if self.is_over:
            self.model.stop_training = True
        self._warn_if_constant()

    def _warn_if_constant(self):
        """Warn once, after the second measurement, if it equals the first measurement."""
        values = [logs[self.monitor] for logs in self.history if self.monitor in logs]
        if len(values) == 2 and self.monitor in self.history[-1] and values[0] == values[1]:
            warnings.warn(
                f"`{self.monitor}` is {values[0]} after each epoch so far. Until it changes, the "
                "latest epoch counts as the best, and patience does not run.",
                stacklevel=2,
            )

    def _check_run(self):
        """Raise ValueError if the model or the folder does not belong to the history."""
        if self.history and self._trained is not self.model:
            raise ValueError(
                f"The {len(self.history)} epochs of this Checkpoint belong to another model: call "
                f"`restore` with the new model before `fit`. Received: model={self.model!r}"
            )
        _, log = self._last()
        if json.dumps(log["history"]) != json.dumps(self.history):
            raise ValueError(
                f"The folder {self.folder} holds the epochs of another run: call `restore` before "
                "`fit` to resume that run, or remove the folder to begin anew. "
                f"Received: {len(log['history'])} epochs instead of {len(self.history)}"
            )

    def _write(self, history):
        # Write a new folder under another name, then rename it: a folder `epoch-…` is whole.
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
                os.fsync(written.fileno())  # the contents must reach the disk before the new name
        whole = self.folder / f"epoch-{len(history):04}"
        shutil.rmtree(whole, ignore_errors=True)  # a damaged folder may have this name
        new.rename(whole)
        if before is not None:
            shutil.rmtree(before)

    def _last(self):
        """Return folder and log of the newest whole epoch, or None and an empty log."""
        epochs = [(folder, _read_log(folder)) for folder in self.folder.glob("epoch-*")]
        whole = [(folder, log) for folder, log in epochs if log]
        newest_last = sorted(whole, key=lambda folder_and_log: len(folder_and_log[1]["history"]))
        return newest_last[-1] if newest_last else (None, {"history": []})


def _read_log(folder):
    """Return the log of an epoch, or None if it is missing or damaged."""
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
            f"The file {file} is damaged: remove {file.parent.parent} to begin anew. "
            f"Received: {error}"
        ) from error
