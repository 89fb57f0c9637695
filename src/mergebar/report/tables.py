"""Parts of a report in, tables of ready Markdown out: every text in them is escaped here."""

import urllib.parse
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from mergebar.model.comparisons import ChangeKind, CheckChange
from mergebar.model.configuration import Responses
from mergebar.model.reports import Report, ReportCheck, ReportProblem, ReportSuite
from mergebar.report import evaluator_lines, figures, quoting
from mergebar.report.counting import Fate
from mergebar.report.differing import Difference
from mergebar.report.evaluator_lines import Line
from mergebar.report.presenting import Presentation
from mergebar.report.selecting import Cause, Let
from mergebar.untrusted import markdown
from mergebar.untrusted.markdown import Markdown

_Thing = TypeVar("_Thing")

_NAME = 80
_PATH = 160
_ADDRESS = 400
_PLACES, _SEEN = 3, 100
LEVELS = {"error": "❌", "warning": "⚠️", "notice": "ℹ️"}  # noqa: RUF001 - the sign for a notice


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """`left` rows were left out at the end."""

    head: Markdown
    rows: tuple[Markdown, ...]
    left: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pen:
    """Draws rows: it knows where links go, what may be shown, and how long a text may be."""

    report: Report
    presentation: Presentation
    reason: int
    difference: Difference | None = None

    def blocking(self, checks: Sequence[ReportCheck], rows: int) -> Table:
        return table(
            ("check", self._moved, "why"), ("--", "--", "--"), checks, rows,
            lambda one: (self.check(one), self.movement(one), self.why(one)),
        )  # fmt: skip

    def let(self, let: Sequence[Let], rows: int) -> Table:
        return table(
            ("check", self._moved, "why", "doesn't block"), ("--", "--", "--", "--"), let, rows,
            lambda one: (
                self.check(one.check),
                self.movement(one.check, strong=False),
                self.why(one.check),
                markdown.cell(one.why, limit=self.reason),
            ),
        )  # fmt: skip

    def reviews(self, checks: Sequence[ReportCheck], rows: int) -> Table:
        return table(
            ("check", "why"), ("--", "--"), checks, rows,
            lambda one: (self.check(one), self.why(one)),
        )  # fmt: skip

    def passed(self, checks: Sequence[ReportCheck], rows: int) -> Table:
        return table(
            ("check", "score"), ("--", "--"), checks, rows,
            lambda one: (self.check(one), figures.score(one)),
        )  # fmt: skip

    def flaky(self, checks: Sequence[ReportCheck], rows: int) -> Table:
        return table(
            ("", "check", "its runs"), (":-:", "--", "--"), checks, rows,
            lambda one: (_sign(one), self.check(one), figures.runs(one)),
        )  # fmt: skip

    def everything(self, checks: Sequence[ReportCheck], rows: int) -> Table:
        return table(
            ("", "check", self._moved, "why"), (":-:", "--", "--", "--"), checks, rows,
            lambda one: (
                _sign(one), self.check(one), self.movement(one, strong=False), self.why(one)
            ),
        )  # fmt: skip

    def causes(self, causes: Sequence[Cause], rows: int) -> Table:
        return table(
            ("cause", "checks", "message", "such as"), ("--", "--:", "--", "--"), causes, rows,
            lambda one: (
                f"**{markdown.inline(one.name, limit=self.reason)}**",
                f"{len(one.checks):,}",
                self.why(one.example) if one.example.error else markdown.BLANK,
                self._places(one),
            ),
        )  # fmt: skip

    def declined(self, causes: Sequence[Cause], rows: int) -> Table:
        return table(
            ("cause", "checks", "such as"), ("--", "--:", "--"), causes, rows,
            lambda one: (
                markdown.cell(one.name, limit=self.reason),
                f"{len(one.checks):,}",
                self._places(one),
            ),
        )  # fmt: skip

    def problems(self, problems: Sequence[ReportProblem], rows: int) -> Table:
        return table(
            ("", "where", "what"), (":-:", "--", "--"), problems, rows,
            lambda one: (
                LEVELS.get(one.level, ""),
                self.place(one.path, one.line, one.column),
                markdown.cell(one.message, limit=self.reason),
            ),
        )  # fmt: skip

    def suites(self, suites: Sequence[ReportSuite], rows: int) -> Table:
        return table(
            ("suite", "because"), ("--", "--"), suites, rows,
            lambda one: (
                self.place(one.path, None),
                markdown.cell(one.reason, limit=self.reason),
            ),
        )  # fmt: skip

    def evaluators(self, lines: Sequence[Line], rows: int) -> Table:
        """One line per evaluator, and one for all of them."""
        whole, columns = evaluator_lines.summed(lines), evaluator_lines.columns(lines)
        head = ("evaluator", "checks", *evaluator_lines.heads(columns), "pass rate")
        drawn = table(
            head, ("--", *["--:"] * (len(head) - 1)), lines, rows,
            lambda one: (
                markdown.inline(one.name, limit=_NAME),
                *_counts(one, columns),
            ),
        )  # fmt: skip
        total = row([f"**{cell}**" for cell in ("all", *_counts(whole, columns))])
        return Table(head=drawn.head, rows=(*drawn.rows, total), left=drawn.left)

    def place(self, path: str | None, line: int | None, column: int | None = None) -> Markdown:
        """`path:line`, linked to the file as of the tested commit where that is known."""
        if path is None:
            return Markdown("–")
        shown = markdown.code(figures.place(path, line, column), limit=_PATH)
        repository, commit = self.presentation.repository_url, self.report.run.commit
        if repository is None or commit is None:
            return shown
        file = _quoted(path)
        anchor = f"#L{line}" if line is not None else ""
        address = f"{repository}/blob/{_quoted(commit)}/{file}{anchor}"
        return Markdown(f"[{shown}]({address})") if len(address) <= _ADDRESS else shown

    def _places(self, cause: Cause) -> str:
        places = dict.fromkeys(self._place_of(check) for check in cause.checks[:_SEEN])
        return "<br>".join(list(places)[:_PLACES])

    def _place_of(self, check: ReportCheck) -> Markdown:
        return self.place(check.location.path, check.location.line)

    def check(self, check: ReportCheck) -> Markdown:
        """Who checked what, and below it where that is written down."""
        said = [named(check.name), markdown.inline(check.label, limit=_NAME)]
        if check.turn:
            said.append(Markdown(f"turn {check.turn + 1}"))
        below = [self._place_of(check), *figures.marks(check, self._change(check))]
        return Markdown(f"{' · '.join(said)}<br>{' · '.join(below)}")

    def movement(self, check: ReportCheck, *, strong: bool = True) -> str:
        """Was → now; only now where there is nothing to compare with, and why there isn't."""
        change = self._change(check)
        was, now = figures.movement(check, change)
        shown = f"**{now}**" if strong else now
        if was:
            return f"{was} → {shown}"
        if change is not None and change.change is ChangeKind.NEW:
            return f"new: {shown}"
        if figures.is_incomparable(check, change):
            return f"not comparable: {shown}"
        return shown

    @property
    def _moved(self) -> str:
        return "score" if self.difference is None else "was → now"

    def _change(self, check: ReportCheck) -> CheckChange | None:
        return None if self.difference is None else self.difference.by_check.get(check.id)

    def why(self, check: ReportCheck) -> Markdown:
        text = quoting.reason(check, self.presentation.responses)
        if not text and check.quotes and check.outcome != "pass":
            kept = self.presentation.responses is Responses.ARTIFACT
            return Markdown("*in* `report.json`" if kept else "*not shown*")
        return markdown.cell(text, limit=self.reason)


def named(name: str) -> Markdown:
    """An evaluator or an eval, as the subject of its row."""
    return Markdown(f"**{markdown.inline(name, limit=_NAME)}**")


def _quoted(path: str) -> str:
    return urllib.parse.quote(path, safe="/", errors="replace")


def _sign(check: ReportCheck) -> str:
    signs = {"pass": "✅", "fail": "❌", "needs-review": "👀", "error": "⚠️", "skipped": "⏭️"}
    return signs[check.outcome]


def _counts(line: Line, columns: Iterable[Fate]) -> tuple[str, ...]:
    return (*map(_count, line.numbers(columns)), figures.percent(line.rate))


def _count(number: int) -> str:
    return f"{number:,}" if number else "–"


def row(cells: Sequence[str]) -> Markdown:
    return Markdown(f"| {' | '.join(cells)} |")


def table(
    header: tuple[str, ...],
    align: tuple[str, ...],
    things: Sequence[_Thing],
    rows: int,
    draw: Callable[[_Thing], Sequence[str]],
) -> Table:
    return Table(
        head=Markdown(f"{row(header)}\n|{'|'.join(align)}|"),
        rows=tuple(row(draw(one)) for one in things[:rows]),
        left=max(len(things) - rows, 0),
    )
