"""A stranger's archive in, the one file of it that was asked for out, or why it isn't fit to read.

Nothing is ever extracted to disk, and nothing is inflated beyond a limit.
"""

import os
import struct
import zipfile
import zlib
from typing import IO

from mergebar.edge.artifacts import names, outcomes
from mergebar.edge.artifacts.outcomes import ArtifactTrouble, TroubleKind
from mergebar.edge.artifacts.packing import Archive

_DIRECTORY_LIMIT = 1024 * 1024
_END = struct.Struct("<4s4H2LH")
_END_MARK, _ZIP64_MARK = b"PK\x05\x06", b"PK\x06\x07"
_LONGEST_COMMENT = 0xFFFF
_ZIP64_LOCATOR = 20
_ENCRYPTED = 0x1
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    ValueError,
    OverflowError,
    NotImplementedError,
)
"""What the library says of damaged bytes."""


class _UnfitError(Exception):
    """What is wrong with the archive; it never leaves this module."""


def file_in(archive: Archive, path: str, *, limit: int) -> bytes | ArtifactTrouble:
    """The content of the file at `path`, of at most `limit` bytes.

    An artifact that was uploaded without an archive is that file itself. An archive in which any
    name leads out of it was made to do harm, and nothing of it is taken.
    """
    try:
        if not zipfile.is_zipfile(archive.stream):
            return _whole(archive, limit)
        _check_directory(archive.stream)
        with zipfile.ZipFile(archive.stream) as opened:
            return _content(opened, _entry(opened, path), limit)
    except _UnfitError as error:
        return outcomes.not_read(TroubleKind.CONTENT, str(error))
    except _DAMAGE:
        return outcomes.not_read(TroubleKind.CONTENT, "it is a damaged archive")
    except OSError as error:
        return outcomes.not_read(TroubleKind.CONTENT, f"{error.strerror or error}")


def _whole(archive: Archive, limit: int) -> bytes:
    if archive.size > limit:
        raise _UnfitError(f"it has more than {limit} bytes")
    archive.stream.seek(0)
    return archive.stream.read(limit)


def _check_directory(stream: IO[bytes]) -> None:
    """Refuse a directory that would fill our memory: the library reads all of it on opening.

    Its end is looked for where the library looks.
    """
    size = stream.seek(0, os.SEEK_END)
    start = max(0, size - _END.size - _LONGEST_COMMENT)
    stream.seek(start)
    tail = stream.read()
    for place in {len(tail) - _END.size, tail.rfind(_END_MARK)}:
        if place < 0 or tail[place : place + 4] != _END_MARK or len(tail) < place + _END.size:
            continue
        length = _END.unpack_from(tail, place)[5]
        locator = tail[max(0, place - _ZIP64_LOCATOR) : place]
        if length > _DIRECTORY_LIMIT or locator.startswith(_ZIP64_MARK):
            raise _UnfitError("it has too many files")


def _entry(opened: zipfile.ZipFile, path: str) -> zipfile.ZipInfo:
    found = []
    for entry in opened.infolist():
        wrong = names.path_problem(entry.orig_filename.removesuffix("/"))
        if wrong:
            raise _UnfitError(f"the name of a file in it {wrong}")
        if entry.filename == path:
            found.append(entry)
    if not found:
        raise _UnfitError(f"it has no file `{path}`")
    if len(found) > 1:
        raise _UnfitError(f"it has the file `{path}` twice")
    return found[0]


def _content(opened: zipfile.ZipFile, entry: zipfile.ZipInfo, limit: int) -> bytes:
    if entry.flag_bits & _ENCRYPTED or entry.compress_type not in _METHODS:
        raise _UnfitError(f"its file `{entry.filename}` is encrypted, or packed in an unusual way")
    with opened.open(entry) as source:
        content = source.read(limit + 1)
    if len(content) > limit:
        raise _UnfitError(f"its file `{entry.filename}` has more than {limit} bytes")
    return content
