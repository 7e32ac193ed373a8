"""`ModelCache`: keep what was made from a model until the model computes in another way."""


class ModelCache:
    """Something made of a model, such as its graphs, that follows what is done to the model.

    A traced function keeps the variables and the computation that it met: LoRA, quantization,
    another dtype policy or activation would pass it by. Numbers
    assigned to the same variables, as by `fit`, `set_weights` and `load_weights`, do not.

    Args:
        model: A Keras model.
        make: A function of the model.

    Call arguments:
        None. It costs about 0.1 ms, and what `make` costs if the model has changed.

    Returns:
        What `make(model)` returned for the model as it is.
    """

    def __init__(self, model, make):
        self._model, self._make = model, make
        self._state = None

    def __call__(self):
        # Kept alive, as another object could have the identity of one that is gone.
        objects = [*self._model._flatten_layers(), *self._model.weights]
        state = [id(one) for one in objects], [_manner(one) for one in objects]
        if state != self._state:
            self._made = self._make(self._model)
            self._state, self._objects = state, objects
        return self._made


_MANNER = ("trainable", "lora_enabled", "lora_alpha", "activation", "recurrent_activation")


def _manner(one):
    """Return what decides how a layer computes, beside its weights."""
    policy = getattr(one, "dtype_policy", None)
    return getattr(policy, "name", None), *[getattr(one, name, None) for name in _MANNER]
