import gzip
import io

import pytest

from kerasseq.text.lines import decode_lines, read_lines

ODD = "one\r still\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029 one"


@pytest.fixture(params=["plain", "text.gz", "TEXT.GZ"])
def write(request, tmp_path):
    """Return a function that writes a file, compressed if its name says so."""

    def write_file(data):
        file = tmp_path / request.param
        file.write_bytes(gzip.compress(data) if file.suffix else data)
        return file

    return write_file


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("\n", [""]),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("a\n\n", ["a", ""]),
        ("a\r\nb\r\n", ["a", "b"]),
        ("a\r\r\nb\r", ["a\r", "b\r"]),
        ("\r\n\ra", ["", "\ra"]),
        (f"{ODD}\ntwo", [ODD, "two"]),
        ("\ufeffa\n\ufeffb\n", ["a", "\ufeffb"]),
    ],
)
def test_only_line_feeds_end_lines(write, text, lines):
    assert read_lines(str(write(text.encode()))) == lines


def test_a_line_that_is_not_utf_8_is_named(write):
    with pytest.raises(ValueError, match=r"(?i)must be UTF-8. Received: .*(plain|gz), line 2"):
        read_lines(write(b"a\n\xff\n"))


def test_what_is_not_utf_8_can_be_replaced():
    assert list(decode_lines([b"a\xff\n", b"b"], "x", errors="replace")) == ["a\ufffd", "b"]


def test_a_line_is_there_before_the_next_is_read():
    stream = io.BytesIO(b"a\nb\n")
    assert next(decode_lines(stream, "x")) == "a"
    assert stream.tell() == 2
