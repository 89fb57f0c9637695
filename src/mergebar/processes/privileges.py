"""Who runs the repository's code: an environment in, the account that it gets, or none, out.

In our container we are root, for the runner's sake. Code of the repository is not: as another
user it can't read our environment, write the runner's command files or talk to the Docker daemon,
whatever it leaves running. Elsewhere it runs as whoever runs mergebar.
"""

import errno
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypedDict

from mergebar.processes import handing_back, trees

MARK = handing_back.MARK
"""Set by our image to the HOME of the account: whoever owns that folder is who runs the code."""

_COMMAND_FILES = (
    "GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STATE", "GITHUB_STEP_SUMMARY",
)  # fmt: skip


class Options(TypedDict, total=False):
    """What starting a process as somebody else takes."""

    user: int
    group: int
    extra_groups: Sequence[int]
    umask: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A user without rights, with a HOME and a folder for temporary files."""

    user: int
    group: int
    home: Path


def account(environ: Mapping[str, str]) -> Account | None:
    """`None` outside of our container, and where we have no rights to give up.

    Raises OSError where there is no such account: nothing is run with our own rights instead.
    """
    home = environ.get(MARK)
    if not home or os.geteuid() != 0:
        return None
    try:
        owner = Path(home).stat()
    except OSError as error:
        raise _broken(f"`{MARK}` names no folder") from error
    if owner.st_uid == 0 or owner.st_gid == 0:
        raise _broken(f"`{MARK}` names a folder of root")
    return Account(user=owner.st_uid, group=owner.st_gid, home=Path(home))


def lowered(environ: Mapping[str, str]) -> tuple[dict[str, str], Options]:
    """The environment and the options to start the repository's code with.

    Raises OSError as `account` does.
    """
    found = account(environ)
    plain = {name: value for name, value in environ.items() if name != MARK}
    if found is None:
        return plain, {}
    home, temporary = str(found.home), str(_temporary(found))
    own = {"HOME": home, "TMPDIR": temporary, "TMP": temporary, "TEMP": temporary}
    named = dict.fromkeys(plain.keys() & {"USER", "LOGNAME"}, str(found.user))
    options: Options = {
        "user": found.user,
        "group": found.group,
        "extra_groups": (),
        "umask": 0o022,
    }
    return {**plain, **own, **named}, options


@cache
def _temporary(of: Account) -> Path:
    """Where its temporary files go: in its HOME, or elsewhere if that is read-only."""
    own = of.home / "tmp"
    try:
        with suppress(FileExistsError):
            own.mkdir(mode=0o700)
        give(own, of)
    except OSError as error:
        if error.errno != errno.EROFS:
            raise
        own = Path(tempfile.mkdtemp(prefix="mergebar-"))
        give(own, of)
    return own


def _broken(why: str) -> OSError:
    return OSError(errno.ENOSYS, f"{why}: the image is broken, and nothing runs as root instead")


def give(path: Path, to: Account) -> None:
    """Make a file or folder the account's; of a link the link itself."""
    os.chown(path, to.user, to.group, follow_symlinks=False)


def give_all(top: Path, environ: Mapping[str, str]) -> None:
    """Make a folder that nobody else can enter, and all that is in it, the account's.

    The folder itself comes last: until all is done, nothing that runs as the account can get in
    and put something else in the way. What has a second name somewhere isn't given away.
    Raises OSError, before anything is changed where the folder isn't closed.
    """
    to = account(environ)
    if to is None:
        return
    handle = os.open(top, trees.FOLDER)
    try:
        if os.fstat(handle).st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise PermissionError(errno.EPERM, "others may enter it while it is handed over")
        for folder, name, _ in trees.walk(handle):
            trees.give(folder, name, (to.user, to.group), if_=_has_one_name)
        os.fchown(handle, to.user, to.group)
    finally:
        os.close(handle)


def _has_one_name(found: os.stat_result) -> bool:
    return stat.S_ISDIR(found.st_mode) or found.st_nlink == 1


def seal(environ: Mapping[str, str]) -> None:
    """Keep the runner's command files from everybody but their owner, and us."""
    if not environ.get(MARK) or os.geteuid() != 0:
        return
    for path in _command_files(environ):
        with suppress(OSError):
            _without(path, stat.S_IRWXO)
            _without(path.parent, stat.S_IWOTH)


def _command_files(environ: Mapping[str, str]) -> Iterator[Path]:
    for name in _COMMAND_FILES:
        path = Path(environ.get(name) or "")
        if path.is_file() and not path.is_symlink():
            yield path


def _without(path: Path, rights: int) -> None:
    path.chmod(stat.S_IMODE(path.stat().st_mode) & ~rights)
