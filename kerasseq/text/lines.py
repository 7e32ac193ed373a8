r"""Lines of text: "\n" and "\r\n" end one, and nothing else does.

Python's `open` and `splitlines` also end lines at a lone "\r", at form feeds or U+2028. Where
line 7 of one file belongs to line 7 of another, one such character would shift all that follow.
"""

import codecs
import gzip
import pathlib
import zlib


def decode_lines(lines, name, errors="strict"):
    r"""Decode lines of UTF-8 and take their ends off; a byte-order mark at the start is no text.

    Args:
        lines: Iterable of bytes, each but the last with its line feed, as a binary file has them.
        name: Where they come from, for the message.
        errors: `"strict"`, or `"replace"` to put U+FFFD for what is not UTF-8.

    Yields:
        Str, as soon as the line is there.

    Raises:
        ValueError: If a line is not UTF-8.

    Example:
        >>> list(decode_lines([b"one\r\n", b"two\rstill two\n", b"three"], "example"))
        ['one', 'two\rstill two', 'three']
    """
    for number, line in enumerate(lines, start=1):
        line = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
        ending = b"\r\n" if line.endswith(b"\r\n") else b"\n"
        try:
            yield line.removesuffix(ending).decode("utf-8", errors)
        except UnicodeDecodeError as error:
            raise ValueError(
                f"Text must be UTF-8. Received: {name}, line {number}: {error}"
            ) from error


def read_lines(file):
    """Read a file of UTF-8, compressed if its name ends in `.gz`, as a list of lines.

    Raises:
        ValueError: If a line is not UTF-8, or a compressed file is not whole.
        OSError: If the file cannot be read.
    """
    file = pathlib.Path(file)
    with file.open("rb") as opened:
        if file.suffix.lower() != ".gz":
            return list(decode_lines(opened, file))
        try:
            with gzip.open(opened) as lines:
                return list(decode_lines(lines, file))
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise ValueError(f"A .gz file must be whole. Received: {file}: {error}") from error
