"""Translators: text in, text and attention out. `kerasseq.Translator` is in `translator`.

Importing this folder imports no TensorFlow.
"""
