"""What every program of this project does when it starts: its output fits any terminal and pipe."""

import atexit
import os
import sys


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
