"""A second model that holds the average of the weights of late, and translates better."""

import keras


class AverageWeights(keras.callbacks.Callback):
    """Copies the optimizer's moving average of the weights into another model after each epoch.

    The weights of single steps jump about; their exponential average lies in the middle and is
    better, most of all before the learning rate has fallen (Polyak & Juditsky 1992). Keras'
    optimizers keep it with `use_ema=True`. The model in training is left alone: what shall speak
    for the average, a `Translator` and the callbacks around it, is built on the other model. Stands
    before them. Weights that are not trained, frozen ones and statistics, are copied as they are.

    Args:
        averaged_model: A model of the same layers, such as `keras.models.clone_model(model)`.

    Raises:
        ValueError: When training begins, if the optimizer keeps no average or the models differ.

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
                "The optimizer must keep an average: give it `use_ema=True`. "
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
        # What is frozen is so in the model in training; the other one may know nothing of it.
        averaged = {id(weight): averaged for weight, averaged in pairs}
        trained = [averaged[id(weight)] for weight in self.model.trainable_variables]
        self._optimizer().finalize_variable_values(trained)

    def _optimizer(self):
        # In mixed precision another optimizer, which scales the loss, stands around it.
        return getattr(self.model.optimizer, "inner_optimizer", self.model.optimizer)
