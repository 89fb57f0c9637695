"""`mergebar check`: paths in, every problem of the suites and the config out, and nothing run."""

import importlib
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

from mergebar import __version__, catalogue, loading
from mergebar.commands import streams, workspace
from mergebar.commands.bases import base_refusals
from mergebar.commands.checking import check_options
from mergebar.commands.checking.artifact_requests import Asked, CheckedArtifacts
from mergebar.commands.watching import source_globs, uncovered
from mergebar.commands.workspace import Place
from mergebar.errors import ExitCode
from mergebar.model.configuration import REVIEWS, Config
from mergebar.model.problems import Level, Problem, is_invalid
from mergebar.reading.sentences import listed
from mergebar.report import problems as drawing
from mergebar.report.problems import CheckedSuite
from mergebar.suites import artifact_hints, discovery, documents
from mergebar.suites.documents import Checked
from mergebar.untrusted import terminal

_CONFIGS = frozenset({".yml", ".yaml"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Reported paths of documents to check, `candidates` only if they turn out to be some.

    `looked` is where, in words; `problems` are what is wrong with how they were asked for.
    """

    paths: frozenset[str] = frozenset()
    artifacts: Asked = field(default_factory=Asked)
    candidates: frozenset[str] = frozenset()
    looked: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def main(argv: list[str]) -> int:
    """Check, print, and return 0, or 2 when anything is an error."""
    try:
        arguments = check_options.parser().parse_args(argv)
    except SystemExit as stop:  # argparse has printed its help, or what is wrong
        return ExitCode.INVALID if stop.code else ExitCode.PASSED
    place = workspace.here()
    suites, problems = check(
        arguments.paths, place=place, config_path=arguments.config, strict=arguments.strict
    )
    if arguments.strict:
        suites = tuple(replace(suite, problems=_strict(suite.problems)) for suite in suites)
        problems = _strict(problems)
    streams.write(_draw(suites, problems, arguments.format, os.environ))
    told = (*problems, *(problem for suite in suites for problem in suite.problems))
    return ExitCode.INVALID if is_invalid(told) else ExitCode.PASSED


def check(
    paths: Sequence[str], *, place: Place, config_path: str | None = None, strict: bool = False
) -> tuple[tuple[CheckedSuite, ...], tuple[Problem, ...]]:
    """All suites with their problems, in path order, and the problems of no suite."""
    settled = workspace.settle(place, config_path, loading.explain)
    settings = settled.config
    found = _named(paths, settings, place) if paths else _all(settings, place)
    documented = _documents(found, place)
    artifacts = _artifacts(replace(found.artifacts, strict=strict), place)
    listed_documents = (
        CheckedSuite(path=path, kind="document", problems=one.problems)
        for path, one in documented.items()
    )
    suites = sorted([*listed_documents, *artifacts.suites], key=lambda suite: suite.path)
    judged = {*_judged(documented.values()), *(["ai"] if artifacts.judged else [])}
    problems = [
        *settled.problems,
        *(source_globs.unmatched(settings, place) if settings and not paths else ()),
        *(base_refusals.of(settings) if settings else ()),
        *found.problems,
        *artifacts.problems,
        *_missing_judge(settings, judged),
        *(_of_all(settings, place, documented, artifacts) if not paths else ()),
    ]
    bare = _bare(found, suites) if paths else found.looked if not suites else ()
    if bare and (paths or not found.problems):
        problems.append(_none_found(bare))
    return tuple(suites), tuple(dict.fromkeys(problems))


def _documents(found: Found, place: Place) -> dict[str, Checked]:
    """What was found of each document, in the order of their paths."""
    checked = {
        path: _checked(path, place, sniff=path not in found.paths)
        for path in sorted({*found.paths, *found.candidates})
    }
    return {path: one for path, one in checked.items() if one is not None}


def _judged(documents: Iterable[Checked]) -> set[str]:
    """The evaluators that ask a judge."""
    names = {name for one in documents for name in one.evaluators}
    return {name for name in names if catalogue.EVALUATORS[name].judged}


def _of_all(
    settings: Config | None, place: Place, documented: Mapping[str, Checked], more: CheckedArtifacts
) -> Iterator[Problem]:
    """What can be said where everything is looked at: of rules, verdicts, and no group's suites."""
    if settings is not None:
        yield from uncovered.documents(place, settings, documented)
    if settings is not None and more.suites:
        others = importlib.import_module("mergebar.commands.watching.uncovered_artifacts")
        yield from others.find(place, settings, frozenset(one.path for one in more.artifacts))
    if settings is not None and settings.rules:
        rules = importlib.import_module("mergebar.commands.checking.rule_checks")
        yield from rules.check(settings, place, documented, more.artifacts, more.sessions)
    if (place.cwd / REVIEWS).exists():
        reviews = importlib.import_module("mergebar.commands.checking.review_checks")
        known = None if settings is None else more.artifacts
        yield from reviews.check(place, known, more.sessions)


def _artifacts(asked: Asked, place: Place) -> CheckedArtifacts:
    if not (asked.configured or asked.named or asked.folders or asked.groups):
        return CheckedArtifacts()
    return cast("CheckedArtifacts", loading.artifact_checks()(asked, place))


def _bare(found: Found, suites: Sequence[CheckedSuite]) -> tuple[str, ...]:
    """The folders that were named and hold nothing to check."""
    return tuple(
        folder
        for folder in found.looked
        if not any(folder == "." or suite.path.startswith(f"{folder}/") for suite in suites)
    )


def _all(settings: Config | None, place: Place) -> Found:
    """What the config names; without one, what is at the usual places."""
    if settings is None:
        return Found()
    suites = workspace.every_suite(place, settings)
    artifacts = workspace.every_artifact(place, settings)
    folder = place.prefix or "."
    implied = any(group.implied for group in settings.artifacts)
    return Found(
        paths=frozenset(suites.paths),
        artifacts=Asked(
            configured=artifacts.paths,
            groups=tuple(group for group in settings.artifacts if not group.implied),
            folders=(folder,) if implied and artifact_hints.may_hold(place.top, folder) else (),
        ),
        looked=tuple(path for group in settings.documents for path in group.paths),
        problems=(*suites.problems, *artifacts.problems),
    )


def _named(paths: Sequence[str], settings: Config | None, place: Place) -> Found:
    named: set[str] = set()
    artifacts: list[str] = []
    below: set[str] = set()
    problems: list[Problem] = []
    looked: list[str] = []
    for path in paths:
        if os.path.isdir(place.cwd / path):  # noqa: PTH112 - any text may be asked for
            folder = place.reported(path)
            looked.append(folder)
            prefix = "" if folder == "." else f"{folder}/"
            below |= {
                prefix + each for each in discovery.find(place.cwd / path, discovery.EVERY_JSON)
            }
            named |= {each for each in _configured(settings, place) if each.startswith(prefix)}
        elif Path(path).name == REVIEWS:
            reviews = importlib.import_module("mergebar.commands.checking.review_checks")
            problems += reviews.check(place)
        elif Path(path).suffix in _CONFIGS:
            problems += workspace.read_config(place, path, loading.explain).problems
        elif workspace.names_artifact(path):
            artifacts.append(place.reported(path))
        else:
            named.add(place.reported(path))
    return Found(
        paths=frozenset(named),
        artifacts=Asked(
            configured=tuple(_artifacts_below(looked, settings, place)) if looked else (),
            folders=tuple(each for each in looked if artifact_hints.may_hold(place.top, each)),
            named=tuple(artifacts),
        ),
        candidates=frozenset(below),
        looked=tuple(looked),
        problems=tuple(problems),
    )


def _artifacts_below(
    folders: Sequence[str], settings: Config | None, place: Place
) -> Iterator[str]:
    for path in workspace.every_artifact(place, settings).paths:
        if any(folder == "." or path.startswith(f"{folder}/") for folder in folders):
            yield path


def _configured(settings: Config | None, place: Place) -> Iterator[str]:
    for group in settings.documents if settings is not None else ():
        for path in () if group.implied else discovery.find(place.cwd, group.paths):
            yield place.reported(path)


def _none_found(looked: Sequence[str]) -> Problem:
    places = listed(path.lstrip("/") for path in looked)
    message = f"no eval documents found at {places}, and no artifacts"
    return Problem(level=Level.NOTICE, rule="document/none-found", message=message)


def _checked(path: str, place: Place, *, sniff: bool) -> Checked | None:
    """`None` for a candidate that is no eval document."""
    data = place.read(path, rule="document/unreadable")
    if isinstance(data, Problem):
        return Checked(problems=(data,))
    if sniff and not discovery.starts_like_document(data):
        return None
    return documents.check(data, path=path, explain=loading.explain)


def _missing_judge(settings: Config | None, judged: Iterable[str]) -> tuple[Problem, ...]:
    """Only where there is a config: without one nothing is set up to run yet."""
    names = sorted(judged)
    if settings is None or settings.path is None or settings.judge is not None or not names:
        return ()
    message = (
        f"no `judge` is configured, and {listed(names)} {'needs' if len(names) == 1 else 'need'} "
        "one: `mergebar run` will refuse to start; add `judge` to the config"
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
    if form == "sarif":
        # Loaded by name: no other format needs what a code scanner reads.
        scanning = importlib.import_module("mergebar.report.problem_findings")
        return terminal.json_text(scanning.draw(suites, problems, version=__version__))
    plain = any(environ.get(name) for name in ("NO_COLOR", "CI")) or environ.get("TERM") == "dumb"
    return drawing.text(suites, problems, coloured=sys.stdout.isatty() and not plain)
