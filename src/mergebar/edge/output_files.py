"""Names and contents in, files in the report folder out: whole, inside it, and over nobody's input.

Every step goes through descriptors of folders without following links, so that a link planted
meanwhile leads nowhere else.
"""

import contextlib
import errno
import os
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Self

from mergebar.edge.git import Git, GitTrouble

# Folders on the way may be such that nobody may list them, where the system can open those.
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
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


def prepare(
    folder: Path, *, inputs: Iterable[Path] = (), owner: Owner | None = None
) -> Path | Refusal:
    """Make the folder, try it, and say where it really is: once, before anything else runs.

    `write` then follows no link to it, so that one that is planted meanwhile is noticed. A folder
    that holds one of `inputs` is nobody's to write reports to.
    """
    try:
        real = folder.resolve()
        refused = over(real, inputs, shown=str(folder))
        if refused is not None:
            return refused
        made = _make(real, owner)
        with _Folder(made, owner) as top:
            top.try_out()
    except (OSError, RuntimeError) as error:
        return _unwritable(folder, error)
    return real


def over(folder: Path, inputs: Iterable[Path], *, shown: str) -> Refusal | None:
    """Why a folder that is, or holds, what a run reads is none for its reports."""
    real = folder.resolve()
    for path in inputs:
        # Not `resolve`, which raises for a loop of links: that is the reader's to say.
        if Path(os.path.realpath(path)).is_relative_to(real):
            return Refusal(
                message=f"the output folder `{shown}` holds `{path.name or path}`, which a run "
                "reads; choose another folder with `--output`"
            )
    return None


def write(
    folder: Path,
    files: Mapping[str, bytes],
    *,
    inputs: Iterable[Path] = (),
    owner: Owner | None = None,
) -> Refusal | None:
    """Write the files, in order; each is there whole or not at all. Other files are left alone.

    `folder` is what `prepare` gave: no link is followed, not on the way to it either. A name is a
    posix path below it. Nothing is written if a name leaves the folder or is one of `inputs`.
    """
    try:
        refused = _wrong_name(folder, files) or _over_input(folder, files, inputs)
        if refused:
            return refused
        with _Folder(_make(folder, owner), owner) as top:
            for name, data in files.items():
                top.write(PurePosixPath(name).parts, data)
    except (OSError, RuntimeError) as error:
        return _unwritable(folder, error)
    return None


def _unwritable(folder: Path, error: Exception) -> Refusal:
    at = f" at `{error.filename}`" if isinstance(error, OSError) and error.filename else ""
    return Refusal(message=f"can't write to `{folder.name or folder}`{at}: {_reason(error)}")


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
    protected = {os.path.realpath(path): path for path in inputs}
    for name in files:
        over = protected.get(os.path.realpath(folder / name))
        if over is not None:
            return Refusal(
                message=f"`{over.name}` is an input and would be overwritten by `{name}` in the "
                f"output folder `{folder.name}`; choose another folder with `--output`"
            )
    return None


def _make(folder: Path, owner: Owner | None) -> int:
    """A descriptor of the folder, made where it is missing; no part of its path may be a link."""
    at = os.open("/", _FOLDER)
    try:
        for name in folder.parts[1:]:
            outer, at = at, _enter(at, name, owner)
            os.close(outer)
    except BaseException:
        os.close(at)
        raise
    return at


def _enter(outer: int, name: str, owner: Owner | None) -> int:
    try:
        return os.open(name, _FOLDER, dir_fd=outer)
    except FileNotFoundError:
        with contextlib.suppress(FileExistsError):  # somebody was faster
            os.mkdir(name, dir_fd=outer)
            _give(outer, name, owner)
    return os.open(name, _FOLDER, dir_fd=outer)


def _give(folder: int, name: str, owner: Owner | None) -> None:
    if owner:
        os.chown(name, owner.user, owner.group, dir_fd=folder, follow_symlinks=False)


class _Folder:
    """An open folder, written to by name only."""

    def __init__(self, handle: int, owner: Owner | None) -> None:
        self._top = handle
        self._owner = owner

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._top)

    def try_out(self) -> None:
        """Raises OSError where no file can be made."""
        name = _temporary()
        os.close(os.open(name, _NEW_FILE, 0o666, dir_fd=self._top))
        os.unlink(name, dir_fd=self._top)

    def write(self, parts: tuple[str, ...], data: bytes) -> None:
        *folders, name = parts
        inner = os.dup(self._top)
        try:
            for folder in folders:
                outer, inner = inner, _enter(inner, folder, self._owner)
                os.close(outer)
            self._replace(inner, name, data)
        finally:
            os.close(inner)

    def _replace(self, folder: int, name: str, data: bytes) -> None:
        temporary = _temporary()
        handle = os.open(temporary, _NEW_FILE, 0o666, dir_fd=folder)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
                stream.flush()
                if self._owner:
                    os.fchown(stream.fileno(), self._owner.user, self._owner.group)
            os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            os.unlink(temporary, dir_fd=folder)
            raise


def _temporary() -> str:
    return f".mergebar-{secrets.token_hex(8)}"


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.errno in {errno.ENOTDIR, errno.ELOOP}:
        return "it is a link or a file, and a folder is needed"
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)
