"""The problems of suites in, what `mergebar check` prints out: text, JSON or commands."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from mergebar.model.problems import Level, Problem
from mergebar.reading.sentences import counted
from mergebar.untrusted import markdown as safe
from mergebar.untrusted import terminal, workflow

_ROWS, _MESSAGE = 500, 600
_RESET = "\x1b[0m"
_BOLD = "\x1b[1m"
_FAINT = "\x1b[2m"
Paint: TypeAlias = Callable[[str, str], str]
_COLOURS = {Level.ERROR: "\x1b[31m", Level.WARNING: "\x1b[33m", Level.NOTICE: "\x1b[36m"}


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedSuite:
    """A suite by its repository-relative path, with all that is wrong with it.

    An artifact without evals is listed too, and is none: `is_suite` says so.
    """

    path: str
    kind: str
    problems: tuple[Problem, ...]
    is_suite: bool = True


def text(
    suites: Sequence[CheckedSuite], problems: Sequence[Problem], *, coloured: bool = False
) -> str:
    """One line per problem, as editors and people read them, and a line that sums them up."""
    paint = _painted if coloured else _plain
    told = tuple(every(suites, problems))
    lines = [line(problem, paint) for problem in told]
    body = "\n".join([*lines, *([""] if lines else []), _summary(suites, told)]) + "\n"
    return terminal.guard(body)


def json_text(suites: Sequence[CheckedSuite], problems: Sequence[Problem]) -> str:
    """`{"suites": [{path, kind, problems}], "problems": […]}`, in ASCII: safe for any stream."""
    content = {
        "suites": [
            {
                "path": suite.path,
                "kind": suite.kind,
                "problems": [_record(problem) for problem in suite.problems],
            }
            for suite in suites
        ],
        "problems": [_record(problem) for problem in problems],
    }
    return terminal.json_text(json.dumps(content, indent=2)) + "\n"


def github(suites: Sequence[CheckedSuite], problems: Sequence[Problem]) -> str:
    """Workflow commands, errors first: a runner shows ten of each level and logs the rest."""
    told = tuple(every(suites, problems))
    commands = [
        workflow.command(
            problem.level,
            problem.message,
            path=problem.path,
            line=problem.line,
            column=problem.column,
            title=problem.rule,
        )
        for problem in sorted(told, key=lambda problem: list(Level).index(problem.level))
    ]
    return "\n".join([*commands, terminal.line(_summary(suites, told))]) + "\n"


def markdown(suites: Sequence[CheckedSuite], problems: Sequence[Problem]) -> str:
    """For a job summary: the count, and a table of what is wrong, errors first."""
    told = tuple(every(suites, problems))
    ordered = sorted(told, key=lambda problem: list(Level).index(problem.level))
    rows = [
        f"| {problem.level} | {safe.code(_place(problem)) if problem.path else ' '} "
        f"| {safe.cell(problem.message, limit=_MESSAGE)} |"
        for problem in ordered[:_ROWS]
    ]
    table = ["", "| level | where | what |", "|--|--|--|", *rows] if rows else []
    left = len(told) - len(rows)
    more = ["", f"… and {counted(left, 'more problem')}"] if left else []
    return "\n".join([f"## {_summary(suites, told)}", *table, *more]) + "\n"


def every(suites: Iterable[CheckedSuite], problems: Iterable[Problem]) -> Iterator[Problem]:
    """Those of no suite, then each suite's."""
    yield from problems
    for suite in suites:
        yield from suite.problems


def _record(problem: Problem) -> dict[str, str | int | None]:
    return {
        "level": str(problem.level),
        "rule": problem.rule,
        "message": problem.message,
        "path": problem.path,
        "line": problem.line,
        "column": problem.column,
    }


def _plain(text: str, _style: str) -> str:
    return text


def _painted(text: str, style: str) -> str:
    return f"{style}{text}{_RESET}"


def line(problem: Problem, paint: Paint = _plain) -> str:
    """`path:line:column: level: message [rule]`, safe for a terminal."""
    place = f"{terminal.line(_place(problem))}: " if problem.path else ""
    level = paint(f"{problem.level}:", _COLOURS[problem.level])
    rule = paint(f"[{terminal.line(problem.rule)}]", _FAINT)
    return f"{paint(place, _BOLD)}{level} {terminal.line(problem.message)} {rule}"


def _place(problem: Problem) -> str:
    parts = (problem.path, problem.line, problem.column)
    return ":".join(str(part) for part in parts if part is not None)


def _summary(suites: Sequence[CheckedSuite], told: Iterable[Problem]) -> str:
    counts = dict.fromkeys(Level, 0)
    for problem in told:
        counts[problem.level] += 1
    found = [counted(number, str(level)) for level, number in counts.items() if number]
    count = sum(one.is_suite for one in suites)
    bare = len(suites) - count
    more = f" and {counted(bare, 'artifact')} without evals" if bare else ""
    return f"{counted(count, 'suite')}{more} checked: {', '.join(found) or 'no problems'}"
