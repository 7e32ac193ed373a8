"""Dropout whose randomness is a function of seed and epoch."""

import keras
import numpy as np

from kerasseq.arguments import whole_number


class EpochSeeds(keras.callbacks.Callback):
    """Gives all dropout of the model a new seed when an epoch begins, made of `seed` and the epoch.

    What is dropped in an epoch then does not depend on what came before it, and training that goes
    on from a checkpoint drops what the uninterrupted one would have. (Keras does not save where its
    seed generators stand.)

    Args:
        seed: Integer, not negative.

    Example:
        >>> model.fit(batches, callbacks=[EpochSeeds(0)])  # doctest: +SKIP
    """

    def __init__(self, seed):
        super().__init__()
        self.seed = whole_number("seed", seed, least=0)

    def on_epoch_begin(self, epoch, logs=None):
        states = [v for v in self.model.variables if v.path.endswith("seed_generator_state")]
        for index, state in enumerate(states):
            begin = np.random.SeedSequence([self.seed, epoch, index]).generate_state(1)
            state.assign([int(begin[0]), 0])
