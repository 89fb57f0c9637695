"""What an eval wants to be looked at and a session in, its text out, or why it can't be had."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mergebar.graders import session_paths, views
from mergebar.model.artifacts import DeclaredEval, Target, TargetSource
from mergebar.model.conversations import ErrorClass, Failure
from mergebar.model.gradings import Basis, Means, Seen
from mergebar.model.problems import Problem
from mergebar.model.sessions import Capability, FileAction
from mergebar.reading import files
from mergebar.untrusted import characters

_BREAKS = re.compile(f"[{re.escape(characters.LINE_BREAKS)}]")
FILE_LIMIT = 5 * 1024 * 1024

NEEDS = {
    TargetSource.TRANSCRIPT: frozenset({Capability.MESSAGES}),
    TargetSource.LAST_MESSAGE: frozenset({Capability.MESSAGES}),
    TargetSource.FILES: frozenset({Capability.FILE_OPERATIONS}),
    TargetSource.ARTIFACT: frozenset[Capability](),
    TargetSource.FILE: frozenset[Capability](),
}
"""What a trace has to record for each target."""

BASES = {
    TargetSource.TRANSCRIPT: Basis.CHAINS,
    TargetSource.LAST_MESSAGE: Basis.LAST,
    TargetSource.FILES: Basis.BRANCHES,
    TargetSource.ARTIFACT: Basis.SEEN,
    TargetSource.FILE: Basis.SEEN,
}
"""What a verdict rests on that was reached on all of a target."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """The text, and what a reader of it has to know besides."""

    text: str
    notices: tuple[str, ...] = ()


def text(declared: DeclaredEval, seen: Seen, means: Means, *, shown: bool) -> Text | Failure:
    """Every target but the transcript, which each grader reads in its own way.

    `shown`: an artifact is given as a judge may see it.
    """
    match declared.target.source:
        case TargetSource.FILES:
            return Text(text="\n".join(written(seen)))
        case TargetSource.ARTIFACT:
            return Text(text=seen.text.shown if shown else seen.text.file)
        case TargetSource.FILE:
            return _file(declared.target, seen, means)
        case _:
            return Text(text=last_message(seen))


def last_message(seen: Seen) -> str:
    """The last thing that the agent said in the whole session; empty if it said nothing."""
    event = seen.session.final_message
    return "" if event is None else seen.contents.text(event)


def written(seen: Seen) -> tuple[str, ...]:
    """The files that were written or edited, in the order of their first write; marked if gone."""
    gone: dict[str, bool] = {}
    for operation in views.files(seen):
        if views.came_to_nothing(seen, operation.call):
            continue
        path = session_paths.relative(operation.path, seen.session.cwd)
        if operation.action in {FileAction.WRITE, FileAction.EDIT}:
            gone[path] = False
        elif operation.action is FileAction.DELETE:
            gone[path] = True
    return tuple(
        f"{_one_line(path)} (deleted)" if deleted else _one_line(path)
        for path, deleted in gone.items()
    )


def _one_line(path: str) -> str:
    """A line break in a name would make two files of one."""
    return _BREAKS.sub(lambda found: f"\\u{ord(found[0]):04x}", path)


def _file(target: Target, seen: Seen, means: Means) -> Text | Failure:
    path = target.path or ""
    data = files.read(means.root, path, limit=FILE_LIMIT, rule="artifact/target")
    if isinstance(data, Problem):
        return Failure(error_class=ErrorClass.CONFIG, message=f"its `target`: {data.message}")
    try:
        content = data.decode("utf-8")
    except UnicodeDecodeError:
        content = "\0"
    if "\0" in content:
        message = f"its `target`: `{path}` is no text in UTF-8"
        return Failure(error_class=ErrorClass.CONFIG, message=message)
    return Text(text=content, notices=tuple(_changed(path, content, seen)))


def _changed(path: str, content: str, seen: Seen) -> Iterator[str]:
    """A file is read as it is now, and the session may have left another one."""
    last = None
    for operation in seen.session.files:
        own = session_paths.relative(operation.path, seen.session.cwd)
        if own == path and operation.action is not FileAction.READ:
            last = last if views.came_to_nothing(seen, operation.call) else operation
    if last is None:
        return
    arguments = seen.contents.arguments(last.call)
    left = arguments.get("content") if isinstance(arguments, dict) else None
    if last.action is FileAction.WRITE and left is not None and left != content:
        yield f"`{path}` isn't what the session wrote: it changed since, and is read as it is now"
