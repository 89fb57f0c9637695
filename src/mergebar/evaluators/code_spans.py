"""Markdown in, the character ranges that are code, in order, out."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator

_LINE = re.compile(r"[^\n]*\n?")
# Any indentation: a fence inside a list item is indented too.
_FENCE = re.compile(r"[ \t]*+(`{3,}+|~{3,}+)([^\n]*)")
_TICKS = re.compile(r"`++")


class CodeSpans:
    """Where a text is code: fenced blocks and spans between backticks. Built in one pass."""

    def __init__(self, text: str) -> None:
        ranges = sorted(_ranges(text))
        self._starts = [start for start, _ in ranges]
        self._ends = [end for _, end in ranges]

    def __contains__(self, position: int) -> bool:
        index = bisect_right(self._starts, position) - 1
        return index >= 0 and position < self._ends[index]


def _ranges(text: str) -> Iterator[tuple[int, int]]:
    fence: tuple[str, int] | None = None
    prose_from = 0
    for line in _LINE.finditer(text):
        if fence is not None:
            if _closes(line.group(), fence[0]):
                yield fence[1], line.end()
                fence, prose_from = None, line.end()
            continue
        opened = _opens(line.group())
        if opened or not line.group().strip():
            yield from _spans(text, prose_from, line.start())
            prose_from = line.end()
        if opened:
            fence = (opened, line.start())
    if fence is not None:
        yield fence[1], len(text)
    else:
        yield from _spans(text, prose_from, len(text))


def _opens(line: str) -> str | None:
    """The marks of a fence that begins here; a backtick after them makes it a span instead."""
    fence = _FENCE.match(line)
    if fence is None or (fence[1][0] == "`" and "`" in fence[2]):
        return None
    return fence[1]


def _closes(line: str, marks: str) -> bool:
    fence = _FENCE.match(line)
    return fence is not None and fence[1].startswith(marks) and not fence[2].strip()


def _spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Spans of one paragraph: a run of backticks up to the next run of the same length."""
    runs = [(run.start(), run.end()) for run in _TICKS.finditer(text, start, end)]
    by_length: defaultdict[int, list[int]] = defaultdict(list)
    for number, (opening, closing) in enumerate(runs):
        by_length[closing - opening].append(number)
    number = 0
    while number < len(runs):
        opening, closing = runs[number]
        peers = by_length[closing - opening]
        after = bisect_right(peers, number)
        if after == len(peers):
            number += 1
            continue
        yield opening, runs[peers[after]][1]
        number = peers[after] + 1
