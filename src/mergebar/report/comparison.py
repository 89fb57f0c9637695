"""A report that was compared in, the difference alone out: what `mergebar compare` shows.

It decides nothing, so that it says what changed and not what blocks.
"""

from collections.abc import Iterable, Iterator

from mergebar.model.reports import Report
from mergebar.report import figures, json_report, markup, shaping, terminal
from mergebar.report.diff_lines import Sketch
from mergebar.report.differing import Difference, differ
from mergebar.report.markup import Detail
from mergebar.report.presenting import Presentation
from mergebar.report.terminal_lines import BOLD, DIM, GREEN, RED, YELLOW, Ink, Style

_ALL = Detail(acting=1_000_000, rest=1_000_000, passed=0, reason=300)


def markdown(report: Report, presentation: Presentation) -> str:
    """GitHub Markdown, all of it: where it goes is not known, and so neither is a limit."""
    return markup.fit("compare.md.j2", report, presentation, details=[_ALL], fits=bool)


def json_text(report: Report) -> str:
    """`{"comparison": …}`, as in report.json."""
    return json_report.encode({"comparison": shaping.plain(report.comparison)}).decode()


def text(report: Report, style: Style) -> str:
    """For a terminal; what it comes to is last, where a person's eye is."""
    found = differ(report)
    return "" if found is None else terminal.joined(_parts(found, Ink(style=style)))


def _parts(found: Difference, ink: Ink) -> Iterator[Iterable[str]]:
    sketch = Sketch(ink=ink, difference=found)
    yield sketch.changed("still failing", DIM, found.still_failing)
    yield sketch.unmeasured()
    yield from sketch.aside()
    yield sketch.changed("new", YELLOW, found.new)
    yield sketch.changed("regressed", RED, found.regressed)
    yield sketch.loosened(found.comparison.loosened)
    yield sketch.tallies(found.comparison) if found.comparison.evaluators else ()
    yield _sum(found, ink)


def _sum(found: Difference, ink: Ink) -> Iterator[str]:
    total = found.comparison.total
    notes = [*found.comparison.notes, f"{total.verdict}: {total.note}"]
    for note in notes:
        yield from ink.wrapped(f"- {note}", later=2)
    yield from ink.wrapped(f"compared with {figures.baseline(found.comparison)}")
    colour = RED if found.regressed else GREEN
    for line in ink.wrapped(found.summed(), later=2):
        yield ink.paint(line, f"{BOLD};{colour}")
