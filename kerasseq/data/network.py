"""`fail_fast`: an unreachable host stops a download of TFDS at once, not after minutes."""

import contextlib
import functools
import threading
import urllib.parse

_SECONDS = 5


@contextlib.contextmanager
def fail_fast():
    """Let downloads of TFDS inside the block fail at once if the host does not answer.

    TFDS repeats a failed download ten times, which takes more than three minutes. Inside the block,
    the first download from a host sends one request before. Only a host that answers gets the ten
    attempts.
    """
    # TFDS has no setting for the number of attempts, so its function is replaced for the block.
    from tensorflow_datasets.core.download import downloader

    reason_of = functools.cache(_failure_reason)
    open_url = downloader._open_url

    def open_if_reachable(url, **kwargs):
        address = urllib.parse.urlsplit(url)
        if address.scheme in ("http", "https"):
            if reason := reason_of(f"{address.scheme}://{address.netloc}"):
                raise ConnectionError(f"{url} cannot be reached ({reason})")
        return open_url(url, **kwargs)

    downloader._open_url = open_if_reachable
    try:
        yield
    finally:
        downloader._open_url = open_url


def _failure_reason(host):
    """Return why a host does not answer, or None. The request uses the same proxies as TFDS."""
    import requests

    reason = [f"no answer in {2 * _SECONDS} seconds"]

    def request():
        try:
            requests.head(host, timeout=_SECONDS, allow_redirects=False)
            reason[0] = None
        except requests.RequestException as error:
            reason[0] = type(error).__name__

    # The lookup of a name has no time limit, so a thread runs the request.
    thread = threading.Thread(target=request, daemon=True)
    thread.start()
    thread.join(2 * _SECONDS)
    return reason[0]
