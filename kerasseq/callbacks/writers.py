"""One event writer for each folder, shared by the callbacks of a `fit`.

TensorBoard reads the newest event file of a folder and never returns to an older file. So with two
open writers in one folder, everything from the first writer would be lost.
"""

import os
import threading

_open = {}  # folder -> _SharedWriter
_lock = threading.Lock()  # two `fit` may run in two threads


class _SharedWriter:
    def __init__(self, folder, fit):
        import tensorflow as tf

        self.writer = tf.summary.create_file_writer(folder)
        self.fit = fit
        self.owners = set()


def open_writer(folder, callback, begins=False):
    """Return the writer of `folder`, and add `callback` to the owners of the writer.

    An interrupted `fit` leaves its writer open, since Keras never calls `on_train_end`. The next
    `fit` replaces this writer. Two facts tell one `fit` from another: Keras gives all callbacks of
    one `fit` the same `params` object, and a callback that begins has no writer yet. The old writer
    is not closed here, since its `fit` may still run in another thread; it closes itself when the
    last reference is gone.

    Args:
        folder: Str, a local path or a URL that TensorFlow can write to. It is created.
        callback: The `keras.callbacks.Callback` that writes.
        begins: Whether the `fit` of the callback begins.

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
    """Remove `callback` from the owners of the writer of `folder`; the last owner closes it."""
    key = _resolve(folder)
    with _lock:
        shared = _open.get(key)
        if shared is not None:
            shared.owners.discard(id(callback))
            if not shared.owners:
                _open.pop(key).writer.close()


def _resolve(folder):
    return folder if "://" in folder else os.path.realpath(folder)
