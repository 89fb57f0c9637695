"""Files in, one zip on disk out: the same bytes for the same files, whatever the clock says."""

import errno
import hashlib
import os
import stat
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from mergebar.edge.artifacts import names
from mergebar.edge.artifacts.outcomes import ArtifactTrouble, TroubleKind, not_uploaded
from mergebar.untrusted import characters

_FIRST_DAY = (1980, 1, 1, 0, 0, 0)
_MODE = 0o100644
_CHUNK = 1024 * 1024
_LEVEL = 6
_NAMED = 3
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """A finished zip. `digest` is `sha256:` and hexadecimal digits; `size` is in bytes."""

    stream: IO[bytes]
    size: int
    digest: str

    def block(self, number: int, *, size: int) -> bytes:
        """One of the blocks of `size` bytes, counted from 0; the last one may be shorter."""
        self.stream.seek(number * size)
        return self.stream.read(size)


class _UnfitError(Exception):
    """What stops the packing; it never leaves this module."""


def pack(
    files: Mapping[str, bytes | Path], stream: IO[bytes], *, limit: int
) -> Archive | ArtifactTrouble:
    """Write the files into `stream`, which is empty and can seek, by the paths that are the keys.

    A link is not followed: it could lead out of the folder that was meant. `limit` is for all of
    the contents together.
    """
    wrong = [f"{_shown(path)} {why}" for path in sorted(files) if (why := names.path_problem(path))]
    if not files:
        return _trouble("there is nothing to upload")
    if wrong:
        more = f", and {len(wrong) - _NAMED} more are wrong" if len(wrong) > _NAMED else ""
        return _trouble("; ".join(wrong[:_NAMED]) + more)
    try:
        _write(files, stream, limit=limit)
        return seal(stream)
    except _UnfitError as error:
        return _trouble(str(error))
    except OSError as error:
        return _trouble(f"it can't be packed: {error.strerror or error}")


def seal(stream: IO[bytes]) -> Archive:
    """A finished file with its size and digest."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(0)
    digest = hashlib.file_digest(stream, "sha256").hexdigest()  # type: ignore[arg-type]  # any binary file does
    return Archive(stream=stream, size=size, digest=f"sha256:{digest}")


def _write(files: Mapping[str, bytes | Path], stream: IO[bytes], *, limit: int) -> None:
    left = limit
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL) as archive:
        for path in sorted(files):
            entry = zipfile.ZipInfo(path, date_time=_FIRST_DAY)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, on every system
            entry.external_attr = _MODE << 16
            with archive.open(entry, "w") as member:
                for chunk in _chunks(path, files[path]):
                    left -= len(chunk)
                    if left < 0:
                        raise _UnfitError(f"the files have more than {limit} bytes together")
                    member.write(chunk)


def _chunks(name: str, content: bytes | Path) -> Iterator[bytes]:
    if isinstance(content, bytes):
        yield content
        return
    with _opened(name, content) as source:
        while chunk := source.read(_CHUNK):
            yield chunk


@contextmanager
def _opened(name: str, path: Path) -> Iterator[IO[bytes]]:
    try:
        handle = os.open(path, _READ)
    except OSError as error:
        reason = "it is a link" if error.errno == errno.ELOOP else error.strerror
        raise _UnfitError(f"{_shown(name)} can't be read: {reason}") from error
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise _UnfitError(f"{_shown(name)} is not a file")
    with os.fdopen(handle, "rb") as source:
        yield source


def _shown(path: str) -> str:
    return f"`{characters.line(path)[:100].replace('`', chr(39))}`"


def _trouble(why: str) -> ArtifactTrouble:
    return not_uploaded(TroubleKind.CONTENT, why)
