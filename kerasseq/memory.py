"""Keep freed memory: what makes training with large tensors on a CPU half as fast again."""

import ctypes
import sys

# Of mallopt(3).
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
