"""`AverageWeights`: a second model that holds the moving average of the weights."""

import keras


class AverageWeights(keras.callbacks.Callback):
    """Copy the optimizer's moving average of the weights into another model after each epoch.

    The weights after single steps jump about. Their exponential moving average is better, above all
    while the learning rate is still large (Polyak & Juditsky 1992). Keras' optimizers compute the
    average with `use_ema=True`. The model in training does not change: build the `Translator` and
    its callbacks on the averaged model, and place this callback before them. Weights that are not
    trained, such as frozen weights and statistics, are copied as they are.

    Args:
        averaged_model: A model of the same layers, such as `keras.models.clone_model(model)`.

    Raises:
        ValueError: When training begins: if the optimizer has no average or the models differ.

    Example:
        >>> averaged = keras.models.clone_model(model)
        >>> model.compile(keras.optimizers.Adam(use_ema=True), loss)
        >>> history = model.fit(batches, callbacks=[AverageWeights(averaged)], verbose=0)
    """

    def __init__(self, averaged_model):
        super().__init__()
        self.averaged_model = averaged_model

    def on_train_begin(self, logs=None):
        if not getattr(self._optimizer(), "use_ema", False):
            raise ValueError(
                "`optimizer` must have an average: create it with `use_ema=True`. "
                f"Received: optimizer={self.model.optimizer!r}"
            )
        shapes, averaged = (
            [tuple(weight.shape) for weight in model.weights]
            for model in (self.model, self.averaged_model)
        )
        if shapes != averaged:
            raise ValueError(
                "`averaged_model` must have the weights of the model in training. "
                f"Received: {averaged} instead of {shapes}"
            )

    def on_epoch_end(self, epoch, logs=None):
        pairs = list(zip(self.model.weights, self.averaged_model.weights, strict=True))
        for weight, averaged in pairs:
            averaged.assign(weight)
        # The model in training says which weights are frozen; the averaged model may not know.
        averaged = {id(weight): averaged for weight, averaged in pairs}
        trained = [averaged[id(weight)] for weight in self.model.trainable_variables]
        self._optimizer().finalize_variable_values(trained)

    def _optimizer(self):
        # In mixed precision Keras wraps the optimizer in another optimizer, which scales the loss.
        return getattr(self.model.optimizer, "inner_optimizer", self.model.optimizer)
