"""A report in, the rows that its page sorts and filters out, as JSON: short, for there are many."""

import json
from collections.abc import Iterator, Mapping

from mergebar.model.configuration import Responses
from mergebar.model.reports import Report, ReportCheck
from mergebar.model.text import Json
from mergebar.report import figures, quoting
from mergebar.report.counting import Fate, Fates
from mergebar.report.differing import Changed, Difference
from mergebar.report.gate_effects import GateEffect, GateEffects, of_checks
from mergebar.untrusted import characters

COLUMNS = (
    "id", "outcome", "name", "case", "suite", "line", "was", "now", "score", "change", "severity",
    "marks", "tags", "reason", "more",
)  # fmt: skip
_TAGS = {Fate.UNMEASURED: "unmeasured", Fate.DECLINED: "declined"}
_TEXT = 4_000
_NAME = 300


def draw(report: Report, difference: Difference | None, responses: Responses) -> str:
    """An object with the `columns` and the `rows`; the page shows texts and never HTML of them."""
    writer = _Rows(report, difference, responses)
    value = {"columns": list(COLUMNS), "rows": list(writer.rows())}
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


class _Rows:
    def __init__(self, report: Report, difference: Difference | None, responses: Responses) -> None:
        self._report = report
        self._difference = difference
        # The page is the artifact's own: what may be in one may be in the other.
        none = responses is Responses.NONE
        self._responses = Responses.NONE if none else Responses.EVERYWHERE
        self._effects: GateEffects = of_checks(report)
        self._fates = Fates(report.checks)

    def rows(self) -> Iterator[Json]:
        """The checks of this report in their order, then what only the baseline has."""
        for check in self._report.checks:
            yield self._check(check)
        for gone in self._difference.removed if self._difference else ():
            yield _gone(gone)

    def _check(self, check: ReportCheck) -> list[Json]:
        change = self._difference.by_check.get(check.id) if self._difference else None
        was, now = figures.movement(check, change)
        effect = self._effects.of(check)
        kind = change.change.value if change else ""
        turn = f" · turn {check.turn + 1}" if check.turn else ""
        tags = [
            *(["blocking"] if effect is GateEffect.BLOCKS else []),
            *([_TAGS[fate]] if (fate := self._fates.of(check)) in _TAGS else []),
            *(["known"] if change is not None and change.known and check.outcome == "fail" else []),
        ]
        return [
            _line(check.id),
            check.outcome,
            _line(check.name),
            f"{_line(check.label)}{turn}",
            _line(check.suite),
            check.location.line,
            was,
            now,
            check.score,
            kind,
            check.severity,
            list(figures.marks(check, change)),
            list(tags),
            self._text(quoting.reason(check, self._responses)),
            self._more(check, change.reason if change else "", effect),
        ]

    def _more(self, check: ReportCheck, reason: str, effect: GateEffect) -> Json:
        """What a row shows when it is opened: names and texts."""
        runs = " · ".join(
            f"{one.outcome}{'' if one.score is None else f' {figures.decimal(one.score)}'}"
            + (f" (votes {', '.join(map(figures.decimal, one.votes))})" if one.votes else "")
            for one in check.runs
        )
        why = self._effects.why.get(check.id, "") if effect is GateEffect.FAILS else ""
        tokens = (check.usage.input_tokens or 0) + (check.usage.output_tokens or 0)
        told: Mapping[str, str] = {
            "not comparable": reason,
            "doesn't block": why,
            "runs": runs if len(check.runs) > 1 or any(one.votes for one in check.runs) else "",
            "notices": "" if self._silent(check) else "; ".join(check.notices),
            "skipped": check.skip or "",
            "error": check.error.error_class if check.error else "",
            "agent": check.agent or "",
            "weight": figures.decimal(check.weight, 4),
            "gates": "yes" if check.gating else "no",
            "judge's tokens": figures.scale(tokens) if tokens else "",
            "seconds": figures.decimal(check.duration_s) if check.duration_s else "",
            "id": check.id,
        }
        return [[name, self._text(text)] for name, text in told.items() if text]

    def _silent(self, check: ReportCheck) -> bool:
        return check.quotes and self._responses is Responses.NONE

    def _text(self, text: str) -> str:
        return characters.reveal(text, limit=_TEXT)


def _gone(one: Changed) -> list[Json]:
    """A check that this report doesn't have."""
    score = one.change.base_score
    was = one.change.base_outcome or ""
    return [
        _line(one.change.check),
        "removed",
        _line(one.name),
        _line(one.label),
        _line(one.suite),
        None,
        was if score is None else f"{was}, {figures.decimal(score)}",
        "",
        None,
        one.change.change.value,
        "",
        [],
        [],
        characters.reveal(one.change.reason, limit=_TEXT),
        [["id", _line(one.change.check)]],
    ]


def _line(text: str) -> str:
    return characters.line(text, limit=_NAME)
