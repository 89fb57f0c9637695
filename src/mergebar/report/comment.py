"""A report in, the body of the sticky comment out: GitHub Markdown within GitHub's limits."""

import urllib.parse

from mergebar.model.reports import Report
from mergebar.report import markup
from mergebar.report.markup import Detail
from mergebar.report.presenting import Presentation

CHARACTERS = 65_000
BYTES = 250_000

_DETAILS = (
    Detail(acting=300, rest=100, passed=200, reason=300),
    Detail(acting=300, rest=100, passed=0, reason=300),
    Detail(acting=150, rest=40, passed=0, reason=240),
    Detail(acting=80, rest=20, passed=0, reason=200),
    Detail(acting=40, rest=10, passed=0, reason=160),
    Detail(acting=20, rest=5, passed=0, reason=120),
    Detail(acting=8, rest=3, passed=0, reason=80),
    Detail(acting=3, rest=1, passed=0, reason=40),
)
"""From everything to what always fits."""


def draw(report: Report, presentation: Presentation) -> str:
    """The marker, and what the reader has to know; what passed is dropped first when it is long."""
    first = marker(report, key=presentation.key)
    room = CHARACTERS - len(first) - 1
    body = markup.fit(
        "comment.md.j2",
        report,
        presentation,
        details=_DETAILS,
        fits=lambda text: len(text) <= room and len(text.encode()) <= BYTES,
    )
    return f"{first}\n{body}"


def marker_start(key: str) -> str:
    """How every comment of a gate begins; nothing else that is drawn can contain it."""
    return f"<!-- mergebar:v1 key={_quoted(key)} "


def marker(report: Report, *, key: str) -> str:
    """The first line: which gate, and which run, so that an older one can't overwrite a newer."""
    run = report.run
    commit = run.head_commit or run.commit or "none"
    fields = {"run": run.id or "0", "attempt": str(run.attempt or 0), "sha": commit}
    said = " ".join(f"{name}={_quoted(value)}" for name, value in fields.items())
    return f"{marker_start(key)}{said} -->"


def _quoted(value: str) -> str:
    return urllib.parse.quote(value, safe="", errors="replace")
