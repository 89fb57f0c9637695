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
from mergebar.model.problems import Level, Problem, is_invalid
from mergebar.model.text import Json, JsonObject
from mergebar.reading import files
from mergebar.reading.limits import MAX_BYTES
from mergebar.reading.sentences import either, listed, quoted
from mergebar.report import problems as drawing
from mergebar.report.problems import CheckedSuite
from mergebar.suites import discovery, documents, groups
from mergebar.suites.documents import Checked
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
FORMATS = ("text", "json", "github")
LATER_FORMATS = ("sarif",)
_ARTIFACTS = frozenset({".md", ".mdc", ".mdx"})
_EVERY_JSON = ("**/*.json",)
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
    """Reported paths to check, `candidates` only if they turn out to be eval documents.

    `looked` is where, in words; `problems` are what is wrong with how they were asked for.
    """

    paths: frozenset[str] = frozenset()
    candidates: frozenset[str] = frozenset()
    looked: tuple[str, ...] = ()
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
    suites: list[CheckedSuite] = []
    evaluators: set[str] = set()
    for path in sorted({*found.paths, *found.candidates}):
        checked = _checked(path, place, sniff=path not in found.paths)
        if checked is not None:
            suites.append(CheckedSuite(path=path, kind=_kind(path), problems=checked.problems))
            evaluators |= checked.evaluators
    problems = [*wrong, *found.problems, *_missing_judge(settings, evaluators)]
    if found.looked and not suites and not found.problems:
        problems.append(_none_found(found.looked))
    return tuple(suites), tuple(dict.fromkeys(problems))


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
    parser.add_argument(
        "--format", type=_format, default="text", metavar="|".join(FORMATS), help="text by default"
    )
    parser.add_argument("--strict", action="store_true", help="warnings are errors")
    return parser


def _format(name: str) -> str:
    if name in FORMATS:
        return name
    reason = "is not available yet" if name in LATER_FORMATS else "is unknown"
    message = f"{quoted(name)} {reason}: choose {either(FORMATS)}"
    raise argparse.ArgumentTypeError(message)


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
    return Found(
        paths=frozenset(place.reported(path) for files in grouped.files for path in files),
        looked=tuple(path for group in settings.documents for path in group.paths),
        problems=grouped.problems,
    )


def _named(paths: Sequence[str], settings: Config | None, place: Place) -> Found:
    named: set[str] = set()
    below: set[str] = set()
    problems: list[Problem] = []
    looked: list[str] = []
    for path in paths:
        if os.path.isdir(place.cwd / path):  # noqa: PTH112 - any text may be asked for
            folder = place.reported(path)
            looked.append(folder)
            prefix = "" if folder == "." else f"{folder}/"
            below |= {prefix + each for each in discovery.find(place.cwd / path, _EVERY_JSON)}
            named |= {each for each in _configured(settings, place) if each.startswith(prefix)}
        elif Path(path).suffix in _CONFIGS:
            problems += _settings(path, place)[1]
        else:
            named.add(place.reported(path))
    return Found(
        paths=frozenset(named),
        candidates=frozenset(below),
        looked=tuple(looked),
        problems=tuple(problems),
    )


def _configured(settings: Config | None, place: Place) -> Iterator[str]:
    for group in settings.documents if settings is not None else ():
        for path in () if group.implied else discovery.find(place.cwd, group.paths):
            yield place.reported(path)


def _none_found(looked: Sequence[str]) -> Problem:
    message = f"no eval documents found at {listed(path.lstrip('/') for path in looked)}"
    return Problem(level=Level.NOTICE, rule="document/none-found", message=message)


def _kind(path: str) -> str:
    return "artifact" if Path(path).suffix in _ARTIFACTS else "document"


def _checked(path: str, place: Place, *, sniff: bool) -> Checked | None:
    """`None` for a candidate that is no eval document."""
    if _kind(path) == "artifact":
        return Checked(problems=(replace(_ARTIFACTS_LATER, path=path),))
    data = place.read(path, rule="document/unreadable")
    if isinstance(data, Problem):
        return Checked(problems=(data,))
    if sniff and not discovery.starts_like_document(data):
        return None
    return documents.check(data, path=path, explain=_explain)


def _explain(schema: JsonObject, value: Json) -> Sequence[Fault]:
    """Loads the explainer, which is heavy, only when a file is refused."""
    return plugins.explainer()(schema, value)


def _missing_judge(settings: Config | None, evaluators: Iterable[str]) -> tuple[Problem, ...]:
    """Only where there is a config: without one nothing is set up to run yet."""
    if settings is None or settings.path is None or settings.judge is not None:
        return ()
    judged = sorted(name for name in evaluators if catalogue.EVALUATORS[name].judged)
    if not judged:
        return ()
    message = (
        f"no `judge` is configured, and {listed(judged)} need one: `mergebar run` will refuse to "
        "start; add `judge` to the config"
    )
    return (
        Problem(level=Level.WARNING, rule="config/no-judge", message=message, path=settings.path),
    )


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
