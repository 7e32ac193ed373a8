"""Dropout, and an order of the batches, that are functions of seed and epoch."""

import keras
import numpy as np

from kerasseq.callbacks.order import begin_epoch, plan_of
from kerasseq.checks import check_whole_number


class EpochSeeds(keras.callbacks.Callback):
    """Gives all dropout of the model a new seed when an epoch begins, made of `seed` and the epoch.

    What is dropped in an epoch then does not depend on what came before it, and training that goes
    on from a checkpoint drops what the uninterrupted one would have. (Keras does not save where its
    seed generators stand.)

    With `batches` the epoch is also trained in its own order, whatever was looked at before.

    Args:
        seed: Integer, not negative.
        batches: The dataset of `kerasseq.make_batches` that `fit` reads, itself or through `map`.
            None leaves the order to the dataset, which counts the passes.

    Raises:
        ValueError: If `seed` is no such integer or `batches` has no plan; when an epoch begins, if
            an epoch of `fit` is no whole pass over the batches.

    Example:
        >>> history = model.fit(batches, callbacks=[EpochSeeds(0, batches)], verbose=0)
    """

    def __init__(self, seed, batches=None):
        super().__init__()
        self.seed = check_whole_number("seed", seed, least=0)
        self._plan = plan_of(batches)

    def on_epoch_begin(self, epoch, logs=None):
        begin_epoch(self._plan, epoch, self.params)
        states = [v for v in self.model.variables if v.path.endswith("seed_generator_state")]
        for index, state in enumerate(states):
            begin = np.random.SeedSequence([self.seed, epoch, index]).generate_state(1)
            state.assign([int(begin[0]), 0])
