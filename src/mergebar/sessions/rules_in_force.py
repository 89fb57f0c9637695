"""A rules file and a session in, why the rules were not in force out."""

import posixpath
import re

from mergebar.model.artifacts import Artifact
from mergebar.model.sessions import Capability, Session, lacking
from mergebar.patterns import GlobSet
from mergebar.sessions import paths

_HOST_FOLDERS = (".claude", ".github", ".cursor", ".kiro", ".gemini")
_BRACES = re.compile(r"\{([^{}]*)\}")
_MOST_ALTERNATIVES = 64


def not_in_force(session: Session, artifact: Artifact) -> str | None:
    """Why; `None` if they were.

    Rules at the root always are; those of a folder are where the session worked in it or touched
    something below it; scoped ones where a path that their globs match was touched.
    """
    if artifact.scope is not None and not artifact.scope.always:
        return _scoped(session, artifact)
    folder = _folder(artifact.path)
    if not folder or _within(session.cwd, folder):
        return None
    if any(_below(path, folder) for path in paths.touched(session)):
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


def _within(cwd: str | None, folder: str) -> bool:
    return cwd is not None and f"/{folder}/" in f"{paths.posix(cwd)}/"


def _below(path: str, folder: str) -> bool:
    return path.startswith(f"{folder}/") or f"/{folder}/" in path
