"""A report in, what its check run shows out: headline, a summary within GitHub's bytes, remarks."""

from mergebar.model.decisions import DecisionOutcome
from mergebar.model.publishing import CheckRunOutput
from mergebar.model.reports import Report
from mergebar.report import annotations, markup
from mergebar.report.markup import Detail
from mergebar.report.presenting import Presentation
from mergebar.untrusted import characters, markdown

BYTES = 65_535
TITLE = 200

_DETAILS = (
    Detail(acting=300, rest=100, passed=200, reason=300),
    Detail(acting=300, rest=100, passed=0, reason=300),
    Detail(acting=150, rest=40, passed=0, reason=240),
    Detail(acting=80, rest=20, passed=0, reason=160),
    Detail(acting=30, rest=8, passed=0, reason=100),
    Detail(acting=8, rest=3, passed=0, reason=60),
    Detail(acting=2, rest=1, passed=0, reason=20),
)
"""From everything to what always fits: whole rows are left out, so that nothing is cut open."""

_WHY = 2_000
_WORDS = {
    DecisionOutcome.PASSED: "Passed",
    DecisionOutcome.FAILED: "Failed",
    DecisionOutcome.NEEDS_REVIEW: "Needs review",
    DecisionOutcome.COULD_NOT_EVALUATE: "Could not evaluate",
    DecisionOutcome.INVALID: "Invalid",
}
_TOO_LONG = "The summary does not fit here: `report.json` and the job summary have all of it."


def draw(report: Report, presentation: Presentation) -> CheckRunOutput:
    """The end of a run."""
    summary = markup.fit("comment.md.j2", report, presentation, details=_DETAILS, fits=_fits)
    return CheckRunOutput(
        title=title(report),
        summary=summary if _fits(summary) else _TOO_LONG,
        annotations=annotations.annotate(report, presentation.responses),
    )


def title(report: Report) -> str:
    """The decision and the number that matters, on one line of plain text."""
    said = f"{_WORDS[report.decision.outcome]}: {report.decision.headline}"
    return characters.line(said, limit=TITLE)


def begun() -> CheckRunOutput:
    """Before anything is measured."""
    return CheckRunOutput(title="Running", summary="The verdict follows when the run has ended.")


def ended(headline: str, why: str) -> CheckRunOutput:
    """The end of a run without a report."""
    return CheckRunOutput(
        title=characters.line(headline, limit=TITLE), summary=markdown.inline(why, limit=_WHY)
    )


def _fits(text: str) -> bool:
    return len(text.encode("utf-8", "replace")) <= BYTES
