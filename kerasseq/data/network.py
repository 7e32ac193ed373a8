"""Fails at once where TFDS would try for minutes to reach a host that cannot be reached."""

import contextlib
import functools
import threading
import urllib.parse
from unittest import mock

_SECONDS = 5


@contextlib.contextmanager
def fail_fast():
    """Let downloads of TFDS within the block fail at once when the host does not answer.

    TFDS repeats a failed download ten times, which takes more than three minutes. Here every host
    is asked once before the first download from it. Hosts that answer get all the repetitions.
    """
    from tensorflow_datasets.core.download import downloader

    ask = functools.cache(_ask)
    open_url = downloader._open_url

    def open_if_reachable(url, **kwargs):
        address = urllib.parse.urlsplit(url)
        if address.scheme in ("http", "https"):
            if reason := ask(f"{address.scheme}://{address.netloc}"):
                raise ConnectionError(f"{url} cannot be reached ({reason})")
        return open_url(url, **kwargs)

    with mock.patch.object(downloader, "_open_url", open_if_reachable):
        yield


def _ask(host):
    """Return why a host does not answer, or None. Proxies are used as in the download itself."""
    import requests

    reason = [f"no answer in {2 * _SECONDS} seconds"]

    def request():
        try:
            requests.head(host, timeout=_SECONDS, allow_redirects=False)
            reason[0] = None
        except requests.RequestException as error:
            reason[0] = type(error).__name__

    # Looking up a name knows no time limit, hence the thread.
    thread = threading.Thread(target=request, daemon=True)
    thread.start()
    thread.join(2 * _SECONDS)
    return reason[0]
