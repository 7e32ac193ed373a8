"""What an argument must be: checked and worded in one place."""

import difflib
import numbers

import keras
import numpy as np


def positive_integer(name, value):
    """Return `value` as an int, one of NumPy's, too; raise ValueError if it is not positive."""
    if not _is_whole(value, 1):
        raise ValueError(f"`{name}` must be a positive integer. Received: {name}={value!r}")
    return int(value)


def rate(name, value):
    """Return `value` as a float; raise ValueError if it is not in [0, 1)."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or not 0 <= value < 1:
        raise ValueError(f"`{name}` must be a rate in [0, 1). Received: {name}={value!r}")
    return float(value)


def not_negative(name, value):
    """Return `value` as a float; raise ValueError if it is not a finite number of at least 0."""
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not real or not 0 <= value < float("inf"):
        raise ValueError(f"`{name}` must not be negative. Received: {name}={value!r}")
    return float(value)


def positive(name, value):
    """Return `value` as a float; raise ValueError if it is not a finite number above 0."""
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not real or not 0 < value < float("inf"):
        raise ValueError(f"`{name}` must be a number above 0. Received: {name}={value!r}")
    return float(value)


def whole_number(name, value, least):
    """Return `value` as an int; raise ValueError if it is not an integer of at least `least`."""
    if not _is_whole(value, least):
        expected = f"`{name}` must be a whole number of at least {least}."
        raise ValueError(f"{expected} Received: {name}={value!r}")
    return int(value)


def whole_number_or_none(name, value):
    """Return `value` as an int, of any sign, or None; raise ValueError if it is neither."""
    if value is not None and not _is_whole(value, -float("inf")):
        expected = f"`{name}` must be an integer or None."
        raise ValueError(f"{expected} Received: {name}={value!r}")
    return None if value is None else int(value)


def vocabulary_size(name, value):
    """Return `value` as an int; raise ValueError if it leaves no room for a word."""
    if not _is_whole(value, 5):
        raise ValueError(
            f"`{name}` must be a whole number above 4, as it counts the four control tokens. "
            f"Received: {name}={value!r}"
        )
    return int(value)


def boolean(name, value):
    """Return `value` as a bool, also 0 or 1; raise ValueError if it is anything else."""
    if not isinstance(value, numbers.Integral | np.bool_) or value not in (0, 1):
        raise ValueError(f"`{name}` must be True or False. Received: {name}={value!r}")
    return bool(value)


def one_of(name, value, allowed):
    """Return `value`; raise ValueError unless it is one of the allowed str."""
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"`{name}` must be one of {list(allowed)}. Received: {name}={value!r}")
    return value


def check_options(options, known):
    """Raise ValueError, which names the known ones, if an option is unknown."""
    for name, value in options.items():
        if name not in known:
            alike = difflib.get_close_matches(name, known, 1)
            meant = f"Did you mean `{alike[0]}`? " if alike else ""
            raise ValueError(
                f"The options are {', '.join(sorted(known))}. {meant}Received: {name}={value!r}"
            )


def named(**argument):
    """Return what Keras calls by this name: `named(bias_initializer="zeros")`, and so on."""
    [(name, value)] = argument.items()
    kind = name.split("_")[-1]  # activation, initializer, regularizer or constraint
    try:
        return getattr(keras, f"{kind}s").get(value)
    except (TypeError, ValueError) as error:
        expected = f"`{name}` must be the name of a Keras {kind}, its config or a callable."
        raise ValueError(f"{expected} Received: {name}={value!r}") from error


def check_cell(cell):
    """Raise ValueError unless `cell` is a Keras cell."""
    if isinstance(cell, type) or not callable(cell) or not hasattr(cell, "state_size"):
        raise ValueError(
            "`cell` must be a Keras cell, an instance: callable, with a `state_size`. "
            f"Received: cell={cell!r}"
        )


def check_built_cell(cell, features):
    """Raise ValueError if `cell` was built for inputs of another width."""
    kernel = getattr(cell, "kernel", None)  # a cell of the user may have none
    if kernel is not None:
        check_built("cell", [kernel], (features,))


def check_built(name, kernels, widths):
    """Raise ValueError unless the layer `name` was built for inputs of these widths."""
    received = tuple(kernel.shape[0] for kernel in kernels)
    if received != tuple(widths):
        raise ValueError(
            f"`{name}` must be new or built for inputs of width {tuple(widths)}. "
            f"Received: {name} built for width {received}"
        )


def check_shape(name, shape, *forms, sizes):
    """Raise ValueError unless a shape has one of the forms.

    Args:
        name: The argument's name, for the error.
        shape: A shape, or whatever was passed in place of one tensor.
        *forms: `"batch length features"`, and so on.
        sizes: Dict, axis name -> size, of what is known. Sizes that are new are added: an axis of
            the same name must have the same size in all arguments.
    """
    expected = f"`{name}` must have shape " + " or ".join(
        f"({', '.join(form.split())})" for form in forms
    )
    if not _is_shape(shape):
        raise ValueError(f"{expected}. Received: {name}={shape}")
    axes = next((form.split() for form in forms if len(form.split()) == len(shape)), None)
    if axes is None:
        raise ValueError(f"{expected}. Received: {name}.shape={tuple(shape)}")
    for axis, size in zip(axes, shape, strict=True):
        known = sizes.get(axis)
        if None not in (known, size) and known != size:
            raise ValueError(
                f"{expected} with {axis} = {known}. Received: {name}.shape={tuple(shape)}"
            )
        sizes[axis] = size if known is None else known


def check_tensor(name, tensor, *forms, sizes):
    """Raise ValueError unless `tensor` is one floating-point tensor of one of the forms."""
    check_shape(name, shape_of(tensor), *forms, sizes=sizes)
    dtype = dtype_of(tensor)
    if "float" not in dtype:
        raise ValueError(
            f"`{name}` must hold floating-point numbers: integer ids go through a "
            f"keras.layers.Embedding first. Received: {name}.dtype={dtype}"
        )


def check_ids(name, ids, *forms, sizes):
    """Raise ValueError unless `ids` is one tensor of numbers of one of the forms."""
    check_shape(name, shape_of(ids), *forms, sizes=sizes)
    dtype = dtype_of(ids)
    if not any(kind in dtype for kind in ("int", "float")):  # Keras hands ids over as floats
        raise ValueError(f"`{name}` must hold integer ids. Received: {name}.dtype={dtype}")


def read_states(name, states, state_sizes, batch=None):
    """Return `states` as a list after checking that there is one `(batch, size)` for each size."""
    states = list(states) if isinstance(states, (list, tuple)) else [states]
    shapes = [shape_of(state) for state in states]
    described = ", ".join(f"(batch, {size})" for size in state_sizes)
    expected = f"`{name}` must hold {len(state_sizes)} states of shape {described}"
    fits = len(shapes) == len(state_sizes) and all(
        _is_shape(shape) and len(shape) == 2 and shape[1] in (None, size)
        for shape, size in zip(shapes, state_sizes, strict=True)
    )
    if fits and any(None not in (batch, shape[0]) and shape[0] != batch for shape in shapes):
        fits, expected = False, f"{expected} with batch = {batch}"
    if not fits:
        raise ValueError(f"{expected}. Received: {name} of shape {shapes}")
    return states


def shape_of(value):
    """Return the shape of a tensor; of a list of tensors their shapes; anything else as it is."""
    return keras.tree.map_structure(
        lambda leaf: tuple(leaf.shape) if hasattr(leaf, "shape") else leaf, value
    )


def dtype_of(tensor):
    """Return the name of a tensor's dtype, of strings, too."""
    return getattr(tensor.dtype, "name", str(tensor.dtype))


def _is_whole(value, least):
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    return whole and value >= least


def _is_shape(shape):
    return isinstance(shape, (tuple, list)) and all(
        size is None or isinstance(size, int) for size in shape
    )
