"""A report in, text for a terminal or a log out: it fits the width, and steers nothing."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from mergebar.model.configuration import Mode, Responses
from mergebar.model.conversations import ErrorClass
from mergebar.model.decisions import DecisionOutcome
from mergebar.model.reports import Report, ReportCheck, ReportProblem
from mergebar.report import diff_lines, evaluator_lines, figures, quoting
from mergebar.report.counting import Fate
from mergebar.report.diff_lines import Sketch
from mergebar.report.differing import Changed
from mergebar.report.evaluator_lines import Line
from mergebar.report.remedies import remedy
from mergebar.report.selecting import Cause, Let, Selection, select
from mergebar.report.terminal_lines import BOLD, DIM, GREEN, RED, ROWS, YELLOW, Ink
from mergebar.report.terminal_lines import Style as Style
from mergebar.untrusted import terminal

_OUTCOMES = {
    DecisionOutcome.PASSED: ("✓", "passed", GREEN),
    DecisionOutcome.FAILED: ("✗", "failed", RED),
    DecisionOutcome.NEEDS_REVIEW: ("?", "needs review", YELLOW),
    DecisionOutcome.COULD_NOT_EVALUATE: ("!", "could not evaluate", RED),
    DecisionOutcome.INVALID: ("✗", "invalid", RED),
}
_BRIEF = 3
_LEVELS = {"error": RED, "warning": YELLOW, "notice": DIM}


def draw(report: Report, style: Style) -> str:
    """Ends with a line break; the verdict comes last, where a person's eye is."""
    selection = select(report)
    ink = Ink(style=style)
    sketch = Sketch(ink=ink, difference=selection.difference)
    drawing = _Drawing(report=report, selection=selection, ink=ink, sketch=sketch)
    return joined(drawing.parts())


def brief(report: Report, responses: Responses) -> str:
    """The decision alone, and below it what is to be mended where that kept it from being made."""
    decision = report.decision
    lines = [terminal.line(f"{decision.outcome.value}: {decision.headline}")]
    if decision.outcome in {DecisionOutcome.COULD_NOT_EVALUATE, DecisionOutcome.INVALID}:
        selection = select(report)
        told = dict.fromkeys([*_wrong(selection), *_unset(selection, responses)])
        lines += [f"  {terminal.line(said)}" for said in [one for one in told if one][:_BRIEF]]
    return "".join(f"{line}\n" for line in lines)


def _wrong(selection: Selection) -> Iterator[str]:
    for one in (*selection.other_problems, *selection.invalid):
        if one.level == "error":
            where = figures.place(one.path, one.line, one.column)
            yield f"{where}: {one.message}" if where else one.message


def _unset(selection: Selection, responses: Responses) -> Iterator[str]:
    for cause in selection.unmeasured:
        for check in cause.checks:
            if check.error is not None and check.error.error_class == ErrorClass.CONFIG:
                yield quoting.reason(check, responses)


def joined(parts: Iterable[Iterable[str]]) -> str:
    """Blocks of lines, set apart by a blank one."""
    blocks = (list(part) for part in parts)
    text = "\n\n".join("\n".join(block) for block in blocks if block)
    return terminal.guard(text) + "\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Drawing:
    report: Report
    selection: Selection
    ink: Ink
    sketch: Sketch

    def parts(self) -> Iterator[Iterable[str]]:
        listed, selection = self.ink.listed, self.selection
        yield listed(selection.invalid, self._problem)
        yield listed(selection.other_problems, self._problem)
        yield listed(selection.warnings, lambda one: self.ink.said(
            "warning", YELLOW, one.message, figures.place(one.path, one.line, one.column)
        ))  # fmt: skip
        yield from self.sketch.aside()
        for passage in selection.passages:
            yield listed(passage.let, self._let)
        yield listed(selection.declined, self._declined)
        yield listed(selection.unmeasured, self._cause)
        yield listed(selection.reviews, lambda one: self._check("review", YELLOW, one))
        if self.ink.style.verbose:
            yield listed(selection.elsewhere, self._elsewhere)
            yield listed(selection.passed, lambda one: self._check("passed", GREEN, one))
            ran = "affected" if self.report.decision.outcome is DecisionOutcome.INVALID else "ran"
            yield listed(self.report.suites, lambda one: self.ink.said(
                ran if one.affected else "not run", DIM, one.reason, one.path
            ))  # fmt: skip
        yield listed(selection.blocking, lambda one: self._check("blocks", RED, one))
        if self.report.comparison is not None:
            yield self.sketch.loosened(self.report.comparison.loosened)
            yield self.sketch.edited(self.report.comparison.edited)
        yield self._table()
        yield self._verdict()

    def _problem(self, one: ReportProblem) -> Iterator[str]:
        colour = _LEVELS.get(one.level, DIM)
        where = figures.place(one.path, one.line, one.column)
        yield from self.ink.said(one.level, colour, f"{one.message} [{one.rule}]", where)

    def _check(self, word: str, colour: str, check: ReportCheck, why: str = "") -> Iterator[str]:
        where = figures.place(check.location.path, check.location.line, check.location.column)
        yield from self.ink.said(word, colour, self._subject(check), where)
        for text in (quoting.reason(check, self.ink.style.responses), why):
            yield from self.ink.wrapped(text, indent=4)

    def _subject(self, check: ReportCheck) -> str:
        difference = self.selection.difference
        change = difference.by_check.get(check.id) if difference else None
        if change is not None:
            said = self.sketch.check(Changed(change=change, check=check))
            kind = change.change.value.replace("-", " ")
            return said if check.carried else f"{said} · {kind}"
        return " · ".join([f"{check.name} {figures.score(check)}", *diff_lines.about(check)])

    def _let(self, let: Let) -> Iterator[str]:
        yield from self._check("fails", YELLOW, let.check, f"doesn't block: {let.why}")

    def _cause(self, cause: Cause) -> Iterator[str]:
        count = figures.counted(len(cause.checks), "check")
        check = cause.example
        where = figures.place(check.location.path, check.location.line, check.location.column)
        yield from self.ink.said("unmeasured", YELLOW, f"{count}: {cause.name}", f"from {where}")
        if check.error is not None:
            reason = quoting.reason(check, self.ink.style.responses)
            yield from self.ink.wrapped(reason, indent=4)

    def _elsewhere(self, cause: Cause) -> Iterator[str]:
        count = figures.counted(len(cause.checks), "check")
        said = f"{count} graded on other sessions: {cause.name}"
        yield from self.ink.said("elsewhere", DIM, said)

    def _declined(self, cause: Cause) -> Iterator[str]:
        count = figures.counted(len(cause.checks), "check")
        yield from self.ink.said("declined", DIM, f"{count}: {cause.name}")

    def _table(self) -> Iterator[str]:
        """Both sides where they can be compared, else the counts of this one."""
        comparison = self.report.comparison
        if comparison is not None and comparison.evaluators:
            yield from self.sketch.tallies(comparison)
        elif self.selection.lines:
            lines = self.selection.lines
            columns = evaluator_lines.columns(lines)
            head = ("evaluator", "checks", *map(_head, evaluator_lines.heads(columns)), "rate")
            rows = [_counts(one, columns) for one in lines[:ROWS]]
            yield from self.ink.table(head, rows)

    def _verdict(self) -> Iterator[str]:
        sign, word, colour = _OUTCOMES[self.report.decision.outcome]
        yield from self.ink.wrapped(" · ".join(self._numbers()))
        notes = self.report.comparison.notes if self.report.comparison else ()
        for ground in (*self.selection.grounds, *notes):
            yield from self.ink.wrapped(f"- {ground}", later=2)
        yield from self._hidden()
        todo = remedy(self.report, self.selection)
        if todo is not None:
            yield from self.ink.wrapped(todo.sentence)
        if todo is not None and todo.command is not None:
            yield f"    {terminal.line(todo.command)}"
        if self.report.run.mode == Mode.ADVISE and self.report.decision.exit_code:
            yield from self.ink.wrapped("Advise mode: the gate would say this, and blocks nothing.")
        verdict = f"{sign} {word}: {self.report.decision.headline}"
        for line in self.ink.wrapped(verdict, later=2):
            yield self.ink.paint(line, f"{BOLD};{colour}")

    def _hidden(self) -> Iterator[str]:
        """Where the words are that can't be shown here."""
        style = self.ink.style
        told = (one for one in self.report.checks if one.outcome != "pass" and not one.carried)
        if not any(quoting.is_cut(one, style.responses) for one in told):
            return
        what = "Reasons and messages that may quote a prompt or a response"
        where = f"are in `{style.kept}`"
        if style.responses is Responses.NONE:
            where = "are kept nowhere (`report.responses`)"
        yield from self.ink.wrapped(f"{what} {where}.")

    def _numbers(self) -> Sequence[str]:
        totals, suites = self.report.totals, self.report.suites
        said = [f"{number:,} {word}" for number, word in figures.outcomes(self.report)]
        if totals.carried:
            said.append(f"{totals.carried:,} of them carried")
        if totals.pass_rate is not None:
            base = totals.base_pass_rate
            before = "" if base is None else f" (base {figures.percent(base)})"
            said.append(f"pass rate {figures.percent(totals.pass_rate)}{before}")
        said.append(
            f"{len(self.selection.ran):,} of {figures.counted(len(suites), 'suite')} affected"
        )
        said += [*figures.calls(self.report.usage), *figures.deployed(self.report)]
        return [*said, figures.baseline(self.report.comparison)]


def _head(said: str) -> str:
    return "unmeasured" if said == Fate.UNMEASURED else said


def _counts(line: Line, columns: Iterable[Fate]) -> tuple[str, ...]:
    numbers = line.numbers(columns)
    rate = "-" if line.rate is None else figures.percent(line.rate)
    return (line.name, *(f"{number:,}" if number else "-" for number in numbers), rate)
