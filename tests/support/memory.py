"""The memory of this process."""

import resource


def peak_memory():
    """Return the most bytes that this process has held at once, on Linux."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
