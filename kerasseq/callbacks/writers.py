"""One event writer for each folder, shared by the callbacks of a fit.

TensorBoard reads the newest event file of a folder and then never returns to an older one: of two
live writers in one folder, the first would be lost.
"""

import os
import threading

_open = {}  # folder -> _SharedWriter
_lock = threading.Lock()  # of two fits in two threads


class _SharedWriter:
    def __init__(self, folder, fit):
        import tensorflow as tf

        self.writer = tf.summary.create_file_writer(folder)
        self.fit = fit
        self.owners = set()


def open_writer(folder, callback, begins=False):
    """Return the writer of `folder`, opened if need be, and count `callback` among its owners.

    A writer left behind by a fit that was interrupted, and so never said that it ended, is
    replaced. What tells fits apart: Keras gives all callbacks of one the same `params` object, and
    a callback that begins has no writer yet. The old writer closes itself when nobody holds it: its
    fit may be writing in another thread.

    Args:
        folder: Str, a local path or a URL that TensorFlow can write to. It is created.
        callback: The `keras.callbacks.Callback` that writes.
        begins: Whether its fit is beginning.

    Returns:
        A `tf.summary.SummaryWriter`.

    Raises:
        ValueError: If the folder cannot be written.
    """
    import tensorflow as tf

    key = _resolve(folder)
    with _lock:
        shared = _open.get(key)
        stale = shared is None or shared.fit is not callback.params
        if stale or (begins and id(callback) in shared.owners):
            _open.pop(key, None)
            try:
                shared = _open[key] = _SharedWriter(key, callback.params)
            except (tf.errors.OpError, OSError) as error:
                raise ValueError(
                    "`log_dir` must be a folder that can be created and written. "
                    f"Received: log_dir={os.path.dirname(folder)!r}"
                ) from error
        shared.owners.add(id(callback))
        return shared.writer


def close_writer(folder, callback):
    """Take `callback` off the owners of the writer of `folder`; the last one closes it."""
    key = _resolve(folder)
    with _lock:
        shared = _open.get(key)
        if shared is not None:
            shared.owners.discard(id(callback))
            if not shared.owners:
                _open.pop(key).writer.close()


def _resolve(folder):
    return folder if "://" in folder else os.path.realpath(folder)
