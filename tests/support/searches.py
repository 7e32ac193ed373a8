"""Fake models whose right answers can be read, and a search over a real one."""

import numpy as np
import tensorflow as tf
from keras import ops

import kerasseq
from support.small_models import SOURCE

ALPHABET = "_?<.abcdefghij"  # padding, [UNK], [START], [END], then letters
IDS = {letter: index for index, letter in enumerate(ALPHABET)}


def spell(ids):
    """Ids to a readable string: '.' is [END], '_' is padding."""
    return "".join(ALPHABET[index] for index in ids)


class Script:
    """A model that says words[r] in row r, whatever it is fed, each letter with probability 0.9.

    Its attention at step t is one-hot at t; its state counts the steps.
    """

    def __init__(self, words):
        self.steps = max(map(len, words))
        self.ids = np.array([[IDS[c] for c in word.ljust(self.steps, "j")] for word in words])

    def __call__(self, tokens, states):
        (position,) = states
        ids = ops.take(self.ids, ops.minimum(position[0], self.steps - 1), axis=1)
        others = 0.1 / (len(ALPHABET) - 1)
        probabilities = ops.where(ops.one_hot(ids, len(ALPHABET)) > 0, 0.9, others)
        return ops.log(probabilities), [position + 1], ops.one_hot(position, 12)


def search_model(model, function, **options):
    """Return what a function of `kerasseq.decoding` finds for the three sentences of `SOURCE`."""
    encoded, view = kerasseq.encoder_view(model)(SOURCE), kerasseq.step_view(model)
    width = SOURCE.shape[1] if "values" in encoded else 0

    def step(tokens, states):
        decoded = view({"token": tokens[:, None], **states})
        weights = decoded.get("attention_weights")
        weights = tf.zeros((tf.shape(tokens)[0], 0)) if weights is None else weights
        return decoded["logits"], {**states, "states": decoded["states"]}, weights

    return function(step, encoded, width, tf.constant([4, 6, 0]), **options)
