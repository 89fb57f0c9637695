"""`mergebar init`: a repository in, a first `mergebar.yml`, workflow and .gitignore for it out."""

import argparse
from collections.abc import Iterator
from dataclasses import replace

from mergebar import config
from mergebar.commands import arguments, streams, workspace
from mergebar.commands.starting import covers, drawing, looking, telling, writing
from mergebar.commands.starting.covers import Covers
from mergebar.commands.starting.looking import Found
from mergebar.commands.starting.writing import Act, Draft
from mergebar.commands.workspace import Place
from mergebar.errors import ExitCode, StopError
from mergebar.untrusted import terminal

DESCRIPTION = """\
Look at the repository, and write a first mergebar.yml and workflow that fit what is in it.

No file that is there is overwritten; .gitignore gets the lines that it lacks. Where nothing is
found that could be measured, an eval document to begin with is written, too.
"""
EXAMPLE = """\
examples:
  mergebar init
  mergebar init --dry-run

exit codes: 0 written; 2 there is a configuration already, or a file can't be written
"""
_FIRST = "evals/first.json"
_SECOND = "evals/mergebar-first.json"


def main(argv: list[str]) -> int:
    """Write what is missing, print what became of it, and return 0 or 2."""
    parsed = arguments.parse(_parser(), argv)
    if isinstance(parsed, int):
        return parsed
    place = workspace.here()
    _refuse(place)
    return _show(place) if parsed.dry_run else _write(place)


def _parser() -> argparse.ArgumentParser:
    made = arguments.parser("init", DESCRIPTION, EXAMPLE)
    made.add_argument("--dry-run", action="store_true", help="print the files, and write none")
    return made


def _refuse(place: Place) -> None:
    """Stop where there is a configuration, or what somebody believes to be one."""
    there = config.locate(place.cwd)
    if there is not None:
        message = (
            f"`{place.reported(there)}` is there already, and nothing is overwritten: change it "
            "by hand (`mergebar check` says whether it is right), or remove it to begin anew"
        )
        raise StopError(message)
    for problem in config.overlooked(place.cwd):
        raise StopError(problem.message)


def _look(place: Place) -> tuple[Found, str | None]:
    """What is found; with the document to begin with, where there is nothing to measure."""
    found = looking.look(place)
    if found.has_suites:
        return found, None
    free = (path for path in (_FIRST, _SECOND) if not (place.cwd / path).exists())
    first = next(free, _SECOND)
    return replace(found, asked=(first,)), first


def _drafts(found: Found, covered: Covers, first: str | None, place: Place) -> Iterator[Draft]:
    """The configuration last: with it there, nobody could begin anew after trouble."""
    ignore = place.cwd / ".gitignore"
    yield writing.ignoring(ignore, place.reported(".gitignore"), drawing.IGNORED)
    if first is not None:
        yield writing.new(place.cwd / first, place.reported(first), drawing.document())
    if not found.gates:
        workflow = drawing.workflow(found, place)
        yield writing.new(place.top / drawing.WORKFLOW, drawing.WORKFLOW, workflow)
    settings = drawing.config(found, covered)
    yield writing.new(place.cwd / drawing.CONFIG, place.reported(drawing.CONFIG), settings)


def _write(place: Place) -> int:
    found, first = _look(place)
    covered = covers.of(found, place)
    drafts: list[Draft] = []
    for draft in list(_drafts(found, covered, first, place)):
        drafts.append(writing.write(draft, top=place.top))
        if drafts[-1].act is Act.FAIL:
            break
    told = telling.found(_seen(found, first), covered, place)
    _print([*told, "", *map(telling.written, drafts)])
    if drafts[-1].act is Act.FAIL:
        return ExitCode.INVALID
    shown = None if first is None else place.reported(first)
    steps = telling.steps(found, drafts, first=shown, folder=place.prefix)
    _print(["", *steps])
    return ExitCode.PASSED


def _show(place: Place) -> int:
    found, first = _look(place)
    covered = covers.of(found, place)
    _print(telling.found(_seen(found, first), covered, place))
    for draft in _drafts(found, covered, first, place):
        _print(["", telling.meant(draft)])
        streams.write(terminal.lines(draft.text))
    return ExitCode.PASSED


def _seen(found: Found, first: str | None) -> Found:
    """Without the document to begin with: that was never found."""
    return found if first is None else replace(found, asked=())


def _print(lines: Iterator[str] | list[str]) -> None:
    for line in lines:
        text = line.lstrip(" ")
        streams.write(f"{' ' * (len(line) - len(text))}{terminal.line(text)}\n")
