"""The repository's git configuration and the runner's folder in; which tokens were left there, out.

Code of the repository can read both, and `actions/checkout` leaves the job's token in one of them
unless it is told not to. Files are only looked at, and changed by nobody.
"""

import os
import re
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path

_LIMIT = 1024 * 1024
_FILES = 50
_NAMES = "git-credentials-*.config"
_SECTION = re.compile(r'^[ \t]*\[[ \t]*([A-Za-z0-9.-]+)(?:[ \t]+"(?:[^"\\\n]|\\.)*")?[ \t]*\]')
_HEADER = re.compile(r"^[ \t]*extraheader[ \t]*=[ \t]*\S", re.IGNORECASE)
_IN_ADDRESS = re.compile(
    r"^[ \t]*(?:push)?url[ \t]*=[ \t]*\"?https?://[^\s/@:]{0,200}:[^\s/@]{8,}@", re.IGNORECASE
)
_PATH = re.compile(
    r'^[ \t]*path[ \t]*=[ \t]*(?:"((?:[^"\\\n]|\\.)*)"|([^\s"#;][^"#;\n]*))', re.IGNORECASE
)
_INCLUDING = {"include", "includeif"}

_OWN = "`.git/config`"
_INCLUDED = "a file that `.git/config` includes"
_TEMPORARY = f"`{_NAMES}` in the runner's temporary folder"


def warning(top: Path, environ: Mapping[str, str]) -> str | None:
    """What to say of the repository at `top` and of `RUNNER_TEMP`, where something is to be."""
    places = list(dict.fromkeys(_places(top, environ)))
    if not places:
        return None
    return (
        f"the checkout left a token in {' and in '.join(places)}, where code of this repository "
        "can read it: give `actions/checkout` the input `persist-credentials: false`"
    )


def _places(top: Path, environ: Mapping[str, str]) -> Iterator[str]:
    temporary = environ.get("RUNNER_TEMP", "")
    kept = _kept(Path(temporary)) if temporary else ()
    for path, text in _configurations(_start(top / ".git"), environ):
        if _has_token(text) and path not in kept:
            yield _OWN if path.name in {"config", "config.worktree"} else _INCLUDED
    for path in kept:
        if _has_token(_read(path) or ""):
            yield _TEMPORARY


def _kept(folder: Path) -> tuple[Path, ...]:
    """Where a newer checkout keeps it, wherever the configuration says that this folder is."""
    try:
        found = sorted(folder.glob(_NAMES))
    except OSError:
        return ()
    return tuple(Path(os.path.realpath(one)) for one in found[:_FILES])


def _start(git: Path) -> list[Path]:
    """A repository's own files; `.git` is a file itself in submodules and further worktrees."""
    said = _read(git) or ""
    if said.startswith("gitdir:"):
        git = git.parent / said.removeprefix("gitdir:").strip()
    shared = git / (_read(git / "commondir") or ".").strip()
    try:
        parts = sorted(shared.glob("modules/*/config"))
    except OSError:
        parts = []
    return [shared / "config", git / "config.worktree", *parts[:_FILES]]


def _configurations(waiting: list[Path], environ: Mapping[str, str]) -> Iterator[tuple[Path, str]]:
    """These and what they include, each once; who includes without end is followed so far only."""
    seen: set[Path] = set()
    while waiting and len(seen) < _FILES:
        path = Path(os.path.realpath(waiting.pop(0)))
        if path in seen:
            continue
        seen.add(path)
        text = _read(path)
        if text is not None:
            yield path, text
            waiting += (_included(path, one, environ) for one in _includes(text))


def _includes(text: str) -> Iterator[str]:
    """Every path, under whatever condition: for some repository it holds."""
    section = ""
    for line in text.splitlines():
        opened = _SECTION.match(line)
        if opened is not None:
            section = opened[1].lower()
        found = _PATH.match(_inside(line))
        if found is not None and section in _INCLUDING:
            quoted = found[1]
            yield found[2].strip() if quoted is None else re.sub(r"\\(.)", r"\1", quoted)


def _included(by: Path, named: str, environ: Mapping[str, str]) -> Path:
    home = environ.get("HOME", "")
    if named.startswith("~/") and home:
        return Path(home) / named[2:]
    return by.parent / named


def _has_token(text: str) -> bool:
    lines = [_inside(line) for line in text.splitlines()]
    return any(_HEADER.match(line) or _IN_ADDRESS.match(line) for line in lines)


def _inside(line: str) -> str:
    """What stands behind the heading of a section in the same line."""
    return _SECTION.sub("", line, count=1)


def _read(path: Path) -> str | None:
    """The begin of a plain file: nothing is waited for that somebody put in its place."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                return None
            return file.read(_LIMIT).decode("utf-8", "replace")
    except (OSError, ValueError):
        return None
