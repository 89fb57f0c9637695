"""Where the evals of an artifact are written down, and the entries found there."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mergebar.identity import label
from mergebar.model.problems import Location, Problem
from mergebar.model.text import Json
from mergebar.reading.positions import Plain, Written
from mergebar.reading.sentences import quoted
from mergebar.suites.findings import Finding, Pointer

EVALS: Pointer = ("metadata", "evals")
PROVENANCE: Pointer = ("metadata", "meta-provenance")
OWN_KEYS = ("evals", "eval-skip", "meta-provenance")

_QUOTED_LENGTH = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file that holds `metadata`: the artifact, or a sidecar.

    `root` is an object with `metadata` in it; `prefix` leads to it in the file.
    """

    path: str
    root: Mapping[str, Json]
    positions: Written
    prefix: Pointer = ()

    def locate(self, pointer: Pointer, *, on_key: bool = False) -> Location:
        """The place of a value, or of its key."""
        whole = (*self.prefix, *pointer)
        named = on_key and bool(whole) and isinstance(whole[-1], str)
        line, column = self.positions.locate(whole, key=named)
        return Location(path=self.path, line=line, column=column)

    def plain(self, pointer: Pointer) -> Plain | None:
        """How an unquoted scalar is written."""
        return self.positions.plain((*self.prefix, *pointer))

    @property
    def metadata(self) -> Mapping[str, Json]:
        """The object under `metadata`; empty where there is none."""
        value = self.root.get("metadata")
        return value if isinstance(value, dict) else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One eval as written: a text or an object; `position` counts from 1."""

    pointer: Pointer
    position: int
    value: Json

    @property
    def id(self) -> str | None:
        """The id, if it is given and a text."""
        value = self.value.get("id") if isinstance(self.value, dict) else None
        return value if isinstance(value, str) else None

    @property
    def name(self) -> str:
        """What people call it."""
        return self.id or f"eval-{self.position}"

    @property
    def assertion(self) -> str | None:
        """The assertion, if there is one."""
        value = self.value.get("assertion") if isinstance(self.value, dict) else self.value
        return value if isinstance(value, str) else None

    @property
    def grader(self) -> str:
        """The grader, `ai` by default."""
        value = self.value.get("grader") if isinstance(self.value, dict) else None
        return value if isinstance(value, str) else "ai"

    def place(self, *steps: str | int) -> Pointer:
        """A pointer to what stands in it."""
        return (*self.pointer, *steps)

    def text_place(self) -> Pointer:
        """Where its assertion stands."""
        return self.place("assertion") if isinstance(self.value, dict) else self.pointer


def entries(metadata: Mapping[str, Json]) -> Iterator[Entry]:
    """The evals of `metadata`, well-formed or not."""
    value = metadata.get("evals")
    if isinstance(value, str):
        yield Entry(pointer=EVALS, position=1, value=value)
    elif isinstance(value, list):
        for index, entry in enumerate(value):
            yield Entry(pointer=(*EVALS, index), position=index + 1, value=entry)


def to_problem(finding: Finding, source: Source) -> Problem:
    """Place a finding, and say which eval it is about."""
    at = source.locate(finding.pointer, on_key=finding.on_key)
    message = _subject(finding.pointer, source) + finding.message
    if finding.see is not None:
        message += f", on line {source.locate(finding.see).line}"
    return Problem(
        level=finding.level,
        rule=finding.rule,
        message=message,
        path=at.path,
        line=at.line,
        column=at.column,
    )


def _subject(pointer: Pointer, source: Source) -> str:
    if len(pointer) <= len(EVALS) or pointer[: len(EVALS)] != EVALS:
        return ""
    index = pointer[len(EVALS)]
    found = next((entry for entry in entries(source.metadata) if entry.position - 1 == index), None)
    if found is None:
        return ""
    if found.id:
        return f"eval {quoted(found.id)}: "
    text = label(found.assertion or "")
    short = text if len(text) <= _QUOTED_LENGTH else text[: _QUOTED_LENGTH - 1].rstrip() + "…"
    if short:
        return f'eval {found.position} ("{short}"): '
    return f"eval {found.position}: " if isinstance(found.value, dict) and found.value else ""
