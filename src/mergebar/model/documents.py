"""An eval document, resolved: cases, turns, and the evaluators that each turn really gets."""

from dataclasses import dataclass
from enum import StrEnum

from mergebar.model.conversations import Answer
from mergebar.model.problems import Location, Problem
from mergebar.model.text import JsonObject


class Severity(StrEnum):
    """How much a failing check matters; never changes its outcome."""

    ERROR = "error"
    WARNING = "warning"
    NOTICE = "notice"

    @property
    def rank(self) -> int:
        """3 for error, 1 for notice."""
        return {"error": 3, "warning": 2, "notice": 1}[self.value]


class CaseKind(StrEnum):
    """How a case is put: one question, a thread of turns in one conversation, or a session."""

    SINGLE = "single"
    THREAD = "thread"
    SESSION = "session"


class Origin(StrEnum):
    """Where an evaluator of a turn comes from."""

    ITEM = "item"
    DEFAULT = "default"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatorUse:
    """An evaluator on a turn. `options` are as written, less the threshold.

    `threshold` is resolved with the built-in default; `None` where it is fixed.
    """

    name: str
    options: JsonObject
    threshold: float | None
    origin: Origin
    location: Location


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """What the author said under `io.github.mergebar`; `None` is unsaid.

    A turn's own word goes before its thread's, and that before the document's.
    """

    id: str | None = None
    severity: Severity | None = None
    weight: float | None = None
    runs: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One prompt of a case; `index` counts from 0, `declared` is already inherited."""

    index: int
    prompt: str
    expected_response: str | None
    context: str | None
    evaluators: tuple[EvaluatorUse, ...]
    declared: Declared
    tags: tuple[str, ...]
    stored: Answer | None
    location: Location


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What is put to the agent once. `key` never depends on `index`, its position in `items`.

    A session has no turns.

    `label` is a short name for people: the id, the thread's name, or the prompt, shortened.
    """

    key: str
    label: str
    kind: CaseKind
    index: int
    turns: tuple[Turn, ...]
    runs: int | None
    location: Location


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A suite read from an eval document.

    `source` is the document as an object of the current shape (legacy shapes are brought to it in
    memory), for writing results into a copy; empty when the text could not be read.
    """

    path: str
    version: str | None
    cases: tuple[Case, ...]
    source: JsonObject
    problems: tuple[Problem, ...]
