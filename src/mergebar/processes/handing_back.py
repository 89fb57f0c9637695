"""A folder that our container was started in comes in; what we made there is its owner's, out.

Every command ends here, `--version` too, so this loads nothing that isn't loaded anyway.
"""

import os
from collections.abc import Mapping

MARK = "MERGEBAR_CONTAINER"
"""Set by our image, and by nothing else."""


def hand_back(top: str, environ: Mapping[str, str], *, since: float) -> None:
    """Give what was made as root below a folder, after that second, to whom the folder belongs.

    A runner or a person who isn't root couldn't remove it again. Elsewhere than in our container
    nothing is changed.
    """
    if not environ.get(MARK) or os.geteuid() != 0:
        return
    try:
        owner = os.stat(top)  # noqa: PTH116 - loads nothing
    except OSError:
        return
    if owner.st_uid == 0:
        return
    for _, folders, files, inside in os.fwalk(top):
        for name in (*folders, *files):
            _hand_over(name, inside, owner, since)


def _hand_over(name: str, folder: int, owner: os.stat_result, since: float) -> None:
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if found.st_uid == 0 and found.st_ctime >= since:
            os.chown(name, owner.st_uid, owner.st_gid, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return  # it is gone, or on a file system that knows no owners
