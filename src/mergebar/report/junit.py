"""A report in, JUnit XML out: red for whoever reads it exactly where the decision isn't a pass."""

from collections.abc import Iterator, Mapping, Sequence

from mergebar.model.configuration import Responses
from mergebar.model.decisions import DecisionOutcome
from mergebar.model.reports import Report, ReportCheck
from mergebar.report import differing, figures, quoting
from mergebar.report.differing import Difference
from mergebar.report.gate_effects import GateEffect, GateEffects, of_checks
from mergebar.untrusted import characters, xml

_MESSAGE = 500
_GATE = "mergebar"
_ONE_FAILED = {"tests": 1, "failures": 1, "errors": 0, "skipped": 0}


def draw(report: Report, responses: Responses = Responses.ARTIFACT) -> str:
    """A testsuite per suite, a testcase per check, and one more testcase: the gate itself.

    A check fails here where it blocks; one that fails and doesn't is skipped, with the reason.
    """
    writer = _Writer(report, responses)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', *writer.document()]
    return "\n".join(lines) + "\n"


def missing(why: str) -> str:
    """The same for a report that can't be read: the gate has failed, for all that is known."""
    lines = (
        '<?xml version="1.0" encoding="UTF-8"?>',
        _open("testsuites", {"name": _GATE, "time": "0", **_texts(_ONE_FAILED)}),
        *_gate([_verdict("failure", why, why, kind="no-report")]),
        "</testsuites>",
    )
    return "\n".join(lines) + "\n"


class _Writer:
    def __init__(self, report: Report, responses: Responses) -> None:
        self._report = report
        self._responses = responses
        self._effects: GateEffects = of_checks(report)
        self._difference: Difference | None = differing.differ(report)

    def document(self) -> Iterator[str]:
        suites: dict[str, list[ReportCheck]] = {}
        for check in self._report.checks:
            suites.setdefault(check.suite, []).append(check)
        counts = self._counts(self._report.checks)
        failed = self._report.decision.outcome is not DecisionOutcome.PASSED
        whole = {
            **counts,
            "tests": counts["tests"] + 1,
            "failures": counts["failures"] + failed,
        }
        seconds = sum(check.duration_s for check in self._report.checks)
        yield _open("testsuites", {"name": _GATE, "time": _seconds(seconds), **_texts(whole)})
        for path, checks in suites.items():
            yield from self._suite(path, checks)
        yield from self._gate(failed=failed)
        yield "</testsuites>"

    def _suite(self, path: str, checks: list[ReportCheck]) -> Iterator[str]:
        seconds = sum(check.duration_s for check in checks)
        yield "  " + _open(
            "testsuite",
            {
                "name": path,
                "time": _seconds(seconds),
                "timestamp": self._report.run.started_at,
                **_texts(self._counts(checks)),
            },
        )
        for check in checks:
            yield from self._case(check)
        yield "  </testsuite>"

    def _counts(self, checks: tuple[ReportCheck, ...] | list[ReportCheck]) -> dict[str, int]:
        found = [self._effects.of(check) for check in checks]
        failures = found.count(GateEffect.BLOCKS) + found.count(GateEffect.WAITS)
        errors = found.count(GateEffect.MISSING)
        passes = found.count(GateEffect.PASSES)
        return {
            "tests": len(found),
            "failures": failures,
            "errors": errors,
            "skipped": len(found) - failures - errors - passes,
        }

    def _case(self, check: ReportCheck) -> Iterator[str]:
        turn = f" · turn {check.turn + 1}" if check.turn else ""
        case = {
            "name": f"{characters.line(check.label)}{turn} · {check.name}",
            "classname": check.suite,
            "time": _seconds(check.duration_s),
            "file": check.location.path,
            "line": str(check.location.line or 1),
        }
        yield "    " + _open("testcase", case)
        yield "      <properties>"
        for key, value in self._properties(check):
            yield f"        {_open('property', {'name': key, 'value': value}, closed=True)}"
        yield "      </properties>"
        yield from self._result(check)
        yield "    </testcase>"

    def _properties(self, check: ReportCheck) -> Iterator[tuple[str, str]]:
        change = self._difference.by_check.get(check.id) if self._difference else None
        values = {
            "id": check.id,
            "outcome": check.outcome,
            "score": "" if check.score is None else figures.decimal(check.score, 4),
            "threshold": "" if check.threshold is None else figures.decimal(check.threshold, 4),
            "severity": check.severity,
            "weight": figures.decimal(check.weight, 6),
            "change": "" if change is None else change.change.value,
            "marks": ", ".join(figures.marks(check, change)),
        }
        yield from ((key, value) for key, value in values.items() if value)

    def _result(self, check: ReportCheck) -> Iterator[str]:
        reason = quoting.reason(check, self._responses)
        effect = self._effects.of(check)
        if effect is GateEffect.BLOCKS:
            message = f"{check.name}: {figures.score(check)}"
            yield _verdict("failure", message, reason, kind=check.severity)
        elif effect is GateEffect.WAITS:
            yield _verdict("failure", "waits for a review", reason, kind="needs-review")
        elif effect is GateEffect.MISSING:
            kind = check.error.error_class if check.error else "withheld"
            yield _verdict("error", f"not measured: {kind}", reason, kind=kind)
        elif effect is not GateEffect.PASSES:
            told = reason if effect is GateEffect.FAILS else ""
            yield _skipped(self._aside(check, effect, reason), told)

    def _aside(self, check: ReportCheck, effect: GateEffect, reason: str) -> str:
        if effect is GateEffect.FAILS:
            why = self._effects.why.get(check.id) or f"severity `{check.severity}`"
            return f"fails, and doesn't block: {why}"
        if effect is GateEffect.DECLINED:
            return reason or "declined"
        if check.outcome == "needs-review":
            return "waits for a review, and doesn't block"
        cause = check.error.error_class if check.error else "withheld"
        return f"not measured, which is tolerated: {cause}"

    def _gate(self, *, failed: bool) -> Iterator[str]:
        """What no check alone stands for: a rate, the configuration, what was never measured."""
        decision = self._report.decision
        if not failed:
            return _gate([])
        reasons = "\n".join(one.message for one in decision.reasons)
        kind = decision.outcome.value
        return _gate([_verdict("failure", decision.headline, reasons, kind=kind)])


def _gate(failures: Sequence[str]) -> Iterator[str]:
    counts = {**_ONE_FAILED, "failures": len(failures)}
    yield "  " + _open("testsuite", {"name": _GATE, "time": "0", **_texts(counts)})
    yield "    " + _open("testcase", {"name": "the gate", "classname": _GATE, "time": "0"})
    yield from failures
    yield "    </testcase>"
    yield "  </testsuite>"


def _verdict(element: str, message: str, text: str, *, kind: str) -> str:
    opened = _open(element, {"message": characters.line(message, limit=_MESSAGE), "type": kind})
    return f"      {opened}{xml.text(text)}</{element}>"


def _skipped(message: str, text: str) -> str:
    opened = _open("skipped", {"message": characters.line(message, limit=_MESSAGE)})
    return f"      {opened}{xml.text(text)}</skipped>"


def _open(element: str, attributes: Mapping[str, str], *, closed: bool = False) -> str:
    said = "".join(f' {name}="{xml.attribute(value)}"' for name, value in attributes.items())
    return f"<{element}{said}{'/' if closed else ''}>"


def _texts(counts: Mapping[str, int]) -> dict[str, str]:
    return {name: str(number) for name, number in counts.items()}


def _seconds(duration: float) -> str:
    return f"{duration:.3f}"
