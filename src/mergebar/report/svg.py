"""Rows of a picture in, one inline SVG out: base and this change as two dots on one line."""

from collections.abc import Iterator, Sequence

from mergebar.report import figures
from mergebar.report.picture import Row, Sides
from mergebar.untrusted import characters, html
from mergebar.untrusted.html import Html

_WIDTH = 960
_HEAD, _ROW, _FOOT = 46, 38, 10
_LABEL = 26
_MOST = 60
_RATE = (200, 470)
_SCORE = (652, 846)
_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)
_VERDICTS = {"regressed": "bad", "improved": "good", "within noise": "calm"}


def draw(rows: Sequence[Row]) -> Html:
    """For eyes alone: the table beside it has the same numbers for every reader."""
    shown = rows[:_MOST]
    height = _HEAD + _ROW * len(shown) + _FOOT
    opened = (
        f'<svg class="picture" viewBox="0 0 {_WIDTH} {height}" role="img" '
        'aria-label="Pass rates and mean scores per evaluator; the table below has the numbers">'
    )
    return Html("".join([opened, *_parts(shown, height), "</svg>"]))


def _parts(rows: Sequence[Row], height: int) -> Iterator[str]:
    yield _text(_RATE[0], 16, "pass rate", "head")
    yield _text(_SCORE[0], 16, "mean score", "head")
    for tick in _TICKS:
        x = _x(_RATE, tick)
        yield f'<line class="grid" x1="{x}" x2="{x}" y1="{_HEAD - 6}" y2="{height - _FOOT}"/>'
        yield _text(x, _HEAD - 12, figures.percent(tick), "tick", anchor="middle")
    for index, row in enumerate(rows):
        yield from _row(row, _HEAD + _ROW * index + _ROW // 2)


def _row(row: Row, y: int) -> Iterator[str]:
    kind = _VERDICTS.get(row.verdict, "unsure")
    yield f'<g class="row {kind}">'
    note = f": {row.note}" if row.note else ""
    yield f"<title>{html.text(f'{row.name} {row.verdict}{note}')}</title>"
    yield f'<line class="rule" x1="0" x2="{_WIDTH}" y1="{y + _ROW // 2}" y2="{y + _ROW // 2}"/>'
    yield _text(0, y + 4, characters.line(row.name, limit=_LABEL), "name")
    if row.rate is not None:
        yield from _sides(row.rate, _RATE, y)
        was = "" if row.rate.base is None else f"{figures.percent(row.rate.base)} → "
        yield _text(_RATE[1] + 16, y + 4, f"{was}{figures.percent(row.rate.head)}", "value")
    if row.score is not None:
        yield from _score(row.score, y)
    yield "</g>"


def _score(score: Sides, y: int) -> Iterator[str]:
    """On a scale of its own, so with its ends."""
    low, high = _SCORE
    yield f'<line class="axis" x1="{low}" x2="{high}" y1="{y}" y2="{y}"/>'
    ends = (figures.decimal(score.scale.low), figures.decimal(score.scale.high))
    yield _text(low - 12, y + 4, ends[0], "tick", anchor="end")
    yield _text(high + 12, y + 4, ends[1], "tick")
    yield from _sides(score, _SCORE, y)
    was = "" if score.base is None else f"{figures.decimal(score.base)} → "
    shown = f"{was}{figures.decimal(score.head)}"
    yield _text(_WIDTH, y + 4, shown, "value", anchor="end")


def _sides(sides: Sides, room: tuple[int, int], y: int) -> Iterator[str]:
    """The interval of this change, the way from the base, and both dots."""
    head = _x(room, sides.scale.place(sides.head))
    if sides.head_interval is not None:
        low = _x(room, sides.scale.place(sides.head_interval.low))
        high = _x(room, sides.scale.place(sides.head_interval.high))
        width = max(high - low, 1)
        yield f'<rect class="interval" x="{low}" y="{y - 5}" width="{width:g}" height="10" rx="5"/>'
    if sides.base is not None:
        base = _x(room, sides.scale.place(sides.base))
        yield f'<line class="way" x1="{base}" x2="{head}" y1="{y}" y2="{y}"/>'
        yield f'<circle class="base" cx="{base}" cy="{y}" r="6"/>'
    yield f'<circle class="now" cx="{head}" cy="{y}" r="5"/>'


def _x(room: tuple[int, int], share: float) -> float:
    return round(room[0] + (room[1] - room[0]) * share, 1)


def _text(x: float, y: float, text: str, kind: str, *, anchor: str = "start") -> str:
    return f'<text class="{kind}" x="{x}" y="{y}" text-anchor="{anchor}">{html.text(text)}</text>'


def bar(parts: Sequence[tuple[int, str]]) -> Html:
    """Counts as shares of one line; each has a class for its colour."""
    total = sum(number for number, _ in parts) or 1
    drawn, x = [], 0.0
    for number, kind in parts:
        width = round(number / total * 1000, 2)
        drawn.append(f'<rect class="{kind}" x="{x:g}" y="0" width="{width:g}" height="10"/>')
        x += width
    opened = '<svg class="bar" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">'
    return Html(f"{opened}{''.join(drawn)}</svg>")
