"""How machines learned to read sequences: layers, models and instruments for Keras 3."""

__version__ = "0.1.0"
