"""Names and contents in, files in the report folder out: whole, inside it, and over nobody's input.

Every step goes through descriptors of folders without following links, so that a link planted
meanwhile leads nowhere else.
"""

import errno
import os
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Self

from mergebar.edge.git import Git, GitTrouble

# What the artifact service refuses in a path.
_FORBIDDEN = str.maketrans(dict.fromkeys('":<>|*?\\\r\n', "_"))
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why the folder can't be used: a whole sentence without its full stop."""

    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """Whom new files are given to."""

    user: int
    group: int


def owner_of(folder: Path) -> Owner | None:
    """The folder's owner where we are root and they aren't: a container's files would stay root's.

    A runner that isn't root couldn't clear its workspace again.
    """
    try:
        found = folder.stat()
    except OSError:
        return None
    if os.geteuid() != 0 or found.st_uid == 0:
        return None
    return Owner(user=found.st_uid, group=found.st_gid)


def names(paths: Iterable[str]) -> Mapping[str, str]:
    """A name for each path that the artifact service accepts; none is given twice."""
    given: dict[str, str] = {}
    taken: set[str] = set()
    for path in paths:
        plain = path.translate(_FORBIDDEN)
        name, number = plain, 1
        while name in taken:
            number += 1
            name = str(PurePosixPath(plain).with_stem(f"{PurePosixPath(plain).stem}~{number}"))
        taken.add(name)
        given[path] = name
    return given


def refuse(
    folder: Path,
    git: Git,
    *,
    what: str = "output folder",
    remedy: str = "choose another one with `--output`",
    apart: str | None = None,
) -> Refusal | None:
    """Why the folder can't be written to, before anything is measured; `None` if it can.

    `what` and `remedy` name in the message what the folder is for, and what else to choose;
    `apart` is a folder in it that is never written here and may be tracked.

    A folder that git tracks comes with the change under test: what is found there may stand in
    for a measurement, or be overwritten by one.
    """
    shown = f"the {what} `{folder.name or folder}`"
    try:
        real = folder.resolve()
        if folder.exists() and not folder.is_dir():
            return Refusal(message=f"{shown} is a file; {remedy}")
    except (OSError, RuntimeError) as error:
        return Refusal(message=f"{shown} can't be used: {_reason(error)}")
    return _tracked(folder.absolute(), real, git, shown=shown, remedy=remedy, apart=apart)


def write(
    folder: Path,
    files: Mapping[str, bytes],
    *,
    inputs: Iterable[Path] = (),
    owner: Owner | None = None,
) -> Refusal | None:
    """Write the files, in order; each is there whole or not at all. Other files are left alone.

    A name is a posix path below `folder`. Nothing is written if a name leaves the folder or is
    one of `inputs`.
    """
    try:
        real = folder.resolve()
        refused = _wrong_name(real, files) or _over_input(real, files, inputs)
        if refused:
            return refused
        _make(real, owner)
        with _Folder(real, owner) as top:
            for name, data in files.items():
                top.write(PurePosixPath(name).parts, data)
    except (OSError, RuntimeError) as error:
        at = f" at `{error.filename}`" if isinstance(error, OSError) and error.filename else ""
        return Refusal(message=f"can't write to `{folder.name}`{at}: {_reason(error)}")
    return None


def _tracked(
    folder: Path, real: Path, git: Git, *, shown: str, remedy: str, apart: str | None
) -> Refusal | None:
    """Whether git tracks the folder under the name given, or under the one that links lead to."""
    lexical = Path(os.path.normpath(folder))
    for repository, path in ((git.at(lexical.parent), lexical), (git.at(real), real)):
        top = repository.toplevel()
        if isinstance(top, GitTrouble):
            continue
        inside = os.path.relpath(path.parent.resolve() / path.name, top)
        answer = repository.is_tracked(PurePosixPath(inside).as_posix(), apart=apart)
        if isinstance(answer, GitTrouble):
            return Refusal(message=f"can't tell whether git tracks {shown}: {answer.message}")
        if answer:
            return Refusal(
                message=f"git tracks {shown}, so its content comes with the change under test; "
                f"remove it from git, or {remedy}"
            )
    home = git.toplevel()
    if isinstance(home, Path) and lexical.is_relative_to(home) and not real.is_relative_to(home):
        return Refusal(message=f"{shown} is a link out of the repository; {remedy}")
    return None


def _wrong_name(folder: Path, files: Mapping[str, bytes]) -> Refusal | None:
    for name in files:
        path = PurePosixPath(name)
        if not path.parts or path.is_absolute() or ".." in path.parts or "\0" in name:
            return Refusal(message=f"`{name!r}` is not a name inside `{folder.name}`")
    return None


def _over_input(folder: Path, files: Mapping[str, bytes], inputs: Iterable[Path]) -> Refusal | None:
    protected = {path.resolve(): path for path in inputs}
    for name in files:
        over = protected.get((folder / name).resolve())
        if over is not None:
            return Refusal(
                message=f"`{over.name}` is an input and would be overwritten by `{name}` in the "
                f"output folder `{folder.name}`; choose another folder with `--output`"
            )
    return None


def _make(folder: Path, owner: Owner | None) -> None:
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    for path in reversed(missing):
        path.mkdir(exist_ok=True)
        if owner:
            os.chown(path, owner.user, owner.group, follow_symlinks=False)


class _Folder:
    """An open folder, written to by name only."""

    def __init__(self, path: Path, owner: Owner | None) -> None:
        self._top = os.open(path, _FOLDER)
        self._owner = owner

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._top)

    def write(self, parts: tuple[str, ...], data: bytes) -> None:
        *folders, name = parts
        inner = os.dup(self._top)
        try:
            for folder in folders:
                outer, inner = inner, self._enter(inner, folder)
                os.close(outer)
            self._replace(inner, name, data)
        finally:
            os.close(inner)

    def _enter(self, outer: int, name: str) -> int:
        try:
            os.mkdir(name, dir_fd=outer)
        except FileExistsError:
            return os.open(name, _FOLDER, dir_fd=outer)
        inner = os.open(name, _FOLDER, dir_fd=outer)
        self._give(inner)
        return inner

    def _replace(self, folder: int, name: str, data: bytes) -> None:
        temporary = f".{name[:100]}.{secrets.token_hex(8)}"
        handle = os.open(temporary, _NEW_FILE, 0o666, dir_fd=folder)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
                stream.flush()
                self._give(stream.fileno())
            os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            os.unlink(temporary, dir_fd=folder)
            raise

    def _give(self, handle: int) -> None:
        if self._owner:
            os.fchown(handle, self._owner.user, self._owner.group)


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.errno in {errno.ENOTDIR, errno.ELOOP}:
        return "it is a link or a file, and a folder is needed"
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)
