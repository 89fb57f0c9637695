"""An output folder in; whether an earlier run's report is there, and that taken away, out.

Whoever reads the folder after a run that was refused or killed must not find another run's verdict.
What mergebar didn't write stays. No link is followed.
"""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

REPORT = "report.json"
EXPORTS = ("comment.md", "summary.md", "report.html")
DOCUMENTS = "documents"
OWN = frozenset({REPORT, *EXPORTS, DOCUMENTS, "recordings", "cache", "journal.jsonl"})
"""All that mergebar puts there."""

_BEGINS = re.compile(rb'\s*\{\s*"schema"\s*:\s*"mergebar\.report/\d')
_HEAD = 256
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def is_there(folder: Path) -> bool:
    """Whether it holds a report that mergebar wrote."""
    with _opened(folder) as at:
        return at is not None and _is_ours(at)


def is_ours(folder: Path) -> bool:
    """Whether a report may be put there: it is new or empty, or all in it is mergebar's."""
    with _opened(folder) as at:
        if at is None:
            return not os.path.lexists(folder)
        names = set(os.listdir(at))  # noqa: PTH208 - by descriptor
        return _is_ours(at) if REPORT in names else names <= OWN


def withdraw(folder: Path) -> bool:
    """Take an earlier report away, and what is drawn from it; whether there was one.

    The journal stays, which an interrupted run is gone on with.
    """
    with _opened(folder) as at:
        if at is None or not _is_ours(at):
            return False
        for name in (REPORT, *EXPORTS):
            with suppress(OSError):
                os.unlink(name, dir_fd=at)
        # A link to elsewhere is refused, and nothing is followed on the way down.
        with suppress(OSError, RecursionError):
            shutil.rmtree(DOCUMENTS, dir_fd=at)
        return not _is_ours(at)


@contextmanager
def _opened(folder: Path) -> Iterator[int | None]:
    try:
        at = os.open(folder, _FOLDER)
    except OSError:
        yield None
        return
    try:
        yield at
    finally:
        os.close(at)


def _is_ours(folder: int) -> bool:
    try:
        handle = os.open(REPORT, _FILE, dir_fd=folder)
    except OSError:
        return False
    with os.fdopen(handle, "rb") as file:
        try:
            return _BEGINS.match(file.read(_HEAD)) is not None
        except OSError:
            return False
