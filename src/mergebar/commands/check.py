"""`mergebar check`: paths in, every problem of the documents and the config out, and nothing run.

It needs no agent, judge, network, secret or git.
"""

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mergebar import catalogue, config, plugins
from mergebar.errors import ExitCode
from mergebar.model.configuration import Config
from mergebar.model.documents import Document
from mergebar.model.problems import Level, Problem, is_invalid
from mergebar.model.text import Json, JsonObject
from mergebar.reading import files
from mergebar.reading.limits import MAX_BYTES
from mergebar.reading.sentences import listed, quoted
from mergebar.report import problems as drawing
from mergebar.report.problems import CheckedSuite
from mergebar.suites import discovery, documents, groups
from mergebar.suites.faults import Fault

DESCRIPTION = """\
Validate eval documents and mergebar.yml: no agent, no judge, no network, no secret.

Without PATH: the documents that mergebar.yml names, else those at the usual places.
A folder means every document below it; a named file is taken at its word.
"""
EXAMPLE = """\
examples:
  mergebar check
  mergebar check evals/ --strict
  mergebar check evals/hr.json --format json

exit codes: 0 no errors, 2 errors
"""
LATER_FORMATS = ("sarif",)
_ARTIFACTS = frozenset({".md", ".mdc", ".mdx"})
_CONFIGS = frozenset({".yml", ".yaml"})
MAX_CONFIG_BYTES = 1024 * 1024
_ARTIFACTS_LATER = Problem(
    level=Level.ERROR,
    rule="artifact/not-available-yet",
    message="checking artifacts is not available yet: name eval documents (JSON)",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The working directory, and the repository's top folder: both real paths."""

    cwd: Path
    top: Path

    def reported(self, path: str) -> str:
        """Repository-relative and posix, for a path that is absolute or relative to `cwd`.

        What lies outside the repository keeps the path that was given.
        """
        absolute = os.path.normpath(self.cwd / path)
        for candidate in (absolute, os.path.realpath(absolute)):
            if Path(candidate).is_relative_to(self.top):
                return Path(candidate).relative_to(self.top).as_posix()
        return Path(path).as_posix()

    def read(self, path: str, *, rule: str, limit: int = MAX_BYTES) -> bytes | Problem:
        """The bytes of a file by its reported path."""
        where = Path(path)
        if not where.is_absolute() and ".." not in where.parts:
            return files.read(self.top, path, limit=limit, rule=rule)
        outside = self.cwd / where
        data = files.read(outside.parent, outside.name, limit=limit, rule=rule)
        return replace(data, path=path) if isinstance(data, Problem) else data


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Reported paths to check, and what is wrong with how they were asked for."""

    paths: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def main(argv: list[str]) -> int:
    """Check, print, and return 0, or 2 when anything is an error."""
    try:
        arguments = _parser().parse_args(argv)
    except SystemExit as stop:  # argparse has printed its help, or what is wrong
        return ExitCode.INVALID if stop.code else ExitCode.PASSED
    cwd = Path.cwd()
    place = Place(cwd=cwd, top=_top(cwd))
    suites, problems = check(arguments.paths, place=place, config_path=arguments.config)
    if arguments.strict:
        suites = tuple(replace(suite, problems=_strict(suite.problems)) for suite in suites)
        problems = _strict(problems)
    sys.stdout.write(_draw(suites, problems, arguments.format, os.environ))
    told = (*problems, *(problem for suite in suites for problem in suite.problems))
    return ExitCode.INVALID if is_invalid(told) else ExitCode.PASSED


def check(
    paths: Sequence[str], *, place: Place, config_path: str | None = None
) -> tuple[tuple[CheckedSuite, ...], tuple[Problem, ...]]:
    """All suites with their problems, in path order, and the problems of no suite."""
    name = config_path or config.locate(place.cwd)
    settings, wrong = _settings(name, place)
    found = _named(paths, settings, place) if paths else _all(settings, place)
    read = [(path, _document(path, place)) for path in sorted(set(found.paths))]
    suites = tuple(
        CheckedSuite(path=path, kind=_kind(path), problems=document.problems)
        for path, document in read
    )
    judge = _missing_judge(settings, [document for _, document in read])
    return suites, tuple(dict.fromkeys((*wrong, *found.problems, *judge)))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="mergebar check",
        description=DESCRIPTION,
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("paths", nargs="*", metavar="PATH", help="documents, or folders of them")
    parser.add_argument("--config", metavar="FILE", help="instead of the mergebar.yml found here")
    parser.add_argument("--format", choices=("text", "json", "github"), default="text")
    parser.add_argument("--strict", action="store_true", help="warnings are errors")
    return parser


def _top(cwd: Path) -> Path:
    """The nearest folder at or above that holds `.git` (a file in a worktree), else this one."""
    return next((at for at in (cwd, *cwd.parents) if os.path.lexists(at / ".git")), cwd)


def _settings(name: str | None, place: Place) -> tuple[Config | None, tuple[Problem, ...]]:
    """The config, or the one that rules where there is none; `None` where it is invalid."""
    overlooked = tuple(
        replace(problem, path=place.reported(problem.path or ""))
        for problem in config.overlooked(place.cwd)
    )
    if name is None:
        return config.default(), overlooked
    path = place.reported(name)
    data = place.read(path, rule="config/unreadable", limit=MAX_CONFIG_BYTES)
    if isinstance(data, Problem):
        return None, (data,)
    parsed = config.parse(data, path=path, explain=_explain)
    return parsed.config, (*parsed.problems, *overlooked)


def _all(settings: Config | None, place: Place) -> Found:
    """What the config names; without one, the documents at the usual places."""
    if settings is None:
        return Found()
    grouped = groups.resolve(place.cwd, settings.documents)
    paths = tuple(place.reported(path) for files in grouped.files for path in files)
    if paths or grouped.problems:
        return Found(paths=paths, problems=grouped.problems)
    looked = [path.lstrip("/") for group in settings.documents for path in group.paths]
    return Found(problems=(_notice(f"no eval documents found at {listed(looked)}"),))


def _named(paths: Sequence[str], settings: Config | None, place: Place) -> Found:
    named: list[str] = []
    problems: list[Problem] = []
    for path in paths:
        if os.path.isdir(place.cwd / path):  # noqa: PTH112 - any text may be asked for
            below = tuple(_below(path, settings, place))
            named += below
            if not below:
                where = quoted(place.reported(path))
                problems.append(_notice(f"no eval documents found below {where}"))
        elif Path(path).suffix in _CONFIGS:
            problems += _settings(path, place)[1]
        else:
            named.append(place.reported(path))
    return Found(paths=tuple(named), problems=tuple(problems))


def _below(folder: str, settings: Config | None, place: Place) -> Iterator[str]:
    """Every suite of the config below the folder, and whatever else there is an eval document."""
    root = place.cwd / folder
    for path in discovery.find(root, discovery.EVERY_JSON):
        if discovery.looks_like_document(root / path):
            yield place.reported(os.path.join(folder, path))  # noqa: PTH118 - thousands of paths
    prefix = place.reported(folder)
    for group in settings.documents if settings is not None else ():
        for path in () if group.implied else discovery.find(place.cwd, group.paths):
            reported = place.reported(path)
            if prefix == "." or reported.startswith(f"{prefix}/"):
                yield reported


def _notice(message: str) -> Problem:
    return Problem(level=Level.NOTICE, rule="document/none-found", message=message)


def _kind(path: str) -> str:
    return "artifact" if Path(path).suffix in _ARTIFACTS else "document"


def _document(path: str, place: Place) -> Document:
    if _kind(path) == "artifact":
        return _without(path, _ARTIFACTS_LATER)
    data = place.read(path, rule="document/unreadable")
    if isinstance(data, Problem):
        return _without(path, data)
    return documents.read(data, path=path, explain=_explain, locations=False)


def _without(path: str, problem: Problem) -> Document:
    told = (replace(problem, path=path),)
    return Document(path=path, version=None, cases=(), source={}, problems=told)


def _explain(schema: JsonObject, value: Json) -> Sequence[Fault]:
    """Loads the explainer, which is heavy, only when a file is refused."""
    return plugins.explainer()(schema, value)


def _missing_judge(settings: Config | None, checked: Iterable[Document]) -> tuple[Problem, ...]:
    """Only where there is a config: without one nothing is set up to run yet."""
    if settings is None or settings.path is None or settings.judge is not None:
        return ()
    judged = sorted({name for document in checked for name in _judged(document)})
    if not judged:
        return ()
    message = (
        f"no `judge` is configured, and {', '.join(f'`{name}`' for name in judged)} need one: "
        "`mergebar run` will refuse to start; add `judge` to the config"
    )
    return (
        Problem(level=Level.WARNING, rule="config/no-judge", message=message, path=settings.path),
    )


def _judged(document: Document) -> Iterator[str]:
    for case in document.cases:
        for turn in case.turns:
            for use in turn.evaluators:
                if catalogue.EVALUATORS[use.name].judged:
                    yield use.name


def _strict(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    return tuple(
        replace(problem, level=Level.ERROR) if problem.level is Level.WARNING else problem
        for problem in problems
    )


def _draw(
    suites: Sequence[CheckedSuite],
    problems: Sequence[Problem],
    form: str,
    environ: Mapping[str, str],
) -> str:
    if form == "json":
        return drawing.json_text(suites, problems)
    if form == "github":
        return drawing.github(suites, problems)
    plain = any(environ.get(name) for name in ("NO_COLOR", "CI")) or environ.get("TERM") == "dumb"
    return drawing.text(suites, problems, coloured=sys.stdout.isatty() and not plain)
