"""The comparison of a report in, tables of ready Markdown out: every text is escaped here."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mergebar.model.comparisons import Edited, Loosened, Renamed, Tally
from mergebar.report import differing, figures
from mergebar.report.differing import Carried, Changed, Incomparable
from mergebar.report.tables import Pen, Table, named, row, table
from mergebar.untrusted import markdown
from mergebar.untrusted.markdown import Markdown

_NAME = 80
_PLACES, _SEEN = 3, 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """Draws what changed, with the pen that draws all else."""

    pen: Pen

    def tallies(self, tallies: Sequence[Tally], total: Tally, rows: int) -> Table:
        """One line per evaluator that was measured again, and one for all that gates."""
        tallies = differing.measured(tallies)
        drawn = table(
            ("comparable checks", "base", "this change", "Δ points", "cases + carried", "verdict"),
            ("--", "--:", "--:", "--:", "--:", "--"), tallies, rows,
            lambda one: (markdown.inline(one.name or "", limit=_NAME), *_numbers(one)),
        )  # fmt: skip
        whole = row([f"**{cell}**" for cell in ("all that gates", *_numbers(total))])
        return Table(head=drawn.head, rows=(*drawn.rows, whole), left=drawn.left)

    def loosened(self, loosened: Sequence[Loosened], rows: int) -> Table:
        return table(
            ("what", "was → now", "checks", "fail on the base"), ("--", "--", "--:", "--:"),
            loosened, rows,
            lambda one: (
                self._what(one),
                f"{self._short(one.was)} → **{self._short(one.now)}**",
                _count(len(one.checks)),
                f"**{len(one.failing):,}**" if one.failing else "–",
            ),
        )  # fmt: skip

    def edited(self, edited: Sequence[Edited], rows: int) -> Table:
        return table(
            ("evidence", "file", ""), ("--", "--", "--"), edited, rows,
            lambda one: (one.kind.value, self._file(one), markdown.inline(one.status, limit=20)),
        )  # fmt: skip

    def changed(self, changed: Sequence[Changed], rows: int) -> Table:
        """Checks of both sides."""
        return table(
            ("check", "was → now", "why"), ("--", "--", "--"), changed, rows,
            lambda one: (self._subject(one), self._moved(one), self._why(one)),
        )  # fmt: skip

    def improved(self, changed: Sequence[Changed], rows: int) -> Table:
        return table(
            ("check", "was → now"), ("--", "--"), changed, rows,
            lambda one: (self._subject(one), self._moved(one)),
        )  # fmt: skip

    def removed(self, changed: Sequence[Changed], rows: int) -> Table:
        return table(
            ("check", "was", "because"), ("--", "--", "--"), changed, rows,
            lambda one: (self._subject(one), _was(one), self._short(one.change.reason)),
        )  # fmt: skip

    def incomparable(self, found: Sequence[Incomparable], rows: int) -> Table:
        return table(
            ("because", "checks", "such as"), ("--", "--:", "--"), found, rows,
            lambda one: (
                self._short(one.reason), f"{len(one.checks):,}", "<br>".join(self._places(one))
            ),
        )  # fmt: skip

    def renamed(self, renamed: Sequence[Renamed], rows: int) -> Table:
        return table(
            ("was", "is now"), ("--", "--"), renamed, rows,
            lambda one: (markdown.code(one.was, limit=_NAME), self.pen.place(one.now, None)),
        )  # fmt: skip

    def carried(self, carried: Sequence[Carried], rows: int) -> Table:
        return table(
            ("suite", "checks", "passed", "failed"), ("--", "--:", "--:", "--:"), carried, rows,
            lambda one: (
                self.pen.place(one.suite, None),
                _count(one.checks), _count(one.passed), _count(one.failed),
            ),
        )  # fmt: skip

    def _what(self, one: Loosened) -> Markdown:
        """Where it is looser too, unless the words say so already."""
        what = self._short(one.what)
        if one.suite is None or f"`{one.suite}`" in one.what:
            return what
        return Markdown(f"{what}<br>{self.pen.place(one.suite, None)}")

    def _file(self, one: Edited) -> Markdown:
        gone = one.status == "deleted"
        return markdown.code(one.path, limit=160) if gone else self.pen.place(one.path, None)

    def _subject(self, one: Changed) -> Markdown:
        if one.check is not None:
            return self.pen.check(one.check)
        label = markdown.inline(one.label, limit=_NAME)
        suite = markdown.code(one.suite, limit=160)
        return Markdown(f"{named(one.name)} · {label}<br>{suite}")

    def _moved(self, one: Changed) -> str:
        return self.pen.movement(one.check) if one.check else _was(one)

    def _why(self, one: Changed) -> Markdown:
        return self.pen.why(one.check) if one.check else self._short(one.change.reason)

    def _places(self, found: Incomparable) -> Iterator[Markdown]:
        places = dict.fromkeys(
            markdown.code(one.suite, limit=160)
            if one.check is None
            else self.pen.place(one.check.location.path, one.check.location.line)
            for one in found.checks[:_SEEN]
        )
        yield from list(places)[:_PLACES]

    def _short(self, text: str) -> Markdown:
        return markdown.cell(text, limit=self.pen.reason)


def _numbers(tally: Tally) -> tuple[str, ...]:
    return (
        figures.percent(tally.base),
        figures.percent(tally.head),
        figures.difference(tally),
        figures.cases(tally),
        tally.verdict.value,
    )


def _was(one: Changed) -> str:
    """How it came out in the baseline."""
    outcome, score = one.change.base_outcome or "–", one.change.base_score
    return outcome if score is None else f"{outcome}, {figures.decimal(score)}"


def _count(number: int) -> str:
    return f"{number:,}" if number else "–"
