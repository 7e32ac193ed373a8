"""`ChronoBias`: initial gates with which an LSTM remembers for as long as its task needs."""

import random

import keras
from keras import ops

from kerasseq.checks import check_whole_number


@keras.saving.register_keras_serializable(package="kerasseq")
class ChronoBias(keras.initializers.Initializer):
    """Initial bias of an LSTM whose untrained cells remember for 2 to `length` steps.

    A cell with a constant forget gate f forgets within about 1 / (1 − f) steps. A memory of T steps
    needs f = 1 − 1/T, which is σ(log(T − 1)). So

        b_f = log u,    b_i = −b_f,    u ~ Uniform(1, length − 1)

    The candidate and the output gate begin with bias 0. The usual b_f = 1 gives 3.7 steps.

    Args:
        length: Whole number of at least 3: how many steps the task looks back.
        seed: Integer; None draws a new seed for each `ChronoBias`. As with the initializers of
            Keras, each call of one object returns the same numbers.

    Raises:
        ValueError: If `length` is too small. A call raises it if the shape is not the shape of an
            LSTM's bias, `(4 * units,)`.

    Example:
        >>> cell = LSTMCell(32, bias_initializer=ChronoBias(200), unit_forget_bias=False)

    References:
        - Tallec & Ollivier (2018), Can recurrent neural networks warp time?
    """

    def __init__(self, length, seed=None):
        self.length = check_whole_number("length", length, least=3)
        self.seed = None if seed is None else check_whole_number("seed", seed, least=0)
        # Python's generator, as Keras uses it for the seeds of layers: `set_random_seed` seeds it.
        self._drawn = random.randint(1, 10**9) if seed is None else self.seed

    def __call__(self, shape, dtype=None):
        if len(shape) != 1 or shape[0] % 4:
            raise ValueError(
                "ChronoBias makes the bias of an LSTM, of shape (4 * units,). "
                f"Received: shape={tuple(shape)}"
            )
        units = (shape[0] // 4,)
        forget = ops.log(keras.random.uniform(units, 1.0, self.length - 1.0, dtype, self._drawn))
        zeros = ops.zeros_like(forget)
        return ops.concatenate([-forget, forget, zeros, zeros])  # order i, f, c, o

    def __reduce__(self):
        # A copy of a `ChronoBias` without a seed draws a new seed.
        return type(self), (self.length, self.seed)

    def get_config(self):
        return {"length": self.length, "seed": self.seed}
