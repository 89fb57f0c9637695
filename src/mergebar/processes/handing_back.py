"""A folder that our container was started in comes in; what we made there is its owner's, out.

Every command ends here, `--version` too, so this loads nothing that isn't loaded anyway.
"""

import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from mergebar.processes import trees

MARK = "MERGEBAR_CONTAINER"
"""Set by our image, and by nothing else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A folder of somebody who isn't root, and what in it was root's before anything began."""

    top: str
    owner: tuple[int, int]
    account: int | None
    """Who runs the repository's code, and leaves files that only they could remove."""
    old: frozenset[trees.Identity]


def look(top: str, environ: Mapping[str, str]) -> Found | None:
    """`None` elsewhere than in our container, and where there is nothing to hand back."""
    if not environ.get(MARK) or os.geteuid() != 0:
        return None
    try:
        owner = os.stat(top)  # noqa: PTH116 - loads nothing
        handle = os.open(top, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        if owner.st_uid == 0:
            return None
        everything = trees.walk(handle)
        old = frozenset(trees.identity(found) for _, _, found in everything if found.st_uid == 0)
    finally:
        os.close(handle)
    return Found(
        top=top,
        owner=(owner.st_uid, owner.st_gid),
        account=_account(environ[MARK]),
        old=old,
    )


def hand_back(before: Found | None) -> None:
    """Give what root or the account made since to whom the folder belongs.

    A runner or a person who isn't root couldn't remove it again. Raises nothing: what can't be
    handed back stays as it is.
    """
    if before is None:
        return
    with suppress(OSError, MemoryError):
        handle = os.open(before.top, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for folder, name, found in trees.walk(handle):
                if _is_ours(found, before):
                    _hand_over(folder, name, before)
        finally:
            os.close(handle)


def _account(home: str) -> int | None:
    try:
        return os.stat(home).st_uid  # noqa: PTH116 - loads nothing
    except OSError:
        return None


def _is_ours(found: os.stat_result, before: Found) -> bool:
    if found.st_uid != 0:
        return found.st_uid == before.account != before.owner[0]
    has_one_name = stat.S_ISDIR(found.st_mode) or found.st_nlink == 1
    return has_one_name and trees.identity(found) not in before.old


def _hand_over(folder: int, name: str, before: Found) -> None:
    with suppress(OSError):  # it is gone, or on a file system that knows no owners
        trees.give(folder, name, before.owner, if_=lambda found: _is_ours(found, before))
