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
    """Let this process keep the memory that it frees, for the next tensor of the size.

    glibc asks the system for every large block anew and gives it back at once, and the system
    fills each of its pages with zeros: in a training step with logits of 50 MB that took a third of
    the time. To be called once, before the first large tensor, by a program, not by a library: it
    concerns the whole process. Without glibc, on macOS or Windows say, it does nothing.

    The same without a call: `MALLOC_TRIM_THRESHOLD_=2147483647 MALLOC_MMAP_MAX_=0 python …`.

    Returns:
        Whether there is a glibc, and it agreed.

    Example:
        >>> keep_memory() in (True, False)
        True
    """
    if not sys.platform.startswith("linux"):
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    settings = (_TRIM_THRESHOLD, _NEVER), (_MMAP_MAX, 0)
    # musl has the function, too, but agrees to nothing.
    return mallopt is not None and all([mallopt(*setting) == 1 for setting in settings])


@contextlib.contextmanager
def keep_random_state():
    """Keep what is drawn within the block apart from Python's random numbers.

    `keras.utils.set_random_seed` seeds them, and Keras draws from them the seed of every layer. So
    whatever else draws changes the first weights of the next model. TFDS does, for the name of the
    folder into which it writes a set that is not there yet: a second run would begin with other
    weights than the first, and two processes would draw the same name. Copying a model does, too.
    """
    state = random.getstate()
    random.seed()
    try:
        yield
    finally:
        random.setstate(state)


@contextlib.contextmanager
def quiet():
    """Mute the remarks of TFDS about folders without metadata."""
    logger = logging.getLogger("absl")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def start_program():
    r"""Let this process print any character, and end quietly when its reader has enough.

    A character that the encoding of the terminal or file lacks is printed as `\u03b1`. A closed
    pipe, as of `| head -1`, ends the program with status 1 and without a word. To be called once by
    a program, not by a library: it concerns the whole process.

    Example:
        >>> start_program()
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # not so in a notebook
            stream.reconfigure(errors="backslashreplace")
    if sys.excepthook is not _end_quietly:
        _end_quietly.otherwise = sys.excepthook
        sys.excepthook = _end_quietly
        atexit.register(_flush)


def discard_output():
    """Send what is still to be printed nowhere; call it after a BrokenPipeError."""
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
    except ValueError:  # it is closed already
        pass
