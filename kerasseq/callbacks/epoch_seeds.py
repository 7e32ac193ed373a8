"""`EpochSeeds`: dropout and order of the batches as functions of seed and epoch."""

import keras
import numpy as np

from kerasseq.callbacks.order import begin_epoch, plan_of
from kerasseq.checks import check_whole_number


class EpochSeeds(keras.callbacks.Callback):
    """Seed the dropout of the model anew at the beginning of each epoch, from `seed` and the epoch.

    The dropout of an epoch then does not depend on earlier epochs, and a training that resumes
    drops the same units as an uninterrupted training. (Keras does not save the state of its seed
    generators.)

    With `batches`, each epoch also has an order of its own, which no earlier look at the batches
    changes.

    Args:
        seed: Integer, not negative.
        batches: The dataset of `kerasseq.make_batches` that `fit` reads, directly or through `map`.
            None leaves the order to the dataset, which counts its passes.

    Raises:
        ValueError: If `seed` does not fit or `batches` has no plan. When an epoch begins: if an
            epoch of `fit` is not one whole pass over the batches.

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
            # A state of Keras is a seed and a counter, which each draw raises.
            begin = np.random.SeedSequence([self.seed, epoch, index]).generate_state(1)
            state.assign([int(begin[0]), 0])
