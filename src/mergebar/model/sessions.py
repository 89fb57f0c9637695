"""One recorded run of an agent: what every trace format is read into, and what graders ask.

A session says what happened and where that stands in the file. It holds no texts: a trace may be
larger than memory, so whoever needs words asks `Contents`, which reads them again.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from mergebar.model.conversations import Failure
from mergebar.model.gaps import Gap
from mergebar.model.problems import Problem
from mergebar.model.rows import Rows
from mergebar.model.text import Json

MAIN = 0
"""The number of the main chain; sub-agents' branches count from 1."""


class Capability(StrEnum):
    """What a trace can tell; each is worded to stand in "… doesn't record …"."""

    PROMPTS = "what the user typed"
    TURNS = "turns"
    MESSAGES = "the agent's messages"
    REASONING = "reasoning"
    TOOL_CALLS = "tool calls"
    TOOL_RESULTS = "tool results"
    TOOL_STATUS = "whether a tool call failed"
    FILE_OPERATIONS = "file operations"
    SKILLS = "skills"
    COMMANDS = "slash commands"
    SUBAGENTS = "sub-agents"
    ROSTER = "what was on offer"
    USAGE = "token usage"
    COST = "cost"
    WORKING_DIRECTORY = "the working directory"


class EventKind(StrEnum):
    """Who speaks. `META` is text that the host put into a user's mouth: reminders, summaries."""

    USER = "user"
    ASSISTANT = "assistant"
    REASONING = "reasoning"
    TOOL_CALL = "tool-call"
    TOOL_RESULT = "tool-result"
    SYSTEM = "system"
    META = "meta"


class CallStatus(StrEnum):
    """How a tool call ended; `UNKNOWN` where the trace doesn't say."""

    UNKNOWN = "unknown"
    OK = "ok"
    ERROR = "error"
    DENIED = "denied"
    CANCELLED = "cancelled"


class FileAction(StrEnum):
    """What a tool did to a file."""

    READ = "read"
    WRITE = "write"
    EDIT = "edit"
    DELETE = "delete"


class How(StrEnum):
    """How a skill or a slash command came into the session.

    `FILE_READ` is inferred by who links artifacts to sessions; no parser says it.
    """

    TOOL = "tool"
    COMMAND_TOOL = "command-tool"
    TYPED = "typed"
    FILE_READ = "file-read"


class Offered(StrEnum):
    """What a roster lists."""

    SKILL = "skill"
    AGENT = "agent"
    COMMAND = "command"
    TOOL = "tool"
    SERVER = "server"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One thing that was said or done. `index` is its ordinal in the session, without gaps.

    `offset` and `length` are the bytes of its record, `part` is its place in there: for `Contents`.
    """

    index: int
    kind: EventKind
    branch: int = MAIN
    offset: int = 0
    length: int = 0
    part: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A call that the agent attempted. `event` and `result` are indexes of events.

    `name` is the host's own; `canonical` is one of shell, read, write, edit, delete, search, list,
    fetch, web-search, task, skill, todo, ask and mcp, or `None` for a tool that we don't know.
    """

    index: int
    event: int
    branch: int
    name: str
    canonical: str | None = None
    status: CallStatus = CallStatus.UNKNOWN
    result: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileOperation:
    """A file that a tool was told to touch; `path` as recorded, `call` the index of the call."""

    call: int
    event: int
    branch: int
    path: str
    action: FileAction


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillUse:
    """A skill that was called, or a slash command that was typed; a typed one has no `call`."""

    name: str
    how: How
    event: int
    branch: int
    call: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """A chain of events: number 0 is the main one, all others are sub-agents'.

    `spawn` is the event of the call that started it, on the chain `parent`; both are `None` for the
    main chain and where the start isn't here. `source` counts `Session.sources`.
    """

    number: int
    parent: int | None = None
    agent_type: str | None = None
    spawn: int | None = None
    source: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Spawn:
    """A sub-agent that was started; `child` is its branch, `None` if its events aren't here."""

    agent_type: str | None
    event: int
    branch: int
    child: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """Something that the agent could have used from event `since` on, before event `until`."""

    kind: Offered
    name: str
    since: int = 0
    until: int | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Roster:
    """What was on offer. A kind that isn't in `recorded` is unknown, which isn't "nothing"."""

    recorded: frozenset[Offered] = frozenset()
    offers: tuple[Offer, ...] = ()

    def offered(self, kind: Offered, names: Iterable[str]) -> bool | None:
        """Whether any of the names was ever on offer; `None` if the trace doesn't say."""
        if kind not in self.recorded:
            return None
        wanted = set(names)
        return any(offer.kind is kind and offer.name in wanted for offer in self.offers)


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenUsage:
    """Tokens of distinct replies of the model. `cost_usd` only where the trace itself states it.

    `complete` is false where some replies came without figures. `stated`: not summed up by us.
    """

    input_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    complete: bool = True
    stated: bool = False

    @property
    def total(self) -> int:
        """Input that wasn't cached, and output: what `maxTokens` is held against."""
        return self.input_tokens + self.output_tokens


def events_of(values: Iterable[Event] = ()) -> Rows[Event]:
    """Events that exist already, with the columns that windows look at."""
    return Rows.of(values, columns=("branch",))


def calls_of(values: Iterable[ToolCall] = ()) -> Rows[ToolCall]:
    """Calls that exist already, with the columns that windows look at."""
    return Rows.of(values, columns=("event", "branch"))


def operations_of(values: Iterable[FileOperation] = ()) -> Rows[FileOperation]:
    """File operations that exist already, with the columns that windows look at."""
    return Rows.of(values, columns=("event", "branch"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A trace as it was understood. Indexes count from 0; events of sub-agents stand among them.

    `turns` are the events that opened one: a prompt that a person typed, or a sub-agent's brief.
    `implied_turns` of the main chain began with a prompt that isn't here, before events `implied`.
    `final_message` and `structured_output` are events. `path` is as it was named, `notes` say what
    was strange. Not `complete`: something may be missing; `gaps`: what of it verdicts rest on;
    `idle`: the agent did and said nothing.
    """

    path: str
    format: str
    title: str
    capabilities: frozenset[Capability]
    events: Rows[Event] = field(default_factory=events_of)
    calls: Rows[ToolCall] = field(default_factory=calls_of)
    files: Rows[FileOperation] = field(default_factory=operations_of)
    branches: tuple[Branch, ...] = (Branch(number=MAIN),)
    sources: tuple[str, ...] = ()
    turns: Sequence[int] = ()
    implied_turns: int = 0
    implied: Sequence[int] = ()
    api_turns: int | None = None
    skills: tuple[SkillUse, ...] = ()
    spawns: tuple[Spawn, ...] = ()
    roster: Roster = field(default_factory=Roster)
    usage: TokenUsage | None = None
    subagent_usage: TokenUsage | None = None
    final_message: int | None = None
    structured_output: int | None = None
    session_id: str | None = None
    cwd: str | None = None
    git_branch: str | None = None
    tool_version: str | None = None
    models: tuple[str, ...] = ()
    started_at: str | None = None
    ended_at: str | None = None
    is_error: bool = False
    end_reason: str | None = None
    fragment: bool = False
    complete: bool = True
    gaps: tuple[Gap, ...] = ()
    idle: Failure | None = None
    notes: tuple[Problem, ...] = ()


def lacking(session: Session, needs: Iterable[Capability]) -> str | None:
    """Why a grader with these needs can't be asked; `None` if it can."""
    missing = [need.value for need in needs if need not in session.capabilities]
    if not missing:
        return None
    return f"{session.title} doesn't record {' or '.join(missing)}"


class Contents(Protocol):
    """The words of a session, read again from its files. Untrusted, all of it."""

    def text(self, event: int, /) -> str:
        """What an event says; arguments of a call and a structured output as compact JSON."""
        ...

    def arguments(self, call: int, /) -> Json:
        """What a tool was called with: an object, or the text that should have been one."""
        ...
