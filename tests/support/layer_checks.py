"""What a Keras layer promises, each promise one function, written with public Keras alone.

`make_layer` returns a new layer; `inputs` are the arrays it is called with, `(batch, dim)` or
`(batch, length, dim)`. All axes but the last may be unknown. Dropout must be off.
"""

import contextlib
import json

import keras
import numpy as np

from support.reference import assert_all_close, assert_gradients, flat, randomize


def check_layer(make_layer, *inputs, folder):
    """Check all promises but `check_fit`, which has to compile."""
    check_config(make_layer, *inputs)
    check_build(make_layer, *inputs)
    check_shapes(make_layer, *inputs)
    check_masks(make_layer, *inputs)
    check_dtypes(make_layer, *inputs)
    check_gradients(make_layer, *inputs)
    check_saving(make_layer, *inputs, folder=folder)


def check_config(make_layer, *inputs):
    """A layer is made again from its configuration, by JSON, with every argument."""
    layer = make_layer()
    config = json.dumps(keras.layers.serialize(layer))
    again = keras.layers.deserialize(json.loads(config))
    assert json.dumps(keras.layers.serialize(again)) == config
    layer(*inputs)
    randomize(layer)
    again(*inputs)
    again.set_weights(layer.get_weights())
    assert_all_close(again(*inputs), layer(*inputs))


def check_build(make_layer, *inputs):
    """Shapes alone, the batch and lengths unknown, make the weights that a call makes."""
    built, called = make_layer(), make_layer()
    built.build(*[tensor.shape for tensor in make_symbols(inputs)])
    called(*inputs)
    assert built.built
    assert [w.shape for w in built.weights] == [w.shape for w in called.weights]
    built.set_weights(called.get_weights())
    assert_all_close(built(*inputs), called(*inputs))


def check_shapes(make_layer, *inputs):
    """Results have the shapes and dtypes that were foretold, in the same nesting."""
    layer = make_layer()
    results = layer(*inputs)
    for symbols in (make_symbols(inputs), [keras.Input(batch_shape=x.shape) for x in inputs]):
        foretold = layer(*symbols)
        keras.tree.assert_same_structure(_as_lists(foretold), _as_lists(results))
        shapes = [tuple(x.shape) for x in keras.tree.flatten(foretold)]
        computed = layer.compute_output_shape(*[x.shape for x in symbols])
        assert _flat_shapes(computed) == shapes
        for result, expected in zip(keras.tree.flatten(results), shapes, strict=True):
            fits = [e in (None, r) for r, e in zip(result.shape, expected, strict=True)]
            assert all(fits), f"{tuple(result.shape)} was foretold as {expected}"
        assert _dtypes(foretold) == _dtypes(results)
    assert None not in [size for shape in shapes for size in shape]  # all known, all foretold


def check_masks(make_layer, *inputs):
    """More padding changes nothing, and the masks that are handed on are those foretold."""
    layer, masking = make_built(make_layer, inputs), keras.layers.Masking()
    padded = [masking(np.pad(x, [(0, 0), (0, 2), (0, 0)])) if x.ndim == 3 else x for x in inputs]
    found, expected = layer(*padded), layer(*inputs)
    trimmed = [
        result[tuple(slice(size) for size in wanted.shape)]
        for result, wanted in zip(flat(found), flat(expected), strict=True)
    ]
    assert_all_close(trimmed, expected)
    masks = [masking.compute_mask(x) if x.ndim == 3 else None for x in map(np.asarray, padded)]
    foretold = layer.compute_mask(padded[0], masks[0])
    found = keras.tree.flatten(found)
    foretold = [None] * len(found) if foretold is None else keras.tree.flatten(foretold)
    for result, mask in zip(found, foretold[: len(found)], strict=False):
        received = ReadMask()
        received(result)
        assert (received.mask is None) == (mask is None)
        if mask is not None:
            np.testing.assert_array_equal(received.mask, mask)
    if masks[0] is not None and found[0].shape[:2] == masks[0].shape:
        assert foretold[0] is not None, "the results keep the steps but not their mask"


def check_dtypes(make_layer, *inputs):
    """A dtype policy holds for variables, results and promises, and only rounds the numbers."""
    expected = make_built(make_layer, inputs)(*inputs)
    for name, tolerance in (("mixed_float16", 1e-2), ("mixed_bfloat16", 6e-2), ("float64", 1e-5)):
        with dtype_policy(name) as policy:
            layer = make_built(make_layer, inputs)
            results = layer(*inputs)
            assert {w.dtype for w in layer.weights} == {policy.variable_dtype}
            assert set(_dtypes(results)) == {policy.compute_dtype}
            assert _dtypes(layer(*make_symbols(inputs))) == _dtypes(results)
        results = [keras.ops.cast(x, "float64") for x in keras.tree.flatten(results)]
        assert_all_close(results, expected, tolerance)


def check_gradients(make_layer, *inputs):
    """The gradient reaches every weight and is the slope of finite differences, in float64."""
    with dtype_policy("float64"):
        layer = make_built(make_layer, inputs)
        inputs = [x.astype("float64") for x in inputs]

        def loss():
            results = keras.tree.flatten(layer(*inputs))
            return sum(keras.ops.sum(keras.ops.sin(result)) for result in results)

        assert_gradients(loss, [weight.value for weight in layer.trainable_weights])


def check_saving(make_layer, *inputs, folder):
    """A model that was saved and loaded, without `custom_objects`, computes the same."""
    model = make_model(make_layer, inputs)
    model.save(folder / "layer.keras")
    loaded = keras.saving.load_model(folder / "layer.keras")
    assert_all_close(loaded(list(inputs)), model(list(inputs)), 1e-6)


def check_fit(make_layer, *inputs):
    """A step of `fit` moves each weight, with XLA and without it by the same."""
    before = make_model(make_layer, inputs).get_weights()
    plain = _fitted_weights(make_layer, inputs, jit_compile=False)
    under_xla = _fitted_weights(make_layer, inputs, jit_compile=True)
    for found, expected, old in zip(under_xla, plain, before, strict=True):
        assert_all_close(found, expected)
        assert np.any(found != old)


class ReadMask(keras.layers.Layer):
    """Keeps the mask that Keras hands to the next layer."""

    def __init__(self):
        super().__init__()
        self.supports_masking = True

    def call(self, x, mask=None):
        self.mask = mask
        return x


@contextlib.contextmanager
def dtype_policy(name):
    before = keras.config.dtype_policy()
    keras.config.set_dtype_policy(name)
    try:
        yield keras.config.dtype_policy()
    finally:
        keras.config.set_dtype_policy(before)


def make_symbols(inputs):
    """Return symbolic inputs of which only the last axis is known."""
    return [keras.Input((*[None] * (x.ndim - 2), x.shape[-1])) for x in inputs]


def make_built(make_layer, inputs):
    layer = make_layer()
    layer(*inputs)
    return randomize(layer)


def make_model(make_layer, inputs):
    symbols = make_symbols(inputs)
    return randomize(keras.Model(symbols, keras.tree.flatten(make_layer()(*symbols))))


def _fitted_weights(make_layer, inputs, **options):
    model = make_model(make_layer, inputs)
    targets = [np.ones(result.shape, "float32") for result in flat(model(list(inputs)))]
    model.compile(keras.optimizers.SGD(0.5), ["mse"] * len(targets), **options)
    model.fit(list(inputs), targets, verbose=0)
    return model.get_weights()


def _as_lists(results):
    """Return the nesting of the results without regard to list or tuple."""
    if isinstance(results, (list, tuple)):
        return [_as_lists(result) for result in results]
    return 0


def _flat_shapes(shapes):
    """Return a flat list of shapes from one shape or nested ones."""
    if all(size is None or isinstance(size, int) for size in shapes):
        return [tuple(shapes)]
    return [shape for part in shapes for shape in _flat_shapes(part)]


def _dtypes(results):
    standard = keras.backend.standardize_dtype
    return [standard(result.dtype) for result in keras.tree.flatten(results)]
