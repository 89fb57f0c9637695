"""A report in; the command line that asks the same again, ready for a shell, out."""

import posixpath
import re
import shlex
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from mergebar.model.reports import Report, ReportCommand

_NAMED = 5
_COMMIT = re.compile(r"[0-9a-f]{40,64}")


def run(report: Report, suites: Iterable[str] | None = None) -> str:
    """The same run; with `suites`, of these alone, where they are few enough to write down."""
    command = report.run.command
    chosen = _local(command, suites or ())
    if not chosen:
        return _line(report, "run", command.options, command.paths)
    # Whoever names suites asks for all of them, unless told otherwise.
    scope = ("--affected",) if report.run.scope == "affected" else ()
    options = tuple(one for one in command.options if one not in {"--all", "--affected"})
    kept = () if scope else tuple(one for one in command.options if one == "--all")
    return _line(report, "run", (*options, *kept, *scope), chosen)


def check(report: Report, suites: Iterable[str]) -> str:
    """The validation of these suites; of all that was asked for, where they are too many."""
    command = report.run.command
    chosen = _local(command, suites) or command.paths
    return _line(report, "check", _config(command.options), chosen)


def of_stranger(base: str | None) -> ReportCommand:
    """What a report that isn't believed may still say of itself: a commit can't do any harm."""
    known = base is not None and _COMMIT.fullmatch(base) is not None
    return ReportCommand(options=("--base", base) if base is not None and known else ())


def typed(report: Report) -> frozenset[str]:
    """What was named on the command line, as reports call it."""
    command = report.run.command
    joined = (posixpath.join(command.folder, path) for path in command.paths)
    return frozenset(map(posixpath.normpath, joined))


def _local(command: ReportCommand, suites: Iterable[str]) -> tuple[str, ...]:
    """Paths as they are to be typed in the folder that the run was in; none where too many."""
    known = list(dict.fromkeys(suites))
    if len(known) > _NAMED:
        return ()
    inside = [_below(command.folder, path) for path in known]
    return tuple(inside)


def _below(folder: str, path: str) -> str:
    """A repository-relative path from a folder of the repository."""
    if not folder:
        return path
    here, there = PurePosixPath(folder).parts, PurePosixPath(path).parts
    shared = 0
    while shared < min(len(here), len(there)) and here[shared] == there[shared]:
        shared += 1
    return "/".join([".."] * (len(here) - shared) + list(there[shared:])) or "."


def _config(options: Sequence[str]) -> tuple[str, ...]:
    """The configuration that was named: nothing else bears on what is valid."""
    at = next((index for index, one in enumerate(options) if one == "--config"), None)
    return () if at is None else tuple(options[at : at + 2])


def _line(report: Report, name: str, options: Sequence[str], paths: Sequence[str]) -> str:
    words = ["mergebar", name, *options, *map(_no_option, paths)]
    line = " ".join(map(shlex.quote, words))
    folder = report.run.command.folder
    if folder and report.run.event is not None:
        return f"cd {shlex.quote(_no_option(folder))} && {line}"
    return line


def _no_option(path: str) -> str:
    return f"./{path}" if path.startswith("-") else path
