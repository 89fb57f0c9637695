"""A report in, CSV out: a row per check of either side, for a spreadsheet that computes nothing."""

import csv
import io
from collections.abc import Callable, Mapping

from mergebar.model.configuration import Responses
from mergebar.model.reports import Report, ReportCheck
from mergebar.report import differing, quoting
from mergebar.report.differing import Changed
from mergebar.report.gate_effects import GateEffect, of_checks
from mergebar.untrusted import csv as untrusted

_OF_CHECK: Mapping[str, Callable[[ReportCheck], object]] = {
    "case": lambda one: one.case,
    "label": lambda one: one.label,
    "turn": lambda one: one.turn,
    "name": lambda one: one.name,
    "kind": lambda one: one.kind,
    "agent": lambda one: one.agent,
    "outcome": lambda one: one.outcome,
    "score": lambda one: one.score,
    "threshold": lambda one: one.threshold,
    "severity": lambda one: one.severity,
    "weight": lambda one: one.weight,
    "must_pass": lambda one: one.must_pass,
    "gating": lambda one: one.gating,
    "carried": lambda one: one.carried,
    "flaky": lambda one: one.flaky,
    "stale": lambda one: one.stale,
    "replayed": lambda one: one.replayed,
    "skip": lambda one: one.skip,
    "error": lambda one: one.error and one.error.error_class,
    "path": lambda one: one.location.path,
    "line": lambda one: one.location.line,
    "column": lambda one: one.location.column,
    "duration_s": lambda one: one.duration_s,
    "input_tokens": lambda one: one.usage.input_tokens,
    "output_tokens": lambda one: one.usage.output_tokens,
    "cost_usd": lambda one: one.usage.cost_usd,
}
_OF_CHANGE: Mapping[str, Callable[[Changed], object]] = {
    "change": lambda one: one.change.change.value,
    "base_outcome": lambda one: one.change.base_outcome,
    "base_score": lambda one: one.change.base_score,
    "known": lambda one: one.change.known,
    "change_reason": lambda one: one.change.reason,
}
COLUMNS = ("id", "suite", *_OF_CHECK, "blocks", "reason", *_OF_CHANGE)


def draw(report: Report, responses: Responses = Responses.ARTIFACT) -> str:
    """RFC 4180 with a header. The file is the reader's own, so reasons are in it but for `none`.

    What only the baseline has comes last, with what is known of it.
    """
    difference = differing.differ(report)
    effects = of_checks(report)
    shown = Responses.NONE if responses is Responses.NONE else Responses.EVERYWHERE
    text = io.StringIO(newline="")
    rows = csv.DictWriter(text, COLUMNS, restval="", lineterminator="\r\n")
    rows.writeheader()
    for check in report.checks:
        change = difference.by_check.get(check.id) if difference else None
        row = {
            **_base(check.id, check.suite),
            **{name: read(check) for name, read in _OF_CHECK.items()},
            "blocks": effects.of(check) is GateEffect.BLOCKS,
            "reason": quoting.reason(check, shown),
        }
        rows.writerow(
            _fields(row | (_changed(Changed(change=change, check=check)) if change else {}))
        )
    for gone in difference.removed if difference else ():
        row = {**_base(gone.change.check, gone.suite), "label": gone.label, "name": gone.name}
        rows.writerow(_fields(row | _changed(gone)))
    return text.getvalue()


def _base(name: str, suite: str) -> dict[str, object]:
    return {"id": name, "suite": suite}


def _changed(changed: Changed) -> dict[str, object]:
    return {name: read(changed) for name, read in _OF_CHANGE.items()}


def _fields(row: Mapping[str, object]) -> dict[str, object]:
    """Texts are made harmless; numbers are ours; yes and no are as JSON has them."""
    return {name: _field(value) for name, value in row.items()}


def _field(value: object) -> object:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return untrusted.field(value)
    return "" if value is None else value
