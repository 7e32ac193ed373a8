"""Checks of cells, states, shapes and dtypes: each raises ValueError if a value does not fit."""

import keras


def check_cell(cell):
    """Raise ValueError unless `cell` is a Keras cell."""
    if isinstance(cell, type) or not callable(cell) or not hasattr(cell, "state_size"):
        raise ValueError(
            "`cell` must be an instance of a Keras cell: callable, with a `state_size`. "
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
        name: Name of the argument, for the error.
        shape: A shape; any other value is refused.
        *forms: Allowed forms, such as `"batch length features"`.
        sizes: Dict from axis name to known size. New sizes are added to the dict, so an axis has
            the same size in all arguments that are checked with it.
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


def check_states(name, states, state_sizes, batch=None):
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
    """Return the shape of a tensor, or the shapes of a list of tensors; keep any other value."""
    return keras.tree.map_structure(
        lambda leaf: tuple(leaf.shape) if hasattr(leaf, "shape") else leaf, value
    )


def dtype_of(tensor):
    """Return the name of a tensor's dtype, also for tensors of strings."""
    return getattr(tensor.dtype, "name", str(tensor.dtype))


def _is_shape(shape):
    return isinstance(shape, (tuple, list)) and all(
        size is None or isinstance(size, int) for size in shape
    )
