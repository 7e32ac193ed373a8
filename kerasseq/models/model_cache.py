"""`ModelCache`: cache an object made from a model, such as graphs, until the model changes."""


class ModelCache:
    """The result of `make(model)`, made again when the model computes in another way.

    A traced graph keeps the variables and the computation of the time of tracing. It would ignore
    LoRA, quantization, or another dtype policy or activation set afterwards. New values of the same
    variables, as from `fit`, `set_weights` and `load_weights`, need no new graph.

    Args:
        model: A Keras model.
        make: A function of the model.

    Call arguments:
        None. A call costs about 0.1 ms, and the time of `make` if the model has changed.

    Returns:
        `make(model)` for the model as it is now.
    """

    def __init__(self, model, make):
        self._model, self._make = model, make
        self._state = None

    def __call__(self):
        # The objects are kept alive: a new object could get the id of a deleted object.
        objects = [*self._model._flatten_layers(), *self._model.weights]
        state = [id(item) for item in objects], [_settings(item) for item in objects]
        if state != self._state:
            self._made = self._make(self._model)
            self._state, self._objects = state, objects
        return self._made


# What a user may set on a built layer, beside its dtype policy. A subclass with other settings of
# its own needs a new search after a change.
_SETTINGS = ("trainable", "lora_enabled", "lora_alpha", "activation", "recurrent_activation")


def _settings(item):
    """Return the settings, beside the weights, that decide how a layer computes."""
    policy = getattr(item, "dtype_policy", None)
    return getattr(policy, "name", None), *[getattr(item, name, None) for name in _SETTINGS]
