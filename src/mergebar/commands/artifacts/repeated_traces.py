"""Changed traces and the base in; those of them that show nothing that one of the base doesn't out.

A session that was only moved, copied or spaced otherwise was not recorded again.
"""

import hashlib
from collections.abc import Callable, Collection, Iterator
from pathlib import Path, PurePosixPath

from mergebar.model.changes import Changes

_SPACE = b" \t\r\n\v\f"
_MARK = b"\xef\xbb\xbf"
_CHUNK = 1024 * 1024


def find(
    top: Path,
    changed: Collection[str],
    *,
    kept: Collection[str],
    changes: Changes,
    before: Callable[[str], bytes | None],
) -> frozenset[str]:
    """`kept` are the traces that didn't change. What can't be read repeats nothing."""
    shown = {path: digest for path in changed if (digest := _of_file(top / path)) is not None}
    known = {_of_bytes(data) for data in _earlier(changed, changes, before)}
    if not known.issuperset(shown.values()):
        known |= {digest for path in kept if (digest := _of_file(top / path)) is not None}
    return frozenset(path for path, digest in shown.items() if digest in known)


def _earlier(
    changed: Collection[str], changes: Changes, before: Callable[[str], bytes | None]
) -> Iterator[bytes]:
    """What was at the paths of these traces, and at those of files like them that are gone."""
    endings = {PurePosixPath(path).suffix for path in changed}
    paths = {
        old
        for one in changes.files
        for old in (one.path, one.old_path)
        if old is not None and (old in changed or PurePosixPath(old).suffix in endings)
    }
    for path in sorted(paths):
        data = before(path)
        if data is not None:
            yield data


def _of_bytes(data: bytes) -> str:
    return hashlib.sha256(data.removeprefix(_MARK).translate(None, _SPACE)).hexdigest()


def _of_file(path: Path) -> str | None:
    hashed = hashlib.sha256()
    try:
        if not path.is_file():  # a pipe would never end
            return None
        with path.open("rb") as file:
            part = file.read(_CHUNK).removeprefix(_MARK)
            while part:
                hashed.update(part.translate(None, _SPACE))
                part = file.read(_CHUNK)
    except OSError:
        return None
    return hashed.hexdigest()
