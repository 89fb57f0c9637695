"""A report in, text for a terminal or a log out: it fits the width, and steers nothing."""

import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from mergebar.model.configuration import Mode, Responses
from mergebar.model.decisions import DecisionOutcome
from mergebar.model.reports import Report, ReportCheck, ReportProblem
from mergebar.report import figures, quoting
from mergebar.report.remedies import remedy
from mergebar.report.selecting import Cause, Let, Line, Selection, select
from mergebar.untrusted import terminal

_Thing = TypeVar("_Thing")

_RED, _GREEN, _YELLOW, _BOLD, _DIM = "31", "32", "33", "1", "2"
_OUTCOMES = {
    DecisionOutcome.PASSED: ("✓", "passed", _GREEN),
    DecisionOutcome.FAILED: ("✗", "failed", _RED),
    DecisionOutcome.NEEDS_REVIEW: ("?", "needs review", _YELLOW),
    DecisionOutcome.COULD_NOT_EVALUATE: ("!", "could not evaluate", _RED),
    DecisionOutcome.INVALID: ("✗", "invalid", _RED),
}
_LEVELS = {"error": _RED, "warning": _YELLOW, "notice": _DIM}
_NARROWEST = 40
_ROWS = 200
_NAME, _TEXT = 80, 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How to draw: `width` in columns; `verbose` names what passed and what wasn't affected."""

    width: int = 80
    colour: bool = False
    verbose: bool = False
    responses: Responses = Responses.ARTIFACT


def draw(report: Report, style: Style) -> str:
    """Ends with a line break; the verdict comes last, where a person's eye is."""
    sketch = _Sketch(report=report, style=style)
    parts = (list(part) for part in sketch.parts(select(report)))
    text = "\n\n".join("\n".join(part) for part in parts if part)
    return terminal.guard(text) + "\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sketch:
    report: Report
    style: Style

    def parts(self, selection: Selection) -> Iterator[Iterable[str]]:
        """Blocks of lines, set apart by a blank one."""
        yield self._listed(selection.invalid, self._problem)
        yield self._listed(selection.other_problems, self._problem)
        yield self._listed(self.report.warnings, lambda one: self._said(
            "warning", _YELLOW, one.message, figures.place(one.path, one.line, one.column)
        ))  # fmt: skip
        yield self._listed(selection.blocking, lambda one: self._check("blocks", _RED, one))
        yield self._listed(selection.let, self._let)
        yield self._listed(selection.reviews, lambda one: self._check("review", _YELLOW, one))
        yield self._listed(selection.unmeasured, self._cause)
        yield self._listed(selection.declined, self._declined)
        if self.style.verbose:
            yield self._listed(selection.passed, lambda one: self._check("passed", _GREEN, one))
            yield self._listed(self.report.suites, lambda one: self._said(
                "ran" if one.affected else "not run", _DIM, one.reason, one.path
            ))  # fmt: skip
        yield self._evaluators(selection.lines)
        yield self._verdict(selection)

    def _listed(
        self, things: Sequence[_Thing], draw: Callable[[_Thing], Iterable[str]]
    ) -> Iterator[str]:
        """At most so many: a log is not the place to find the five-hundredth."""
        for thing in things[:_ROWS]:
            yield from draw(thing)
        if len(things) > _ROWS:
            yield self._paint(f"…and {len(things) - _ROWS:,} more in report.json", _DIM)

    def _problem(self, one: ReportProblem) -> Iterator[str]:
        colour = _LEVELS.get(one.level, _DIM)
        where = figures.place(one.path, one.line, one.column)
        yield from self._said(one.level, colour, f"{one.message} [{one.rule}]", where)

    def _check(self, word: str, colour: str, check: ReportCheck, why: str = "") -> Iterator[str]:
        about = terminal.line(check.label, limit=_NAME)
        said = [f"{check.name} {figures.score(check)}", f'"{about}"']
        if check.turn:
            said.append(f"turn {check.turn + 1}")
        said += figures.marks(check)
        reason = quoting.reason(check, self.style.responses)
        where = figures.place(check.location.path, check.location.line, check.location.column)
        yield from self._said(word, colour, " · ".join(said), where)
        for text in (reason, why):
            yield from self._wrapped(text, indent=4)

    def _let(self, let: Let) -> Iterator[str]:
        yield from self._check("fails", _YELLOW, let.check, f"doesn't block: {let.why}")

    def _cause(self, cause: Cause) -> Iterator[str]:
        count = figures.counted(len(cause.checks), "check")
        check = cause.example
        where = figures.place(check.location.path, check.location.line, check.location.column)
        yield from self._said("unmeasured", _YELLOW, f"{count}: {cause.name}", f"from {where}")
        if check.error is not None:
            yield from self._wrapped(quoting.reason(check, self.style.responses), indent=4)

    def _declined(self, cause: Cause) -> Iterator[str]:
        count = figures.counted(len(cause.checks), "check")
        yield from self._said("skipped", _DIM, f"{count}: {cause.name}", "")

    def _evaluators(self, lines: Sequence[Line]) -> Iterator[str]:
        """A table with a column per count, as wide as its content."""
        if not lines:
            return
        rows = [["evaluator", "checks", "passed", "failed", "unmeasured", "rate"]]
        for line in lines[:_ROWS]:
            name = terminal.line(line.name, limit=max(self.style.width - 48, 12))
            counts = (line.checks, line.passed, line.failed, line.unmeasured)
            rows.append([name, *(f"{n:,}" if n else "-" for n in counts), _rate(line.rate)])
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        for index, row in enumerate(rows):
            cells = (cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
            text = "  ".join((row[0].ljust(widths[0]), *cells))
            yield self._paint(text, _DIM) if index == 0 else text

    def _verdict(self, selection: Selection) -> Iterator[str]:
        sign, word, colour = _OUTCOMES[self.report.decision.outcome]
        counts = [f"{number:,} {said}" for number, said in figures.outcomes(self.report.totals)]
        if self.report.totals.pass_rate is not None:
            counts.append(f"pass rate {_rate(self.report.totals.pass_rate)}")
        ran = f"{len(selection.ran):,} of {figures.counted(len(self.report.suites), 'suite')}"
        counts.append(f"{ran} affected")
        yield from self._wrapped(" · ".join([*counts, *figures.calls(self.report.usage)]))
        for ground in selection.grounds:
            yield from self._wrapped(f"- {ground}", later=2)
        todo = remedy(self.report, selection)
        if todo is not None:
            yield from self._wrapped(todo.sentence)
        if todo is not None and todo.command is not None:
            yield f"    {terminal.line(todo.command)}"
        if self.report.run.mode == Mode.ADVISE and self.report.decision.exit_code:
            yield from self._wrapped("Advise mode: the gate would say this, and blocks nothing.")
        verdict = f"{sign} {word}: {self.report.decision.headline}"
        for line in self._wrapped(verdict, later=2):
            yield self._paint(line, f"{_BOLD};{colour}")

    def _said(self, word: str, colour: str, text: str, where: str) -> Iterator[str]:
        """`word  place`, and below it what is to be said."""
        place = terminal.line(where)
        yield (
            f"{self._paint(word, colour)}  {self._paint(place, _BOLD)}"
            if place
            else self._paint(word, colour)
        )
        yield from self._wrapped(text, indent=4)

    def _wrapped(self, text: str, *, indent: int = 0, later: int = 0) -> Iterator[str]:
        """Every line indented, and those after the first by `later` more."""
        blank = " " * indent
        yield from textwrap.wrap(
            terminal.line(text, limit=_TEXT),
            width=max(self.style.width, _NARROWEST),
            initial_indent=blank,
            subsequent_indent=blank + " " * later,
            break_on_hyphens=False,
            break_long_words=False,
        )

    def _paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.style.colour else text


def _rate(rate: float | None) -> str:
    return "-" if rate is None else figures.percent(rate)
