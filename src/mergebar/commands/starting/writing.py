"""Files to write in, what became of each out: nothing that is there is changed, but for .gitignore.

Nothing is written outside of the repository, whatever links lead there.
"""

import os
import stat
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from mergebar.reading import files
from mergebar.reading.limits import MAX_BYTES

_WHOLE = frozenset({".mergebar", ".mergebar/", "/.mergebar", "/.mergebar/"})
_OURS = ".mergebar/"


class Act(StrEnum):
    """What becomes of a file."""

    WRITE = "write"
    ADD = "add to"
    KEEP = "keep"
    FAIL = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A file as it would be. `path` is absolute, `shown` as reports call it.

    For an existing .gitignore, `text` is what is added at its end; `note` says more.
    """

    path: Path
    shown: str
    text: str
    act: Act = Act.WRITE
    note: str = ""


def new(path: Path, shown: str, text: str) -> Draft:
    """A file, if none is there."""
    if os.path.lexists(path):
        return Draft(path=path, shown=shown, text="", act=Act.KEEP, note="it is there already")
    return Draft(path=path, shown=shown, text=text)


def ignoring(path: Path, shown: str, lines: tuple[str, ...]) -> Draft:
    """A .gitignore with these lines: a new one, or those that are missing at the end."""
    if not os.path.lexists(path):
        return Draft(path=path, shown=shown, text="".join(f"{line}\n" for line in lines))
    data = None if path.is_symlink() else files.read(path.parent, path.name, limit=MAX_BYTES)
    if not isinstance(data, bytes):
        note = f"it can't be read safely: add {', '.join(f'`{line}`' for line in lines)} yourself"
        return Draft(path=path, shown=shown, text="", act=Act.KEEP, note=note)
    there = {line.strip() for line in data.decode("utf-8", "replace").splitlines()}
    note = ""
    if there & _WHOLE:
        note = "`.mergebar/` is ignored whole, so that recordings in it can't be committed"
        lines = tuple(line for line in lines if _OURS not in line)
    missing = [line for line in lines if line not in there]
    if not missing:
        has = note or "it has these lines"
        return Draft(path=path, shown=shown, text="", act=Act.KEEP, note=has)
    end = "\r\n" if b"\r\n" in data else "\n"
    text = "".join(f"{line}{end}" for line in missing)
    begin = end if data and not data.endswith(b"\n") else ""
    return Draft(path=path, shown=shown, text=begin + text, act=Act.ADD, note=note)


def write(draft: Draft, *, top: Path) -> Draft:
    """The same, or what went wrong."""
    try:
        if draft.act is Act.WRITE:
            _create(draft, top)
        elif draft.act is Act.ADD:
            _append(draft)
    except OSError as error:
        note = (error.strerror or str(error)).lower()
        return Draft(path=draft.path, shown=draft.shown, text="", act=Act.FAIL, note=note)
    return draft


def _create(draft: Draft, top: Path) -> None:
    folder = draft.path.parent
    if not Path(os.path.realpath(folder)).is_relative_to(top):
        raise OSError("a link leads out of the repository")
    folder.mkdir(parents=True, exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(draft.path, flags, 0o666), "wb") as file:
        file.write(draft.text.encode())


def _append(draft: Draft) -> None:
    flags = os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with os.fdopen(os.open(draft.path, flags), "ab") as file:
        if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            file.write(draft.text.encode())
