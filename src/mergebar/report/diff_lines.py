"""The comparison of a report in, lines for a terminal out."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from mergebar.model.comparisons import CheckChange, Comparison, Edited, Loosened, Renamed, Tally
from mergebar.model.reports import ReportCheck
from mergebar.report import differing, figures, quoting
from mergebar.report.differing import Changed, Difference, Incomparable
from mergebar.report.terminal_lines import DIM, GREEN, NAME, RED, ROWS, YELLOW, Ink
from mergebar.untrusted import terminal


@dataclass(frozen=True, slots=True, kw_only=True)
class Sketch:
    """Draws what changed."""

    ink: Ink
    difference: Difference | None = None

    def loosened(self, loosened: Iterable[Loosened]) -> Iterator[str]:
        yield from self.ink.listed(tuple(loosened), self._loosened)

    def edited(self, edited: Iterable[Edited]) -> Iterator[str]:
        yield from self.ink.listed(tuple(edited), self._edited)

    def changed(self, word: str, colour: str, changed: Iterable[Changed]) -> Iterator[str]:
        yield from self.ink.listed(tuple(changed), lambda one: self._changed(word, colour, one))

    def aside(self) -> Iterator[Iterable[str]]:
        """Blocks about what neither blocks nor waits."""
        if self.difference is None:
            return
        yield self.changed("improved", GREEN, self.difference.improved)
        yield self.ink.listed(self.difference.not_comparable, self._incomparable)
        yield self.changed("removed", DIM, self.difference.removed)
        yield self.ink.listed(self.difference.comparison.renamed, self._renamed)

    def unmeasured(self) -> Iterator[str]:
        found = self.difference.unmeasured if self.difference else ()
        yield from self.ink.listed(found, lambda one: self._incomparable(one, "no result"))

    def tallies(self, comparison: Comparison) -> Iterator[str]:
        """A row per evaluator that was measured again, and one for all that gates.

        Where the difference lies is left out where there is no room for it.
        """
        head = ("comparable checks", "base", "now", "Δ points", "cases + carried", "verdict")
        shown = [(one.name or "", one) for one in differing.measured(comparison.evaluators)[:ROWS]]
        shown.append(("all that gates", comparison.total))
        lines = tuple(self.ink.table(head, [_numbers(name, one) for name, one in shown]))
        if len(lines[-1]) > self.ink.style.width:
            brief = [_numbers(name, replace(one, interval=None)) for name, one in shown]
            lines = tuple(self.ink.table(head, brief))
        yield from lines

    def check(self, change: Changed) -> str:
        """What a check is about, and how it came out on both sides."""
        return " · ".join([f"{change.name} {moved(change)}", *self._about(change)])

    def _about(self, one: Changed) -> list[str]:
        return [quoted(one.label)] if one.check is None else about(one.check, one.change)

    def _loosened(self, one: Loosened) -> Iterator[str]:
        checks = figures.counted(len(one.checks), "check")
        failing = f", {len(one.failing):,} failing on the base" if one.failing else ""
        counted = f" ({checks}{failing})" if one.checks else ""
        yield from self.ink.said(
            "loosened",
            RED if one.failing else YELLOW,
            f"{one.what}: {one.was} → {one.now}{counted}",
            one.suite or "",
        )

    def _edited(self, one: Edited) -> Iterator[str]:
        said = f"evidence edited here: {one.kind}, {one.status}"
        yield from self.ink.said("edited", YELLOW, said, one.path)

    def _changed(self, word: str, colour: str, one: Changed) -> Iterator[str]:
        yield from self.ink.said(word, colour, self.check(one), where(one))
        if one.check is None:
            yield from self.ink.wrapped(one.change.reason, indent=4)
        elif one.check.outcome == "fail":
            text = quoting.reason(one.check, self.ink.style.responses)
            yield from self.ink.wrapped(text, indent=4)

    def _incomparable(self, one: Incomparable, word: str = "not comparable") -> Iterator[str]:
        count = figures.counted(len(one.checks), "check")
        text = f"{count}, such as {where(one.checks[0])}: {one.reason}"
        yield from self.ink.said(word, DIM, text)

    def _renamed(self, one: Renamed) -> Iterator[str]:
        yield from self.ink.said("renamed", DIM, f"to {one.now}", one.was)


def moved(one: Changed) -> str:
    """Was → now, as far as there are both."""
    if one.check is None:
        score = one.change.base_score
        was = one.change.base_outcome or ""
        return was if score is None else f"{was}, {figures.decimal(score)}"
    was, now = figures.movement(one.check, one.change)
    if was:
        return f"{was} → {now}"
    return f"not comparable: {now}" if figures.is_incomparable(one.check, one.change) else now


def about(check: ReportCheck, change: CheckChange | None = None) -> list[str]:
    """The case, the turn, and what else is to be known."""
    said = [quoted(check.label)]
    if check.turn:
        said.append(f"turn {check.turn + 1}")
    return [*said, *figures.marks(check, change)]


def quoted(label: str) -> str:
    return f'"{terminal.line(label, limit=NAME)}"'


def where(one: Changed) -> str:
    if one.check is None:
        return one.suite
    place = one.check.location
    return figures.place(place.path, place.line, place.column)


def _numbers(name: str, tally: Tally) -> tuple[str, ...]:
    return (
        name,
        figures.percent(tally.base),
        figures.percent(tally.head),
        figures.difference(tally),
        figures.cases(tally),
        tally.verdict.value,
    )
