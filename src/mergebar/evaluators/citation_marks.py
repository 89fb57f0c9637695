"""An answer in, the citation marks in its text, by format and in order, out.

The formats are those of `citation_format` (spec, section 2.3). Every pattern looks at a character
a bounded number of times: an answer is untrusted, and may be a megabyte of brackets.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from mergebar.evaluators.code_spans import CodeSpans

DEFAULT_FORMAT = "oai_unicode"
MIXED = "mixed"
ALIASES: Mapping[str, str] = {"inline": MIXED}
"""`inline` is in many published documents and defined in none."""

_PRIVATE = re.compile("\ue200cite((?:\ue202[^\ue200-\ue202]++)++)\ue201")
_LENTICULAR = re.compile("【([0-9]{1,9}(?::[0-9]{1,9})?)†[^【】]*+】")
_CARET = re.compile(r"\[\^([1-9][0-9]{0,8})\^?\]")
_PLAIN = re.compile(r"(?<!\\)\[([1-9][0-9]{0,8})\](?!\()")
_LINK = re.compile(
    r"(?<![!\\])\[([1-9][0-9]{0,8})\]"
    r"\((https?://[^\s()]*+(?:\([^\s()]*+\)[^\s()]*+)*+)(?:[ \t]++\"[^\"\n]*+\")?\)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One reference: what it names, where it stands, and the number or address it shows."""

    format: str
    id: str
    start: int
    end: int
    number: int | None = None
    source: str | None = None


def find(text: str, citation_format: str) -> tuple[Mark, ...]:
    """The marks of one format, or with `mixed` of all, those inside another mark left out."""
    formats = FORMATS if citation_format == MIXED else (citation_format,)
    marks = [mark for name in formats for mark in _FINDERS[name](text)]
    return tuple(_apart(sorted(marks, key=lambda mark: (mark.start, -mark.end))))


def _apart(marks: Sequence[Mark]) -> Iterator[Mark]:
    """Several ids in one mark share its place, so only a mark that begins within is dropped."""
    start, end = -1, 0
    for mark in marks:
        if mark.start >= end or mark.start == start:
            start, end = mark.start, mark.end
            yield mark


def _oai_unicode(text: str) -> Iterator[Mark]:
    for match in _PRIVATE.finditer(text):
        for id_ in match[1].split("\ue202")[1:]:
            yield Mark(format="oai_unicode", id=id_, start=match.start(), end=match.end())
    for match in _LENTICULAR.finditer(text):
        yield Mark(format="oai_unicode", id=match[1], start=match.start(), end=match.end())


def _bracket(text: str) -> Iterator[Mark]:
    for match in _CARET.finditer(text):
        yield _numbered("bracket", match)
    plain = list(_PLAIN.finditer(text))
    code = CodeSpans(text if plain else "")
    for match in plain:
        if match.start() not in code:
            yield _numbered("bracket", match)


def _markdown(text: str) -> Iterator[Mark]:
    for match in _LINK.finditer(text):
        yield _numbered("markdown", match, source=match[2])


def _numbered(name: str, match: re.Match[str], *, source: str | None = None) -> Mark:
    return Mark(
        format=name,
        id=match[1],
        start=match.start(),
        end=match.end(),
        number=int(match[1]),
        source=source,
    )


_FINDERS: Mapping[str, Callable[[str], Iterator[Mark]]] = {
    "oai_unicode": _oai_unicode,
    "bracket": _bracket,
    "markdown": _markdown,
}
FORMATS = tuple(_FINDERS)
