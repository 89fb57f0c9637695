"""A report in, what a code scanner is to be told of it out."""

from collections.abc import Iterator

from mergebar.model.configuration import Responses
from mergebar.model.reports import Report, ReportCheck
from mergebar.model.text import Json
from mergebar.report import differing, figures, problem_findings, quoting, sarif
from mergebar.report.counting import Fate, Fates
from mergebar.report.differing import Difference
from mergebar.report.sarif import Finding
from mergebar.report.selecting import select
from mergebar.untrusted import characters

_SILENT = frozenset({Fate.PASSED, Fate.DECLINED, Fate.ELSEWHERE})
"""What is nothing to remark on."""


def draw(
    report: Report, responses: Responses = Responses.ARTIFACT, *, key: str = "mergebar"
) -> str:
    """SARIF of all that is wrong, carried failures too: what isn't in it counts as mended."""
    difference = differing.differ(report)
    findings = [
        *(problem_findings.finding(one) for one in report.problems),
        *(problem_findings.finding(one) for suite in report.suites for one in suite.problems),
        *(_warning(one.message, one.path, one.line, one.column) for one in select(report).warnings),
        *_checks(report, difference, responses),
        *_loosened(report),
    ]
    log = sarif.log(
        findings,
        version=report.mergebar_version,
        category=key,
        complete=report.run.complete,
    )
    return sarif.text(log)


def _warning(message: str, path: str | None, line: int | None, column: int | None) -> Finding:
    return Finding(
        rule="run/warning",
        level="warning",
        message=message,
        path=path,
        line=line,
        column=column,
        key=f"{path}\n{message}",
        about="What has to be known of the run.",
    )


def _checks(
    report: Report, difference: Difference | None, responses: Responses
) -> Iterator[Finding]:
    fates = Fates(report.checks)
    for check in report.checks:
        if fates.of(check) in _SILENT:
            continue
        place = check.location
        rule, about, level = _kind(check)
        yield Finding(
            rule=rule,
            level=level,
            message=_message(check, difference, responses),
            path=place.path,
            line=place.line,
            column=place.column,
            key=check.id,
            about=about,
            waits=check.outcome == "needs-review",
            properties=_properties(check, difference),
        )


def _kind(check: ReportCheck) -> tuple[str, str, str]:
    """Rule, what it is about, and the level of a check that is no pass."""
    if check.outcome in {"fail", "needs-review"}:
        kind = "eval" if check.kind == "grader" else check.name
        return f"check/{kind}", f"Checks of {kind}", "error" if check.gating else check.severity
    cause = check.error.error_class if check.error else "withheld"
    level = "warning" if check.gating else "notice"
    return f"unmeasured/{cause}", f"Checks that were not measured: {cause}", level


def _message(check: ReportCheck, difference: Difference | None, responses: Responses) -> str:
    change = difference.by_check.get(check.id) if difference else None
    was, now = figures.movement(check, change)
    turn = f", turn {check.turn + 1}" if check.turn else ""
    said = [f"{check.name} on “{characters.line(check.label)}”{turn}"]
    if check.outcome == "needs-review":
        said.append("waits for a review")
    elif check.outcome == "fail":
        said.append(f"score {was} → {now}" if was else f"score {now}")
    else:
        said.append("not measured")
    reason = quoting.reason(check, responses)
    marks = figures.marks(check, change)
    head = f"{': '.join(said)}{' (' + ', '.join(marks) + ')' if marks else ''}"
    return f"{head}\n{reason}" if reason else head


def _properties(check: ReportCheck, difference: Difference | None) -> dict[str, Json]:
    change = difference.by_check.get(check.id) if difference else None
    said: dict[str, Json] = {
        "outcome": check.outcome,
        "severity": check.severity,
        "gating": check.gating,
        "carried": check.carried,
    }
    if check.score is not None:
        said["score"] = check.score
    if change is not None:
        said["change"] = change.change.value
    return said


def _loosened(report: Report) -> Iterator[Finding]:
    places = {check.id: check.location for check in report.checks}
    for one in report.comparison.loosened if report.comparison else ():
        place = next((places[name] for name in one.checks if name in places), None)
        yield Finding(
            rule=f"loosened/{one.kind}",
            level="warning",
            message=f"{one.what}: {one.was} → {one.now}",
            path=place.path if place else one.suite,
            line=place.line if place else None,
            column=place.column if place else None,
            key=f"{one.suite}\n{one.what}",
            about="Where a change lowers the bar.",
        )
