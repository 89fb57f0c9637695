"""`file-access`: whether a file was read, written or edited with the host's tools for files."""

from collections.abc import Iterator

from mergebar.graders import grades, options, session_paths, views
from mergebar.model.artifacts import DeclaredEval
from mergebar.model.conversations import Failure
from mergebar.model.gradings import Demands, Grade, Grader, Means, Seen
from mergebar.model.plans import Withholding
from mergebar.model.sessions import Capability, FileAction, FileOperation

_DONE = {
    FileAction.READ: "read",
    FileAction.WRITE: "written",
    FileAction.EDIT: "edited",
    FileAction.DELETE: "deleted",
}

_ON_FILES = frozenset({"read", "write", "edit", "delete"})


def create() -> Grader:
    """The grader."""
    return FileAccess()


class FileAccess:
    """Sub-agents count; what a shell did to files isn't seen."""

    def demands(self, declared: DeclaredEval, /) -> Demands:
        """File operations."""
        del declared
        return Demands(capabilities=frozenset({Capability.FILE_OPERATIONS}))

    async def grade(
        self, declared: DeclaredEval, seen: Seen, /, *, means: Means
    ) -> Grade | Failure | Withholding:
        """Look for the first operation on a path that matches."""
        del means
        glob = options.text(declared.options, "path")
        if glob is None:
            return grades.misdeclared("`file-access` needs the option `path`: add it")
        action = options.text(declared.options, "op")
        wanted = options.text(declared.options, "expect") != "not-accessed"
        found = next(matching(glob, seen, action=action), None)
        done = "accessed" if action is None else _DONE[FileAction(action)]
        wrong = []
        if wanted and found is None:
            wrong.append(f"nothing that matches `{glob}` was {done}")
        elif found is not None and not wanted:
            path = session_paths.relative(found.path, seen.session.cwd)
            wrong.append(f"`{path}` was {_DONE[found.action]}, and `{glob}` must not be {done}")
        return grades.grade(
            wrong,
            fine=_fine(glob, done, found, seen),
            notices=_notices(seen) if found is None else (),
            quotes=found is not None,
            basis=grades.basis(decided=found is not None, nested=True),
        )


def matching(glob: str, seen: Seen, *, action: str | None = None) -> Iterator[FileOperation]:
    """The operations on paths that match, in order."""
    known: dict[str, bool] = {}
    for operation in views.files(seen):
        if action is not None and operation.action.value != action:
            continue
        path = operation.path
        if path not in known:
            known[path] = session_paths.matches(glob, path, cwd=seen.session.cwd)
        if known[path]:
            yield operation


def _fine(glob: str, done: str, found: FileOperation | None, seen: Seen) -> str:
    if found is None:
        return f"nothing that matches `{glob}` was {done} in {seen.excerpt.label}"
    path = session_paths.relative(found.path, seen.session.cwd)
    return f"`{path}` was {_DONE[found.action]}"


def _notices(seen: Seen) -> Iterator[str | None]:
    yield views.unseen(seen)
    with_path = {operation.call for operation in seen.session.files}
    without = sum(
        1
        for call in views.calls(seen)
        if call.canonical in _ON_FILES and call.index not in with_path
    )
    if without:
        calls = grades.counted("call", without)
        yield f"{calls} of a tool for files named no path that can be read: not looked at"
    shells = sum(1 for call in views.calls(seen) if call.canonical == "shell")
    if shells:
        commands = grades.counted("shell command", shells)
        yield f"{commands} may have touched files: what a shell does to files isn't looked at"
