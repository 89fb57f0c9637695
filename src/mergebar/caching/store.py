"""Keys and small texts in and out of a folder that several processes may share.

A text is there whole or not at all, and whatever else is found in its place is no text. What is put
is found at once, and in the folder at the latest when the store is closed. The folder is kept below
its size by removing what was unused for the longest time.
"""

import contextlib
import itertools
import os
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mergebar.caching.writing import Writer

LARGEST = 1024 * 1024
"""Bytes of a text that is kept."""

_FOLDER_NAME = 1
_KEY_LENGTH = 64
_SUFFIX = ".json"
_ABANDONED_S = 3600.0
_BLOCK = 512
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Store:
    """One folder. Keys are sha256 digests in hex. Nothing that goes wrong here stops a run."""

    def __init__(self, folder: Path, *, max_size: int) -> None:
        self.folder = folder
        self._folder = str(folder)
        self._max_size = max_size
        self._owner = _owner(folder)
        self._numbers = itertools.count()
        self._writer = Writer(self._write)
        self._written = False
        self._lost: OSError | None = None

    @property
    def trouble(self) -> str | None:
        """Why a text wasn't kept, if one wasn't: the first reason, for all of them."""
        if self._lost is None:
            return None
        return f"not everything could be kept in the cache: {self._lost.strerror or self._lost}"

    def get(self, key: str) -> bytes | None:
        """The text of a key, which counts as used now."""
        waiting = self._writer.waiting(key)
        if waiting is not None:
            return waiting
        path = self._path(key)
        try:
            handle = os.open(path, _READ)
        except OSError:
            return None
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                return None
            data = os.read(handle, LARGEST + 1)
            with contextlib.suppress(OSError):  # a folder that may only be read serves all the same
                os.utime(handle)
        except OSError:
            return None
        finally:
            os.close(handle)
        return data if 0 < len(data) <= LARGEST else None

    def put(self, key: str, data: bytes) -> None:
        """Keep a text; of two that come at once, one is kept."""
        if 0 < len(data) <= LARGEST:
            self._writer.add(key, data)

    @property
    def is_empty(self) -> bool:
        """Whether there can be nothing in it: then nothing is worth waiting for."""
        return not any(entry.is_dir() for entry in _entries(self._folder))

    def close(self) -> None:
        """Write what still waits, and bring the folder below its size, if anything was added."""
        self._writer.finish()
        if self._written:
            self._written = False
            _trim(self._folder, self._max_size)

    def _write(self, key: str, data: bytes) -> None:
        path = self._path(key)
        beside = f"{path}.{os.getpid()}.{next(self._numbers)}.tmp"
        try:
            _write(beside, data, self._owner)
            os.replace(beside, path)  # noqa: PTH105 - thousands of paths
        except OSError as error:
            self._lost = self._lost or error
            with contextlib.suppress(OSError):
                os.unlink(beside)  # noqa: PTH108 - as above
            return
        self._written = True

    def _path(self, key: str) -> str:
        return f"{self._folder}/{key[:_FOLDER_NAME]}/{key[_FOLDER_NAME:]}{_SUFFIX}"


@dataclass(frozen=True, slots=True, order=True)
class _File:
    used_at: float
    path: str
    size: int


def _owner(folder: Path) -> tuple[int, int] | None:
    """Whose the nearest folder above is, where we are root and it isn't root's.

    A container writes as root what the next step of the job, which isn't, has to read.
    """
    if os.geteuid() != 0:
        return None
    for each in (folder, *folder.absolute().parents):
        with contextlib.suppress(OSError):
            found = each.stat()
            if found.st_uid != 0:
                return found.st_uid, found.st_gid
    return None


def _write(path: str, data: bytes, owner: tuple[int, int] | None) -> None:
    try:
        handle = os.open(path, _NEW, 0o600)
    except FileNotFoundError:
        folder = os.path.dirname(path)  # noqa: PTH120 - as above
        os.makedirs(folder, mode=0o700, exist_ok=True)  # noqa: PTH103 - as above
        if owner is not None:
            os.chown(folder, *owner)
        handle = os.open(path, _NEW, 0o600)
    try:
        if owner is not None:
            os.fchown(handle, *owner)
        while data:
            data = data[os.write(handle, data) :]
    finally:
        os.close(handle)


def _trim(folder: str, max_size: int) -> None:
    files = sorted(_files(folder))
    size = sum(file.size for file in files)
    for file in files:
        if size <= max_size:
            return
        with contextlib.suppress(OSError):
            os.unlink(file.path)  # noqa: PTH108 - thousands of paths
            size -= file.size


def _files(folder: str) -> Iterator[_File]:
    """Our own files alone, whatever else is in the folder; what a dead process left is removed."""
    for inner in _entries(folder):
        if len(inner.name) != _FOLDER_NAME or not inner.is_dir(follow_symlinks=False):
            continue
        for entry in _entries(inner.path):
            with contextlib.suppress(OSError):
                found = entry.stat(follow_symlinks=False)
                if not stat.S_ISREG(found.st_mode) or not _is_ours(entry.name):
                    continue
                if entry.name.endswith(_SUFFIX):
                    size = max(found.st_size, found.st_blocks * _BLOCK)
                    yield _File(found.st_mtime, entry.path, size)
                elif found.st_mtime < time.time() - _ABANDONED_S:
                    os.unlink(entry.path)  # noqa: PTH108 - as above


def _entries(folder: str) -> list["os.DirEntry[str]"]:
    try:
        with os.scandir(folder) as found:
            return list(found)
    except OSError:
        return []


def _is_ours(name: str) -> bool:
    digest, _, rest = name.partition(".")
    is_digest = len(digest) == _KEY_LENGTH - _FOLDER_NAME and not digest.strip("0123456789abcdef")
    return is_digest and (rest == "json" or (rest.startswith("json.") and rest.endswith(".tmp")))
