"""Callbacks for `fit`: a translator at work in TensorBoard, and training that can be resumed.

Those for TensorBoard write into one more run, `<log_dir>/translation`, beside the `train` and
`validation` of `keras.callbacks.TensorBoard`; the step is the epoch. To keep the pictures of all
epochs, start TensorBoard with room for them, since it shows a sample of 10 otherwise:

    tensorboard --logdir logs --samples_per_plugin images=100

`BleuScore` and `AlignmentError` also put their value into `logs`: place them before the callbacks
that read it. `AverageWeights` stands before those that translate, `Checkpoint` behind all.
"""

from kerasseq.callbacks.alignment_error import AlignmentError
from kerasseq.callbacks.attention_maps import AttentionMaps
from kerasseq.callbacks.average_weights import AverageWeights
from kerasseq.callbacks.bleu_score import BleuScore
from kerasseq.callbacks.checkpoint import Checkpoint
from kerasseq.callbacks.epoch_seeds import EpochSeeds
from kerasseq.callbacks.gate_maps import GateMaps
from kerasseq.callbacks.gradient_flow import GradientFlow
from kerasseq.callbacks.sample_translations import SampleTranslations

__all__ = [
    "AlignmentError",
    "AttentionMaps",
    "AverageWeights",
    "BleuScore",
    "Checkpoint",
    "EpochSeeds",
    "GateMaps",
    "GradientFlow",
    "SampleTranslations",
]
