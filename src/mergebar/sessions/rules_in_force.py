"""A rules file and a session in, why the rules were not in force out."""

import posixpath
import re
from collections.abc import Iterator

from mergebar.model.artifacts import Artifact
from mergebar.model.sessions import Capability, Session, lacking
from mergebar.patterns import GlobSet
from mergebar.sessions import paths

_HOST_FOLDERS = (".claude", ".github", ".cursor", ".kiro", ".gemini")
_BRACES = re.compile(r"\{([^{}]*)\}")
_MOST_ALTERNATIVES = 64
_NO_REPOSITORIES = frozenset({
    "/home", "/Users", "/usr", "/usr/src", "/opt", "/srv", "/mnt", "/var",
})  # fmt: skip
"""Folders of a machine that hold repositories, and are none."""


def not_in_force(session: Session, artifact: Artifact) -> str | None:
    """Why; `None` if they were.

    Rules at the root always are; those of a folder are where the session worked in it or touched
    something below it; scoped ones where a path that their globs match was touched.
    """
    if artifact.scope is not None and not artifact.scope.always:
        return _scoped(session, artifact)
    folder = _folder(artifact.path)
    if not folder or _worked_in(session, folder):
        return None
    return (
        f"`{artifact.path}` was not in force: the session didn't work in `{folder}` "
        "and touched nothing below it"
    )


def _scoped(session: Session, artifact: Artifact) -> str | None:
    globs = artifact.scope.globs if artifact.scope is not None else ()
    if not globs:
        return f"`{artifact.path}` applies only when somebody asks for it, which no trace records"
    missing = lacking(session, (Capability.FILE_OPERATIONS,))
    if missing is not None:
        return missing
    selected = GlobSet([each for glob in globs for each in alternatives(glob)])
    if any(selected.matches(path) for path in paths.touched(session)):
        return None
    return f"`{artifact.path}` was not in force: nothing that its globs match was touched"


def alternatives(glob: str) -> list[str]:
    """`*.{ts,tsx}` as `*.ts` and `*.tsx`: hosts read braces, and our globs don't."""
    found = [glob]
    while len(found) < _MOST_ALTERNATIVES:
        place = next((n for n, each in enumerate(found) if _BRACES.search(each)), None)
        if place is None:
            return found
        each = found.pop(place)
        braces = _BRACES.search(each)
        if braces is not None:
            found += [
                each[: braces.start()] + choice.strip() + each[braces.end() :]
                for choice in braces[1].split(",")
            ]
    return found[:_MOST_ALTERNATIVES]


def _folder(path: str) -> str:
    """The folder that a rules file speaks for: that of the file, outside of a host's own."""
    parts = posixpath.dirname(path).split("/")
    own = next((n for n, part in enumerate(parts) if part in _HOST_FOLDERS), len(parts))
    return "/".join(parts[:own])


def _worked_in(session: Session, folder: str) -> bool:
    """Whether a session was in a folder of the repository, or touched something below it.

    Where the repository began on its machine is nowhere recorded: at the session's own folder or
    above it. So `app` isn't `packages/app`, nor is `/app` itself.
    """
    cwd = paths.posix(session.cwd or "")
    own = [f"{root}/{folder}/" for root in _roots(cwd)]
    named = (_below(cwd, path) for path in paths.touched(session))
    return any(
        path.startswith(tuple(own)) if cwd and path.startswith(f"{cwd}/") else f"/{folder}/" in path
        for path in (f"{cwd}/", *named)
    )


def _roots(cwd: str) -> Iterator[str]:
    """The folders at which the repository may begin."""
    parts = cwd.split("/")
    for number in range(len(parts), 1, -1):
        root = "/".join(parts[:number])
        if root not in _NO_REPOSITORIES:
            yield root


def _below(cwd: str, path: str) -> str:
    """A path that is relative, below the session's folder."""
    return path if paths.is_absolute(path) else f"{cwd}/{path}"
