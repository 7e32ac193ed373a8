"""Callbacks for `fit`: translations in TensorBoard, and training that can be resumed.

The callbacks for TensorBoard write into a run of their own, `<log_dir>/translation`, beside the
runs `train` and `validation` of `keras.callbacks.TensorBoard`; the step is the epoch. By default
TensorBoard shows 10 images of a tag. To see the images of all epochs, start TensorBoard with

    tensorboard --logdir logs --samples_per_plugin images=100

The order of the callbacks matters: first `AverageWeights`, then the callbacks that translate, then
the callbacks that read `val_bleu` or `val_alignment_error_rate` from `logs`, last `Checkpoint`.
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
