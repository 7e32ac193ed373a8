r"""Lines of text: only "\n" and "\r\n" end a line.

Python's `open` and `splitlines` also end lines at a lone "\r", a form feed or U+2028. In parallel
files, one such character would shift all lines after it against the other file.
"""

import codecs
import gzip
import pathlib
import zlib


def decode_lines(lines, name, errors="strict"):
    r"""Yield lines of UTF-8 as str, without their ends and without a byte-order mark.

    Args:
        lines: Iterable of bytes, such as a binary file: each line with its line feed.
        name: Name of the file, for the message.
        errors: `"strict"`, or `"replace"` to put U+FFFD for bytes that are not UTF-8.

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
    """Return the lines of a file of UTF-8, which is compressed if its name ends in `.gz`.

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
