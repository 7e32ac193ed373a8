"""`ChronoBias`: an LSTM that begins with a memory as long as its task."""

import random

import keras
from keras import ops

from kerasseq.checks import check_whole_number


@keras.saving.register_keras_serializable(package="kerasseq")
class ChronoBias(keras.initializers.Initializer):
    """Bias of an LSTM whose cells remember for 2 to `length` steps when training begins.

    With a gate of constant value f a cell forgets within about 1 / (1 − f) steps. To have one that
    remembers over T steps, f must be 1 − 1/T, which is σ(log(T − 1)). So

        b_f = log u,    b_i = −b_f,    u ~ Uniform(1, length − 1)

    and zeros for candidate and output gate. The usual b_f = 1 gives 3.7 steps.

    Args:
        length: Whole number of at least 3, the steps to look back in the task.
        seed: Integer, or None for another one each time a `ChronoBias` is made. As with Keras' own
            initializers, each call of one object returns the same numbers.

    Raises:
        ValueError: If `length` is too small; when called, if the shape is not that of an LSTM's
            bias, four gates side by side.

    Example:
        >>> cell = LSTMCell(32, bias_initializer=ChronoBias(200), unit_forget_bias=False)

    References:
        - Tallec & Ollivier (2018), Can recurrent neural networks warp time?
    """

    def __init__(self, length, seed=None):
        self.length = check_whole_number("length", length, least=3)
        self.seed = None if seed is None else check_whole_number("seed", seed, least=0)
        # Drawn as Keras draws the seeds of its layers, from what `set_random_seed` seeds.
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
        return ops.concatenate([-forget, forget, zeros, zeros])

    def __reduce__(self):  # its random numbers cannot be copied, and begin anew
        return type(self), (self.length, self.seed)

    def get_config(self):
        return {"length": self.length, "seed": self.seed}
