"""A report in, remarks on the lines of its files out: errors first, and no cause said 500 times."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from mergebar.model.comparisons import ChangeKind, CheckChange
from mergebar.model.configuration import Responses
from mergebar.model.decisions import DecisionOutcome
from mergebar.model.problems import Level
from mergebar.model.publishing import Annotation, AnnotationLevel
from mergebar.model.reports import Report, ReportCheck
from mergebar.report import figures, quoting
from mergebar.report.differing import Difference
from mergebar.report.selecting import Cause, Selection, select
from mergebar.untrusted import characters, terminal, truncation, workflow

MESSAGE_BYTES = 8 * 1024
"""GitHub takes 64 KiB; this keeps a request of 50 annotations small. The report has all of it."""
TITLE = 120
"""GitHub takes 255 characters, and doesn't say which kind."""
PER_LEVEL = 10
"""As many commands of a level as a runner shows of one step."""

_SAID = frozenset({ChangeKind.REGRESSED, ChangeKind.NEW, ChangeKind.STILL_FAILING})
_RANKS = tuple(AnnotationLevel)
_OF_SEVERITY: Mapping[str, AnnotationLevel] = {
    "error": AnnotationLevel.FAILURE,
    "warning": AnnotationLevel.WARNING,
    "notice": AnnotationLevel.NOTICE,
}
_COMMANDS: Mapping[AnnotationLevel, Level] = {
    AnnotationLevel.FAILURE: Level.ERROR,
    AnnotationLevel.WARNING: Level.WARNING,
    AnnotationLevel.NOTICE: Level.NOTICE,
}


def annotate(report: Report, responses: Responses) -> tuple[Annotation, ...]:
    """Every failing check, every problem with a place, and each cause of what wasn't measured.

    `responses` says what reasons may quote. What has no place in the repository is left to the
    summary.
    """
    selection = select(report)
    found = [
        *_problems(selection),
        *_failures(report.checks, selection.difference, responses),
        *_loosened(report),
        *_unmeasured(report, selection.unmeasured, responses),
        *_reviews(selection.reviews, responses),
    ]
    return tuple(sorted(filter(None, found), key=lambda one: _RANKS.index(one.level)))


def commands(
    annotations: Sequence[Annotation], *, said: Mapping[Level, int] | None = None
) -> tuple[str, ...]:
    """The same as lines for a runner, which shows ten of each level; the rest is counted.

    `said` is how many of a level this step has printed already.
    """
    left = {level: PER_LEVEL - (said or {}).get(level, 0) for level in Level}
    over: Counter[Level] = Counter()
    lines = []
    for one in annotations:
        level = _COMMANDS[one.level]
        if left[level] <= 0:
            over[level] += 1
            continue
        left[level] -= 1
        lines.append(
            workflow.command(
                level,
                one.message,
                path=one.path,
                line=one.start_line,
                column=one.start_column,
                title=one.title or None,
            )
        )
    return (*lines, *_counted(over))


def _counted(over: Counter[Level]) -> Iterator[str]:
    if over:
        counts = [figures.counted(over[level], f"more {level}") for level in Level if over[level]]
        yield f"and {', '.join(counts)}: `report.json` and the job summary have them all"


def _problems(selection: Selection) -> Iterator[Annotation | None]:
    for one in dict.fromkeys((*selection.invalid, *selection.other_problems)):
        level = _OF_SEVERITY.get(one.level, AnnotationLevel.NOTICE)
        yield _remark(
            one.path, one.line, one.column, level=level, title=one.rule, message=one.message
        )
    for warning in selection.warnings:
        yield _remark(
            warning.path,
            warning.line,
            warning.column,
            level=AnnotationLevel.WARNING,
            message=warning.message,
        )


def _failures(
    checks: Iterable[ReportCheck], difference: Difference | None, responses: Responses
) -> Iterator[Annotation | None]:
    """What counts is loud; what is below the gate, or was carried, says its own level."""
    for check in checks:
        if check.outcome != "fail":
            continue
        level = _OF_SEVERITY.get(check.severity, AnnotationLevel.NOTICE)
        if check.carried:
            level = AnnotationLevel.NOTICE
        elif check.gating:
            level = AnnotationLevel.FAILURE
        change = difference.by_check.get(check.id) if difference else None
        marks = (*_became(change), *figures.marks(check, change))
        beside = f" ({', '.join(marks)})" if marks else ""
        title = f"{check.name} failed{beside}"
        yield _of_check(check, responses, level=level, title=title, change=change)


def _became(change: CheckChange | None) -> Iterator[str]:
    """What is worth a word on a line: that it is bad since now, or that it was bad already."""
    if change is not None and change.change in _SAID:
        yield change.change.value.replace("-", " ")


def _loosened(report: Report) -> Iterator[Annotation | None]:
    """Where the first check stands that is held to less; what is removed has no line any more."""
    places = {check.id: check.location for check in report.checks}
    for one in report.comparison.loosened if report.comparison else ():
        place = next((places[name] for name in one.checks if name in places), None)
        if one.suite is None or place is None:
            continue
        failing = f"; {len(one.failing):,} of them failing on the base" if one.failing else ""
        count = figures.counted(len(one.checks), "check")
        yield _remark(
            place.path,
            place.line,
            place.column,
            level=AnnotationLevel.WARNING,
            title="Loosened by this change",
            message=f"{one.what}: {one.was} → {one.now} ({count}{failing})",
        )


def _reviews(checks: Iterable[ReportCheck], responses: Responses) -> Iterator[Annotation | None]:
    for check in checks:
        level = AnnotationLevel.WARNING if check.gating else AnnotationLevel.NOTICE
        yield _of_check(check, responses, level=level, title=f"{check.name} waits for a review")


def _of_check(
    check: ReportCheck,
    responses: Responses,
    *,
    level: AnnotationLevel,
    title: str,
    change: CheckChange | None = None,
) -> Annotation | None:
    turn = f", turn {check.turn + 1}" if check.turn else ""
    said = [f"{characters.line(check.label)}{turn}"]
    if check.score is not None:
        was, now = figures.movement(check, change)
        said.append(f"score {was} → {now}" if was else f"score {now}")
    said.append(_reason(check, responses))
    place = check.location
    return _remark(
        place.path,
        place.line,
        place.column,
        level=level,
        title=title,
        message="\n".join(filter(None, said)),
    )


def _unmeasured(
    report: Report, causes: Iterable[Cause], responses: Responses
) -> Iterator[Annotation | None]:
    """One for each cause in each suite, where its first check stands."""
    decisive = report.decision.outcome is DecisionOutcome.COULD_NOT_EVALUATE
    for cause in causes:
        by_suite: dict[str, list[ReportCheck]] = {}
        for check in cause.checks:
            by_suite.setdefault(check.suite, []).append(check)
        for checks in by_suite.values():
            first, loud = checks[0], decisive and any(check.gating for check in checks)
            yield _remark(
                first.location.path,
                first.location.line,
                first.location.column,
                level=AnnotationLevel.FAILURE if loud else AnnotationLevel.WARNING,
                title=f"{figures.counted(len(checks), 'check')} not measured"
                + (f": {cause.name}" if first.error else ""),
                message=_reason(first, responses),
            )


def _reason(check: ReportCheck, responses: Responses) -> str:
    text = quoting.reason(check, responses)
    if text or not check.quotes:
        return text or "no reason was given"
    kept = responses is Responses.ARTIFACT
    return "the reason is in `report.json`" if kept else "the reason is not shown"


def _remark(
    path: str | None,
    line: int | None,
    column: int | None,
    *,
    level: AnnotationLevel,
    message: str,
    title: str = "",
) -> Annotation | None:
    """At a real line, or at the first one of the file; `None` outside of the repository."""
    if path is None or not _is_inside(path):
        return None
    where = max(line or 1, 1)
    real = line is not None and column is not None and column > 0
    return Annotation(
        path=path,
        start_line=where,
        end_line=where,
        start_column=column if real else None,
        end_column=column if real else None,
        level=level,
        title=terminal.line(title, limit=TITLE),
        message=truncation.utf8(terminal.lines(message), MESSAGE_BYTES) or "no message",
    )


def _is_inside(path: str) -> bool:
    posix = PurePosixPath(path)
    return bool(
        posix.parts and path.isprintable() and not posix.is_absolute() and ".." not in posix.parts
    )
