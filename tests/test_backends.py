"""The layers and builders compute the same under JAX and PyTorch as under TensorFlow.

`backends/script.py` runs in a process of its own for each backend that some Python has:
KERASSEQ_JAX_PYTHON and KERASSEQ_TORCH_PYTHON name it where it is another one than this.
"""

import functools
import importlib.util
import itertools
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import pytest
from backends import cases

SCRIPT = pathlib.Path(__file__).parent / "backends" / "script.py"
NAMES = [*cases.MODELS, *cases.TRANSLATORS]
OTHERS = pytest.mark.parametrize("backend", ["jax", "torch"])
ALL = pytest.mark.parametrize("backend", ["tensorflow", "jax", "torch"])
LAZY = ["TextProcessor", "Translator", "make_batches", "phrasebook"]
NO_TENSORFLOW = f"""
import sys
sys.modules["tensorflow"] = sys.modules["tensorflow_datasets"] = None
import keras, kerasseq
layer = kerasseq.RNN(kerasseq.LSTMCell(5))
assert layer(keras.ops.ones((2, 3, 4))).shape == (2, 5)
for name in {LAZY}:
    try:
        getattr(kerasseq, name)
    except ImportError as error:
        print(error)
"""


def python_of(backend):
    """Return the Python that runs a backend, or None."""
    found = os.environ.get(f"KERASSEQ_{backend.upper()}_PYTHON")
    return found or (sys.executable if importlib.util.find_spec(backend) else None)


def environment(backend):
    # Half of JAX' time goes into optimizing what runs once.
    settings = {"KERAS_BACKEND": backend, "JAX_DISABLE_MOST_OPTIMIZATIONS": "1"}
    return {**os.environ, **settings, "PYTHONPATH": str(SCRIPT.parents[2])}


def processes(task, folder, backends):
    """Run the script for all backends at once."""
    running = []
    for backend in backends:
        command = [python_of(backend), str(SCRIPT), task, folder]
        running.append(subprocess.Popen(command, env=environment(backend)))
    assert [process.wait(timeout=1800) for process in running] == [0] * len(running)


@functools.cache
def results():
    """Return backend -> file -> name -> array."""
    backends = [name for name in ("tensorflow", "jax", "torch") if python_of(name)]
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        processes("make", folder, backends)
        processes("load", folder, backends)
        for path in pathlib.Path(folder).glob("*/*.npz"):
            with np.load(path) as arrays:
                found.setdefault(path.parent.name, {})[path.stem] = dict(arrays)
    return found


def require(backend):
    """Skip a test whose backend is not installed: neither is among the package's requirements."""
    if not python_of(backend):
        pytest.skip(f"no Python with {backend}: KERASSEQ_{backend.upper()}_PYTHON may name one")


def results_of(backend):
    require(backend)
    return results()[backend]


def starting_with(kind, arrays):
    return [array for name, array in arrays.items() if name.split()[0] == kind]


@pytest.mark.slow
@OTHERS
@pytest.mark.parametrize("name", NAMES)
def test_a_backend_computes_what_tensorflow_does(name, backend):
    received, expected = results_of(backend)[name], results_of("tensorflow")[name]
    assert list(received) == list(expected)
    for key in expected:  # outputs, gradients, losses, metrics, weights after a step, …
        np.testing.assert_allclose(received[key], expected[key], 1e-5, 1e-5, err_msg=key)


@pytest.mark.slow
@ALL
@pytest.mark.parametrize("name", NAMES)
def test_everything_is_finite_even_if_all_is_padding(name, backend):
    for key, array in results_of(backend)[name].items():
        assert key.startswith("search") or np.isfinite(array).all(), key


@pytest.mark.slow
@pytest.mark.parametrize(
    "writer, reader", list(itertools.permutations(["tensorflow", "jax", "torch"], 2))
)
@pytest.mark.parametrize("name", sorted(cases.SAVED))
def test_a_backend_loads_what_another_has_saved(name, writer, reader):
    received, written = results_of(reader), results_of(writer)
    received = starting_with("output", received[f"{name}.from_{writer}"])
    kind = "output" if name in cases.FITTED else "call"
    expected = starting_with(kind, written[name])[: len(received)]  # gradients come after
    for pair in zip(received, expected, strict=True):
        np.testing.assert_allclose(*pair, rtol=1e-5, atol=1e-5)


@pytest.mark.slow
@ALL
@pytest.mark.parametrize("name", cases.TRANSLATORS)
def test_neither_loss_nor_metrics_count_padding(name, backend):
    found = results_of(backend)[name]
    [logits] = starting_with("output", found)
    log_probs = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
    log_likelihood = np.take_along_axis(log_probs, cases.TARGET_OUT[..., None], -1)[..., 0]
    losses = -0.9 * log_likelihood - 0.1 * log_probs.mean(axis=-1)
    real = cases.TARGET_IN != 0
    right = logits.argmax(axis=-1) == cases.TARGET_OUT
    expected = losses[real].mean(), np.exp(-log_likelihood[real].mean()), right[real].mean()
    np.testing.assert_allclose(np.ravel(starting_with("fit", found)), expected, 1e-5)
    np.testing.assert_allclose(np.ravel(starting_with("evaluated", found)), expected, 1e-5)


@pytest.mark.slow
@ALL
def test_a_stateful_layer_goes_on_and_trains(backend):
    halves, whole, *weights = starting_with("stateful", results_of(backend)["own"])
    np.testing.assert_allclose(halves, whole, rtol=1e-5, atol=1e-6)
    _, _, *expected = starting_with("stateful", results_of("tensorflow")["own"])
    for pair in zip(weights, expected, strict=True):
        np.testing.assert_allclose(*pair, rtol=1e-5, atol=1e-5)


@pytest.mark.slow
@ALL
def test_dropout_draws_anew_and_only_in_training(backend):
    first, second, *trained, before, after = starting_with("dropout", results_of(backend)["own"])
    np.testing.assert_array_equal(first, second)
    assert np.abs(trained[0] - trained[1]).max() > 1e-3
    assert (after[:, 1] > before[:, 1]).all()  # `fit` has moved every seed on


@pytest.mark.slow
@ALL
@pytest.mark.parametrize("precision, tolerance", [("float16", 0.02), ("bfloat16", 0.1)])
def test_mixed_precision_is_near_the_full_one(precision, tolerance, backend):
    found = results_of(backend)
    exact, rough = starting_with("call", found["attention"]), starting_with(precision, found["own"])
    for pair in zip(rough, exact, strict=True):  # outputs and gradients
        np.testing.assert_allclose(*pair, rtol=tolerance, atol=tolerance)


@pytest.mark.slow
def test_without_tensorflow_the_layers_work_and_the_rest_says_what_it_needs():
    require("jax")
    run = subprocess.run(
        [python_of("jax"), "-c", NO_TENSORFLOW],
        env=environment("jax"),
        capture_output=True,
        text=True,
        check=True,
    )
    errors = dict(line.split(" needs TensorFlow", 1) for line in run.stdout.splitlines())
    assert list(errors) == [f"kerasseq.{name}" for name in LAZY]
