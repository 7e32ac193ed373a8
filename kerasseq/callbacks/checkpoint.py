"""Training that a power cut cannot spoil, and the best weights of it."""

import json
import os
import shutil
from pathlib import Path

import keras

from kerasseq.arguments import one_of, positive_integer
from kerasseq.text_arguments import path

_STATE, _BEST, _LOG = "state.weights.h5", "best.weights.h5", "training.json"


class Checkpoint(keras.callbacks.Callback):
    """Keeps what the next epoch depends on, and the best weights; stops when they get no better.

    After each epoch it writes `<folder>/epoch-<number>` whole or not at all, and removes the one
    before: weights and optimizer, the best weights so far, and the logs. However training is ended,
    `restore` goes on behind the last whole epoch. Together with `EpochSeeds` and the batches of
    `kerasseq.make_batches` the weights become those of a run that was never interrupted. Stands
    last, behind the callback that measures `monitor`.

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
        ValueError: If an argument does not fit; when an epoch ends, if nothing was ever measured
            under the name `monitor`.

    Example:
        >>> checkpoint = Checkpoint("runs/1", monitor="val_loss", mode="min")  # doctest: +SKIP
        >>> done = checkpoint.restore(model, batches)  # doctest: +SKIP
        >>> model.fit(batches, epochs=20, initial_epoch=done,
        ...           callbacks=[EpochSeeds(0), checkpoint])  # doctest: +SKIP
        >>> checkpoint.load_best()  # doctest: +SKIP
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
        self.folder = Path(path("folder", folder))
        self.best_model = best_model
        self.monitor = monitor
        self.mode = one_of("mode", mode, ("max", "min"))
        self.patience = None if patience is None else positive_integer("patience", patience)
        self.settings = json.loads(json.dumps(settings or {}))
        self.history = []

    def restore(self, model, batches=None):
        """Bring a compiled model to where training stopped.

        Args:
            model: The model that will be trained.
            batches: The dataset of `kerasseq.make_batches` that it will be trained on, if it is
                one: its order goes on, too.

        Returns:
            The number of epochs that are done, for `fit` as `initial_epoch`; 0 if there is nothing.

        Raises:
            ValueError: If the folder belongs to a run with other settings or another model.
        """
        self.best_model = self.best_model or model
        last = self._last()
        if last is None:
            return 0
        log = _read_log(last)
        self._check_settings(log["settings"])
        model.optimizer.build(model.trainable_variables)
        _load(model, last / _STATE)
        self.history = log["history"]
        print(f"Going on after epoch {len(self.history)} of {self.folder}")
        if hasattr(batches, "plan"):
            batches.plan.epoch = len(self.history)
        return len(self.history)

    def _check_settings(self, before):
        names = sorted(before | self.settings)
        changes = [
            f"{name}={self.settings.get(name)!r} (was {before.get(name)!r})"
            for name in names
            if self.settings.get(name) != before.get(name)
        ]
        if changes:
            raise ValueError(
                f"{self.folder} holds a run with other settings. Go on with the same, choose "
                f"another folder, or remove it. Received: {', '.join(changes)}"
            )

    @property
    def best_epoch(self):
        """The number of the best epoch, from 0; None before the first measurement."""
        measured = [epoch for epoch, logs in enumerate(self.history) if self.monitor in logs]
        sign = 1 if self.mode == "max" else -1
        return max(
            measured,
            key=lambda epoch: (sign * self.history[epoch][self.monitor], -epoch),
            default=None,
        )

    @property
    def is_over(self):
        """Whether `patience` is at its end."""
        if self.patience is None or self.best_epoch is None:
            return False
        since = self.history[self.best_epoch + 1 :]
        return sum(self.monitor in logs for logs in since) >= self.patience

    def load_best(self):
        """Put the best weights into `best_model`.

        Raises:
            FileNotFoundError: If no epoch was measured.
        """
        last = self._last()
        if last is None or not (last / _BEST).is_file():
            raise FileNotFoundError(f"There are no best weights in {self.folder}.")
        _load(self.best_model, last / _BEST)

    def on_epoch_end(self, epoch, logs=None):
        self.history.append({name: float(value) for name, value in (logs or {}).items()})
        if self.best_epoch is None:
            raise ValueError(
                f"`monitor` must be the name of a measurement, and this callback stand behind what "
                f"measures it. Received: monitor={self.monitor!r}, logs={sorted(logs or {})}"
            )
        self._write(epoch)
        if self.is_over:
            self.model.stop_training = True

    def _write(self, epoch):
        before, new = self._last(), self.folder / "unfinished"
        shutil.rmtree(new, ignore_errors=True)
        new.mkdir(parents=True)
        self.model.save_weights(new / _STATE)
        if self.best_epoch == epoch:
            (self.best_model or self.model).save_weights(new / _BEST)
        elif before is not None:
            shutil.copyfile(before / _BEST, new / _BEST)
        log = {"settings": self.settings, "history": self.history}
        (new / _LOG).write_text(json.dumps(log, indent=1), "utf-8")
        for file in new.iterdir():
            with file.open("rb+") as written:
                os.fsync(written.fileno())  # on the disk before its name is
        new.rename(self.folder / f"epoch-{epoch + 1:04}")
        if before is not None:
            shutil.rmtree(before)

    def _last(self):
        """Return the newest whole epoch's folder, or None."""
        whole = [folder for folder in self.folder.glob("epoch-*") if _read_log(folder)]
        return max(whole, default=None)


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
