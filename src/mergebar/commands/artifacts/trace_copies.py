"""The paths of traces in; those that hold the same session as one before them out."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

_HEAD = 65_536
_NAMES = (b'"sessionId"', b'"session_id"')


def of(top: Path, paths: Sequence[str]) -> Mapping[str, str]:
    """Each copy with the trace that it is one of. Two sessions may well read alike: only files that
    name their session are compared.
    """
    sizes: dict[int, list[str]] = {}
    for path in paths:
        size = _size(top / path)
        if size:
            sizes.setdefault(size, []).append(path)
    same: dict[bytes, list[str]] = {}
    for alike in sizes.values():
        for path in alike if len(alike) > 1 else ():
            digest = _digest(top / path)
            if digest is not None:
                same.setdefault(digest, []).append(path)
    return {path: alike[0] for alike in same.values() for path in alike[1:]}


def _size(file: Path) -> int:
    """0 for what is compared with nothing: no file, or one whose sub-agents stand beside it."""
    try:
        return 0 if file.with_suffix("").is_dir() else file.stat().st_size
    except (OSError, ValueError):
        return 0


def _digest(file: Path) -> bytes | None:
    try:
        with file.open("rb") as opened:
            head = opened.read(_HEAD)
            if not any(name in head for name in _NAMES):
                return None
            opened.seek(0)
            return hashlib.file_digest(opened, "sha256").digest()
    except OSError:
        return None
