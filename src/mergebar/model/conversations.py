"""What is put to an agent, what comes back, and the Protocol of an agent adapter."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, runtime_checkable

from mergebar.model.bounds import MOST_TOKENS, MOST_USD
from mergebar.model.problems import Location
from mergebar.model.text import Json, JsonObject


class ErrorClass(StrEnum):
    """Why something was not measured (product contract, section 11)."""

    AUTH = "auth"
    THROTTLED = "throttled"
    TIMEOUT = "timeout"
    UNAVAILABLE = "unavailable"
    BAD_RESPONSE = "bad-response"
    REFUSED = "refused"
    BUDGET = "budget"
    EVALUATOR = "evaluator"
    CONFIG = "config"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Something was not measured: whose fault by class, and a message with the remedy.

    `code` is the name that a document with results gives it (spec, section 4.5); `None` where
    the class says it all. `place` is where the fault lies, where that isn't the check's own place.
    """

    error_class: ErrorClass
    message: str
    code: str | None = None
    place: Location | None = None

    @property
    def is_sound(self) -> bool:
        """Whether each field is of its kind: code of a package may have filled it in."""
        texts: tuple[object, ...] = (self.message, "" if self.code is None else self.code)
        kind: object = self.error_class
        place: object = self.place
        return (
            isinstance(kind, ErrorClass)
            and all(isinstance(text, str) for text in texts)
            and (place is None or isinstance(place, Location))
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a call cost; `None` is unknown. `cost_usd` only where the service states it."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


def _dollars(costs: Iterable[float]) -> float:
    """A cost of a plug-in may be anything."""
    return min(math.fsum(min(cost, MOST_USD) for cost in costs), MOST_USD)


def total_usage(usages: Iterable[Usage]) -> Usage:
    """The sum of what is known, as far as it is believed; what nobody knows stays unknown."""
    known = tuple(usages)
    inputs = [one.input_tokens for one in known if one.input_tokens is not None]
    outputs = [one.output_tokens for one in known if one.output_tokens is not None]
    costs = [one.cost_usd for one in known if one.cost_usd is not None]
    return Usage(
        input_tokens=min(sum(inputs), MOST_TOKENS) if inputs else None,
        output_tokens=min(sum(outputs), MOST_TOKENS) if outputs else None,
        cost_usd=_dollars(costs) if costs else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A source that the agent names for its answer; `index` counts from 1."""

    index: int
    text: str | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the agent said in one turn.

    `diagnostics` is `None` where the transport can't supply any, which isn't the same as empty.
    """

    response: str
    conversation_id: str | None = None
    citations: tuple[Citation, ...] = ()
    diagnostics: JsonObject | None = None
    tool_calls: tuple[Json, ...] | None = None
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """An earlier turn of the same thread, as it really went."""

    prompt: str
    response: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One turn to put to the agent. `turn` and `run` count from 0; `case` is the case's key.

    `stored` is the answer that the document itself carries, for the `replay` agent. `last`: no
    other turn of this case follows, whatever is answered.
    """

    suite: str
    case: str
    turn: int
    run: int
    prompt: str
    history: tuple[Exchange, ...] = ()
    conversation_id: str | None = None
    stored: Answer | None = None
    last: bool = False


class Agent(Protocol):
    """The system under test. Calls of one case come in order; cases come concurrently."""

    async def ask(self, question: Question, /) -> Answer | Failure:
        """Put one turn. Expected trouble is a `Failure`; only a bug raises."""
        ...

    async def aclose(self) -> None:
        """Release what the adapter holds; called once, also after a failure."""
        ...


@runtime_checkable
class Noting(Protocol):
    """An agent or a judge that has something to say about the whole run."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Warnings for the report, each a sentence; ask after the last call, drop duplicates."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """All that an agent is told of a case that is put once: its key, and its prompts in order."""

    case: str
    run: int
    prompts: tuple[str, ...]


@runtime_checkable
class RecallingAgent(Protocol):
    """An agent whose answers may be known already: all of a case, or none."""

    def recall(self, thread: Thread, /) -> tuple[Answer, ...] | None:
        """The answers as they were given before, one for each prompt."""
        ...

    def remember(self, thread: Thread, answers: tuple[Answer, ...], /) -> None:
        """Keep them for the next run."""
        ...


@runtime_checkable
class Throttled(Protocol):
    """An agent or a judge that knows how often it was told to slow down."""

    @property
    def throttled(self) -> int:
        """How many replies said so, up to now."""
        ...
