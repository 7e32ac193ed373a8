"""What only a GPU can show: `python tests/gpu.py`, a few minutes. On a CPU it runs as well.

1. The tests of the layers, with full float32 products (TensorFloat-32 off).
2. `fit` with the default `compile`, under float32 and mixed_float16: the loss falls.
3. Sentences that are all padding: finite outputs and gradients; the number of states for batches of
   1, 2 and 5.
4. `RNN(LSTMCell)` against `keras.layers.LSTM`, which uses cuDNN there: forward and backward, timed
   in alternation.
"""

import pathlib
import statistics
import sys
import time

import keras
import numpy as np
import pytest
import tensorflow as tf

import kerasseq

TESTS = pathlib.Path(__file__).parent
KINDS = "cells", "attention*", "rnn*", "bidirectional", "contract", "masking", "losses", "models"
LAYER_TESTS = [str(path) for kind in KINDS for path in sorted(TESTS.glob(f"test_{kind}.py"))]
WARM_UP, ROUNDS = 3, 20


def make_batch(batch_size=32, length=12, vocab_size=20, seed=0):
    """Return source ids, target ids in and out: the target is the source read backwards."""
    rng = np.random.default_rng(seed)
    source = rng.integers(4, vocab_size, (batch_size, length))
    target_out = source[:, ::-1]
    target_in = np.concatenate([np.full((batch_size, 1), 2), target_out[:, :-1]], axis=1)
    lengths = rng.integers(3, length + 1, batch_size)
    real = np.arange(length) < lengths[:, None]
    target_in, target_out = np.where(real, target_in, 0), np.where(real, target_out, 0)
    return {"source": source, "target_in": target_in}, target_out


def check_fit(policy):
    keras.config.set_dtype_policy(policy)
    keras.utils.set_random_seed(0)
    model = kerasseq.build_attention_seq2seq(20, 20, embedding_dim=16, units=32)
    keras.config.set_dtype_policy("float32")
    model.compile(keras.optimizers.Adam(0.01), kerasseq.SmoothedCrossentropy())
    losses = model.fit(*make_batch(), batch_size=16, epochs=15, verbose=0).history["loss"]
    print(f"fit under {policy}: loss {losses[0]:.3f} -> {losses[-1]:.3f}, XLA: {model.jit_compile}")
    assert np.all(np.isfinite(losses)) and losses[-1] < 0.8 * losses[0]


def check_padding(policy):
    layer = kerasseq.AttentionRNN(
        kerasseq.LSTMCell(8, dtype=policy),
        kerasseq.BahdanauAttention(8, dtype=policy),
        dtype=policy,
    )
    inputs, values = tf.random.normal((3, 4, 5)), tf.random.normal((3, 6, 7))
    masks = {"inputs_mask": np.eye(3, 4) > 0, "values_mask": [[1] * 6, [0] * 6, [1, 0] * 3]}
    with tf.GradientTape() as tape:
        tape.watch([inputs, values])
        results = layer(inputs, values, **masks)
        loss = sum(tf.reduce_sum(tf.cast(result, "float32") ** 2) for result in results)
    gradients = tape.gradient(loss, [inputs, values, *layer.trainable_variables])
    assert all(np.all(np.isfinite(tensor)) for tensor in [*results, *gradients])
    assert not np.any(results[2][1])
    for batch_size in (1, 2, 5):
        rnn = kerasseq.RNN(kerasseq.LSTMCell(4), return_sequences=True, return_state=True)
        shapes = [tuple(result.shape) for result in rnn(tf.ones((batch_size, 3, 2)))]
        assert shapes == [(batch_size, 3, 4), (batch_size, 4), (batch_size, 4)]
    print(f"all padding under {policy}: finite")


def time_against_keras(batch_size=64, length=32, features=256, units=512):
    """Print the times of forward and backward pass, and Keras' time divided by ours."""
    inputs = tf.random.normal((batch_size, length, features))
    mask = tf.sequence_mask(tf.random.uniform((batch_size,), length // 2, length, tf.int32), length)
    layers = {
        "keras.layers.LSTM": keras.layers.LSTM(units, return_sequences=True),
        "kerasseq.RNN(LSTMCell)": kerasseq.RNN(kerasseq.LSTMCell(units), return_sequences=True),
    }
    steps = {name: make_step(layer, inputs, mask) for name, layer in layers.items()}
    times = {name: [] for name in steps}
    for turn in range(WARM_UP + ROUNDS):
        for name, step in steps.items():
            start = time.perf_counter()
            step().numpy()  # waits for the device
            if turn >= WARM_UP:
                times[name].append(1000 * (time.perf_counter() - start))
    for name, found in times.items():
        low, middle, high = statistics.quantiles(found, n=4)
        print(f"{name}: median {middle:.2f} ms, quartiles {low:.2f} and {high:.2f}")
    theirs, ours = (statistics.median(found) for found in times.values())
    print(f"ratio (above 1 we are faster): {theirs / ours:.3f}")


def make_step(layer, inputs, mask):
    layer(inputs)

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(layer(inputs, mask=mask) ** 2)
        gradients = tape.gradient(loss, layer.trainable_variables)
        return loss + sum(tf.reduce_sum(gradient) for gradient in gradients)

    return step


def main():
    devices = tf.config.list_physical_devices("GPU")
    print("devices:", devices or "no GPU: everything runs on the CPU")
    tf.config.experimental.enable_tensor_float_32_execution(False)
    failed = pytest.main([*LAYER_TESTS, "-q", "--durations=5"])
    tf.config.experimental.enable_tensor_float_32_execution(True)
    for policy in ("float32", "mixed_float16"):
        check_fit(policy)
        check_padding(policy)
    time_against_keras()
    sys.exit(int(failed))


if __name__ == "__main__":
    main()
