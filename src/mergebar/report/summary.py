"""A report in, the job summary out: GitHub Markdown with every check, within GitHub's limit."""

from mergebar.model.reports import Report
from mergebar.report import markup
from mergebar.report.markup import Detail
from mergebar.report.presenting import Presentation

BYTES = 1024 * 1024

_DETAILS = (
    Detail(acting=1000, rest=1000, passed=20_000, reason=300),
    Detail(acting=500, rest=500, passed=3000, reason=200),
    Detail(acting=500, rest=200, passed=1000, reason=160),
    Detail(acting=200, rest=100, passed=200, reason=120),
    Detail(acting=40, rest=20, passed=0, reason=100),
    Detail(acting=10, rest=5, passed=0, reason=60),
)
"""From everything to what always fits."""


def draw(report: Report, presentation: Presentation) -> str:
    """What the comment says, and then every check."""
    return markup.fit(
        "summary.md.j2",
        report,
        presentation,
        details=_DETAILS,
        fits=lambda text: len(text.encode()) < BYTES,
    )
