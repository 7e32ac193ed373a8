"""Leave the random numbers that a user has seeded as they are."""

import contextlib
import random


@contextlib.contextmanager
def keep_random_state():
    """Keep what is drawn within the block apart from Python's random numbers.

    `keras.utils.set_random_seed` seeds them, and Keras draws from them the seed of every layer. So
    whatever else draws changes the first weights of the next model. TFDS does, for the name of the
    folder into which it writes a set that is not there yet: a second run would begin with other
    weights than the first, and two processes would draw the same name. Copying a model does, too.
    """
    state = random.getstate()
    random.seed()
    try:
        yield
    finally:
        random.setstate(state)
