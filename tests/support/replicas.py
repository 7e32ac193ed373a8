"""One step of `fit` on one device and on two replicas: the same. Run by `test_bptt.py`."""

import keras
import numpy as np
import tensorflow as tf

import kerasseq

[cpu] = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
DEVICES = {"one": ["CPU:0"], "two": ["CPU:0", "CPU:1"]}


def trained_weights(devices):
    keras.utils.set_random_seed(0)
    with tf.distribute.MirroredStrategy(devices).scope():
        model = kerasseq.build_attention_seq2seq(11, 13, embedding_dim=4, units=6)
        # Plain gradient descent, since Adam would turn a gradient of rounding errors into a step.
        model.compile(keras.optimizers.SGD(1.0), kerasseq.SmoothedCrossentropy(), jit_compile=False)
    rng = np.random.default_rng(0)
    inputs = {"source": rng.integers(1, 11, (4, 5)), "target_in": rng.integers(1, 13, (4, 3))}
    inputs["source"][:, 4:] = 0
    first = model.get_weights()
    model.fit(inputs, rng.integers(1, 13, (4, 3)), batch_size=4, shuffle=False, verbose=0)
    for before, after in zip(first, model.get_weights(), strict=True):
        assert not np.allclose(before, after, rtol=0, atol=1e-6)  # everything has learned
    return model.get_weights()


results = [trained_weights(devices) for devices in DEVICES.values()]
for one, two in zip(*results, strict=True):
    np.testing.assert_allclose(two, one, rtol=1e-4, atol=1e-6)
print("the same")
