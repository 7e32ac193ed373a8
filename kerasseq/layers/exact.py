"""Is an object what its class says, or has a user put something else in place of a method?"""

_BY_KERAS = {"build", "quantize"}  # wrapped in every layer when it is made


def is_exactly(layer, kind):
    """Return whether a layer is of a class, not of a subclass, with all methods of the class."""
    return type(layer) is kind and not replaced(layer)


def replaced(layer):
    """Return the names of the methods and properties that an instance has replaced."""
    own = set(vars(layer)) - _BY_KERAS
    return {name for name in own if callable(getattr(type(layer), name, None))}


def keeps(layer, kind, *names):
    """Return whether a layer's methods of these names are those of the class `kind`."""
    same = (getattr(type(layer), name, None) is getattr(kind, name) for name in names)
    return all(same) and not replaced(layer) & set(names)
