"""Text to ids and back. `kerasseq.TextProcessor` is in `kerasseq.text.processor`.

Importing this folder imports no TensorFlow: the searches read the ids of the control tokens here.
"""
