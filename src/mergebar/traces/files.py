"""A path in, an open trace or why it can't be one out: its kind, its size, its first bytes."""

import os
import stat
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from mergebar.model.problems import Level, Problem
from mergebar.traces import formats

_HEAD = 65_536
_WIDE = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
_MAGIC = (
    (b"\x1f\x8b", "gzip-compressed: unpack it first"),
    (b"(\xb5/\xfd", "zstd-compressed: unpack it first"),
    (b"SQLite format 3\x00", "an SQLite database, and no trace is read from one"),
    (b"%PDF-", "a PDF"),
    (b"\x89PNG", "an image"),
)
_KINDS = (
    (stat.S_ISDIR, "a directory: name one of the files in it"),
    (stat.S_ISFIFO, "a named pipe, not a regular file"),
    (stat.S_ISSOCK, "a socket, not a regular file"),
    (stat.S_ISCHR, "a device, not a regular file"),
    (stat.S_ISBLK, "a device, not a regular file"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A regular file that may hold a trace; the caller closes it."""

    file: BinaryIO
    size: int
    head: bytes


def refusal(rule: str, message: str, name: str, *, line: int | None = None) -> Problem:
    """Why a file is no trace."""
    return Problem(level=Level.ERROR, rule=f"trace/{rule}", message=message, path=name, line=line)


def open_trace(path: Path, name: str) -> Opened | Problem:
    """Open a file, without waiting for a pipe; `name` is how messages call it."""
    try:
        # A pipe would wait for its writer for as long as it takes.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except (OSError, ValueError) as error:
        return refusal("unreadable", _unreadable(error), name)
    status = os.fstat(descriptor)
    problem = _wrong_kind(status.st_mode, name)
    if problem:
        os.close(descriptor)
        return problem
    file = open(descriptor, "rb")  # noqa: PTH123, SIM115 - a descriptor has no path, and it stays
    try:
        head = file.read(_HEAD)
    except OSError as error:
        file.close()
        return refusal("unreadable", _unreadable(error), name)
    problem = _wrong_bytes(path, head, name)
    if problem:
        file.close()
        return problem
    file.seek(0)
    return Opened(file=file, size=status.st_size, head=head)


def _unreadable(error: OSError | ValueError) -> str:
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return f"the file can't be read: {reason.lower()}"


def _wrong_kind(mode: int, name: str) -> Problem | None:
    if stat.S_ISREG(mode):
        return None
    kind = next((text for test, text in _KINDS if test(mode)), "not a regular file")
    return refusal("directory" if stat.S_ISDIR(mode) else "unreadable", f"this is {kind}", name)


def _wrong_bytes(path: Path, head: bytes, name: str) -> Problem | None:
    if head.startswith(b"PK\x03\x04"):
        return _zipped(path, name)
    wide = next((encoding for mark, encoding in _WIDE if head.startswith(mark)), None)
    if wide:
        return refusal("encoding", f"the file is {wide}: save it as UTF-8", name, line=1)
    magic = next((what for start, what in _MAGIC if head.startswith(start)), None)
    if magic:
        return refusal("binary", f"the file is {magic}", name, line=1)
    if not head.strip(b" \t\r\n") and len(head) < _HEAD:
        return refusal("empty", "the file is empty: the run that wrote it recorded nothing", name)
    return _nul(head, name)


def _nul(head: bytes, name: str) -> Problem | None:
    """In the first line only: a crash may leave a hole of NULs in a file that is good before."""
    first = head[: max(head.find(b"\n"), 4)] if b"\n" in head else head
    if b"\x00" not in first:
        return None
    if _ascii_in_utf16(head[0:4:2], head[1:4:2]) or _ascii_in_utf16(head[1:4:2], head[0:4:2]):
        return refusal("encoding", "the file is UTF-16: save it as UTF-8", name, line=1)
    return refusal("binary", "the file is binary: a trace is text", name, line=1)


def _ascii_in_utf16(letters: bytes, between: bytes) -> bool:
    """Whether every other byte of a beginning is a letter, and those between them are NUL."""
    return between == b"\x00\x00" and b"\x00" not in letters and letters.isascii()


def _zipped(path: Path, name: str) -> Problem:
    try:
        with zipfile.ZipFile(path) as archive:
            held = set(archive.namelist())
    except (OSError, ValueError, zipfile.BadZipFile):
        held = set()
    if held & {"header.json", "_journal/start.json"}:
        return unavailable("inspect-eval", name)
    return refusal("binary", "the file is a ZIP archive: unpack it first", name, line=1)


def unavailable(format_name: str, name: str) -> Problem:
    """A format that is known, and can't be read yet."""
    message = (
        f"this is {formats.title(format_name)}: that format is not available yet; "
        f"mergebar reads {formats.known()}"
    )
    return refusal("unsupported-format", message, name)
