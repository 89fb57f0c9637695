"""`file-access`: whether a file was read, written or edited with the host's tools for files."""

from collections.abc import Iterable, Iterator

from mergebar.graders import grades, options, session_paths, views
from mergebar.model.artifacts import DeclaredEval
from mergebar.model.conversations import Failure
from mergebar.model.gradings import Demands, Grade, Grader, Means, Seen
from mergebar.model.plans import Withholding
from mergebar.model.sessions import Capability, FileAction, FileOperation
from mergebar.reading.sentences import counted

_DONE = {
    FileAction.READ: "read",
    FileAction.WRITE: "written",
    FileAction.EDIT: "edited",
    FileAction.DELETE: "deleted",
}

_OUT_OF_SIGHT = "{} may have touched files: {} to files isn't looked at"
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
        """Look for the first operation on a path that matches, and that had an effect."""
        del means
        glob = options.text(declared.options, "path")
        if glob is None:
            return grades.misdeclared("`file-access` needs the option `path`: add it")
        action = options.text(declared.options, "op")
        wanted = options.text(declared.options, "expect") != "not-accessed"
        tried = matching(glob, seen, action=action)
        done = "accessed" if action is None else _DONE[FileAction(action)]
        return (_wanted if wanted else _unwanted)(glob, done, tried, seen)


def _wanted(glob: str, done: str, tried: Iterable[FileOperation], seen: Seen) -> Grade:
    """What was tried in vain is no evidence."""
    vain = None
    for found in tried:
        if views.came_to_nothing(seen, found.call) is None:
            basis = grades.basis(decided=True, nested=True)
            return grades.grade((), fine=_told(found, seen), quotes=True, basis=basis)
        vain = vain or _told(found, seen)
    return grades.grade(
        [f"nothing that matches `{glob}` was {done}"],
        fine="",
        notices=(vain, *_notices(seen)),
        quotes=vain is not None,
        basis=grades.basis(decided=False, nested=True),
    )


def _unwanted(glob: str, done: str, tried: Iterable[FileOperation], seen: Seen) -> Grade:
    """Whoever tries what it must not do has done wrong, whether or not a host kept it from it."""
    found = next(iter(tried), None)
    wrong = [] if found is None else [f"{_told(found, seen)}, and `{glob}` must not be {done}"]
    return grades.grade(
        wrong,
        fine=f"nothing that matches `{glob}` was {done} in {seen.excerpt.label}",
        notices=_notices(seen) if found is None else (),
        quotes=found is not None,
        basis=grades.basis(decided=found is not None, nested=True),
    )


def _told(found: FileOperation, seen: Seen) -> str:
    path = session_paths.relative(found.path, seen.session.cwd)
    how = views.came_to_nothing(seen, found.call)
    if how is None:
        return f"`{path}` was {_DONE[found.action]}"
    return f"`{path}` was to be {_DONE[found.action]} (the call {how})"


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


def _notices(seen: Seen) -> Iterator[str | None]:
    yield views.unseen(seen)
    with_path = {operation.call for operation in seen.session.files}
    without = sum(
        1
        for call in views.calls(seen)
        if call.canonical in _ON_FILES and call.index not in with_path
    )
    if without:
        calls = counted(without, "call")
        yield f"{calls} of a tool for files named no path that can be read: not looked at"
    for kind, noun, whose in (
        ("shell", "shell command", "what a shell does"),
        ("mcp", "call of an MCP server", "what it does"),
    ):
        number = sum(1 for call in views.calls(seen) if call.canonical == kind)
        if number:
            yield _OUT_OF_SIGHT.format(counted(number, noun), whose)
