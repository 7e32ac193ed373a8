"""Has a user replaced a method, in a subclass or on one instance? Fast paths must know."""

_BY_KERAS = {"build", "quantize"}  # wrapped in every layer when it is made


def is_exactly(layer, kind):
    """Return whether a layer is a direct instance of a class and has replaced no method."""
    return type(layer) is kind and not replaced(layer)


def replaced(layer):
    """Return the names of the methods and properties that an instance has replaced."""
    own = set(vars(layer)) - _BY_KERAS
    return {name for name in own if callable(getattr(type(layer), name, None))}


def keeps(layer, kind, *names):
    """Return whether the layer's methods of these names are the methods of the class `kind`."""
    inherited = (getattr(type(layer), name, None) is getattr(kind, name) for name in names)
    return all(inherited) and not replaced(layer) & set(names)
