"""The process around the models: memory, random state, log output and standard streams."""

import atexit
import contextlib
import ctypes
import logging
import os
import random
import sys

# Parameters of mallopt(3).
_TRIM_THRESHOLD, _MMAP_MAX = -1, -4
_NEVER = 2**31 - 1


def keep_memory():
    """Let this process keep freed memory for the next large tensor.

    By default, glibc returns every large block to the system at once and asks for a new block
    later, which the system fills with zeros. In a training step with logits of 50 MB this took a
    third of the time. Call the function once, before the first large tensor, and only in a program,
    not in a library: it affects the whole process. Without glibc, as on macOS and Windows, it does
    nothing.

    The same effect without a call: `MALLOC_TRIM_THRESHOLD_=2147483647 MALLOC_MMAP_MAX_=0 python …`.

    Returns:
        Whether glibc is there and has accepted the settings.

    Example:
        >>> keep_memory() in (True, False)
        True
    """
    if not sys.platform.startswith("linux"):
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    settings = (_TRIM_THRESHOLD, _NEVER), (_MMAP_MAX, 0)
    # musl has the function, too, but accepts no setting.
    return mallopt is not None and all([mallopt(*setting) == 1 for setting in settings])


@contextlib.contextmanager
def keep_random_state():
    """Restore the state of Python's random numbers after the block.

    `keras.utils.set_random_seed` seeds Python's random numbers, and Keras draws the seed of every
    layer from them. Any other draw changes the initial weights of the next model. Two calls draw
    unexpectedly: TFDS draws the name of a temporary folder when it prepares a data set, so a first
    and a second run would begin with different weights; and a copy of a model draws new seeds.
    Inside the block the numbers are truly random: two processes draw different folder names.
    """
    state = random.getstate()
    random.seed()
    try:
        yield
    finally:
        random.setstate(state)


@contextlib.contextmanager
def quiet():
    """Mute the warnings of TFDS about folders without metadata."""
    logger = logging.getLogger("absl")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def start_program():
    r"""Let this process print any character, and end quietly when a pipe is closed.

    A character that the encoding of the terminal or file lacks is printed as an escape, `\u03b1`.
    When the reader closes the pipe, as in `| head -1`, the program ends with status 1 and without
    a traceback. Call the function once, and only in a program, not in a library: it affects the
    whole process.

    Example:
        >>> start_program()
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # the streams of a notebook lack it
            stream.reconfigure(errors="backslashreplace")
    if sys.excepthook is not _end_quietly:
        _end_quietly.otherwise = sys.excepthook
        sys.excepthook = _end_quietly
        atexit.register(_flush)


def discard_output():
    """Discard all further output; call it after a BrokenPipeError."""
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


def _end_quietly(kind, error, traceback):
    if issubclass(kind, BrokenPipeError):
        discard_output()
    else:
        _end_quietly.otherwise(kind, error, traceback)


def _flush():
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        discard_output()
    except ValueError:  # the stream is closed already
        pass
