"""Facts about a session in, one after the other; the columns that a session is made of out.

Where millions of records come by, a fact costs a few bytes and less than a microsecond.
"""

from array import array
from dataclasses import dataclass, field

from mergebar.model.rows import Rows
from mergebar.model.sessions import (
    MAIN,
    Branch,
    CallStatus,
    Event,
    EventKind,
    FileAction,
    FileOperation,
    How,
    SkillUse,
    Spawn,
    ToolCall,
)
from mergebar.model.text import Json, JsonObject
from mergebar.traces import tools

KINDS = tuple(EventKind)
USER, ASSISTANT, REASONING, TOOL_CALL, TOOL_RESULT, SYSTEM, META = range(len(KINDS))
STATUSES = tuple(CallStatus)
UNKNOWN, OK, ERROR, DENIED, CANCELLED = range(len(STATUSES))
_ACTIONS = tuple(FileAction)
_COLUMNS = ("event_branches", "offsets", "lengths", "parts")
_WIDTHS = "BHIQ"
"""An event of a session takes as few bytes as its largest numbers allow."""

_LONGEST_NAME = 256
_LONGEST_PATH = 4096


class Names:
    """Texts as numbers: each is kept once."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.numbers: dict[str, int] = {}
        self.texts: list[str] = []

    def number(self, text: str) -> int:
        """The number of a text, of which no more than the limit is kept."""
        known = self.numbers.get(text)
        if known is not None:
            return known
        kept = text[: self._limit]
        number = self.numbers.setdefault(kept, len(self.texts))
        if number == len(self.texts):
            self.texts.append(kept)
        return number


@dataclass(slots=True, kw_only=True)
class OpenBranch:
    """A branch that is still being read."""

    parent: int | None = None
    agent_type: str | None = None
    spawn: int | None = None
    source: int = 0


@dataclass(slots=True, kw_only=True)
class OpenSpawn:
    """A sub-agent that was started, whose branch may still come; one woken up again `resumes`."""

    agent_type: str | None
    event: int
    branch: int
    brief: int  # a hash
    child: int | None = None
    resumes: Json = None


@dataclass(slots=True)
class Building:
    """Collects. `branch`, `offset` and `length` are those of the record at hand.

    `strays` are results of no call so far, by the hash of its key, and `nameless` counts calls
    without a name by branch. `host_spoke` is the last event at which the host answered a prompt.
    """

    branch: int = MAIN
    offset: int = 0
    length: int = 0
    kinds: bytearray = field(default_factory=bytearray)
    event_branches: "array[int]" = field(default_factory=lambda: array("B"))
    offsets: "array[int]" = field(default_factory=lambda: array("I"))
    lengths: "array[int]" = field(default_factory=lambda: array("H"))
    parts: "array[int]" = field(default_factory=lambda: array("B"))
    call_events: "array[int]" = field(default_factory=lambda: array("I"))
    call_branches: "array[int]" = field(default_factory=lambda: array("I"))
    call_names: "array[int]" = field(default_factory=lambda: array("I"))
    call_results: "array[int]" = field(default_factory=lambda: array("i"))
    call_statuses: bytearray = field(default_factory=bytearray)
    file_calls: "array[int]" = field(default_factory=lambda: array("I"))
    file_events: "array[int]" = field(default_factory=lambda: array("I"))
    file_branches: "array[int]" = field(default_factory=lambda: array("I"))
    file_paths: "array[int]" = field(default_factory=lambda: array("I"))
    file_actions: bytearray = field(default_factory=bytearray)
    turns: "array[int]" = field(default_factory=lambda: array("I"))
    names: Names = field(default_factory=lambda: Names(_LONGEST_NAME))
    paths: Names = field(default_factory=lambda: Names(_LONGEST_PATH))
    skills: list[SkillUse] = field(default_factory=list)
    branches: list[OpenBranch] = field(default_factory=lambda: [OpenBranch()])
    spawns: list[OpenSpawn] = field(default_factory=list)
    last_message: int | None = None
    pending: dict[str, int] = field(default_factory=dict)
    failed: dict[str, int] = field(default_factory=dict)
    call_keys: "array[int]" = field(default_factory=lambda: array("q"))
    strays: dict[int, int] = field(default_factory=dict)
    nameless: dict[int, int] = field(default_factory=dict)
    host_spoke: int = -1

    def event(self, kind: int, part: int) -> int:
        """An event of the record at hand; its index."""
        index = len(self.kinds)
        self.kinds.append(kind)
        try:
            self.event_branches.append(self.branch)
            self.offsets.append(self.offset)
            self.lengths.append(self.length)
            self.parts.append(part)
        except OverflowError:
            self._widen(index, part)
        if kind == ASSISTANT and self.branch == MAIN:
            self.last_message = index
        return index

    def _widen(self, index: int, part: int) -> None:
        """Make room in whichever column an event doesn't fit in, and take it again."""
        values = (self.branch, self.offset, self.length, part)
        for name, value in zip(_COLUMNS, values, strict=True):
            column: array[int] = getattr(self, name)
            del column[index:]
            if value >> 8 * column.itemsize:
                code = next(one for one in _WIDTHS if not value >> 8 * array(one).itemsize)
                column = array(code, column)
                setattr(self, name, column)
            column.append(value)

    def call(self, event: int, name: str, arguments: Json, key: Json) -> int:
        """A tool call; `key` is what its result will name. The index of the call."""
        index = len(self.call_events)
        self.call_events.append(event)
        self.call_branches.append(self.branch)
        number = self.names.numbers.get(name)
        self.call_names.append(self.names.number(name) if number is None else number)
        self.call_results.append(-1)
        self.call_statuses.append(0)
        if isinstance(key, str):
            self.pending[key] = index
            self.call_keys.append(hash(key))
        if name in tools.TELLING and isinstance(arguments, dict):
            self._look(index, event, name, arguments)
        return index

    def result(self, event: int, key: Json, status: int) -> int | None:
        """The result of a call that is waiting for one; the index of that call."""
        call = self.pending.pop(key, None) if isinstance(key, str) else None
        if call is not None:
            self.call_results[call] = event
            self.call_statuses[call] = status
            if status == ERROR:
                self.failed[str(key)] = call
        elif isinstance(key, str):
            self.strays.setdefault(hash(key), event)
        return call

    def misnamed(self) -> None:
        """A call whose name isn't told."""
        self.nameless[self.branch] = self.nameless.get(self.branch, 0) + 1

    def typed_command(self, name: str, event: int) -> None:
        """A slash command that somebody typed."""
        self._used(name, How.TYPED, event)

    def spawned(self, event: int, agent_type: str | None, brief: str) -> OpenSpawn:
        """A sub-agent that starts on the branch at hand."""
        spawn = OpenSpawn(
            agent_type=agent_type[:_LONGEST_NAME] if agent_type else None,
            event=event,
            branch=self.branch,
            brief=hash(brief.strip()),
        )
        self.spawns.append(spawn)
        return spawn

    def open_branch(self, spawn: OpenSpawn | None, *, source: int) -> int:
        """A new branch, the child of a spawn if there is one; its number."""
        number = len(self.branches)
        made = OpenBranch(source=source)
        if spawn is not None:
            spawn.child = number
            made.parent, made.spawn = spawn.branch, spawn.event
            made.agent_type = spawn.agent_type
        self.branches.append(made)
        return number

    def _look(self, index: int, event: int, name: str, arguments: JsonObject) -> None:
        """What a known tool's arguments say about files and skills."""
        if name in tools.FILE_TOOLS:
            touched = tools.touched(name, arguments)
            if touched is not None:
                self.file_calls.append(index)
                self.file_events.append(event)
                self.file_branches.append(self.branch)
                self.file_paths.append(self.paths.number(touched[1]))
                self.file_actions.append(_ACTIONS.index(touched[0]))
        elif name in tools.SKILL_TOOLS:
            self._used(tools.skill(arguments), How.TOOL, event, index)
        elif name == tools.COMMAND_TOOL:
            self._used(tools.command(arguments), How.COMMAND_TOOL, event, index)

    def _used(self, name: str | None, how: How, event: int, call: int | None = None) -> None:
        if name is not None:
            use = SkillUse(
                name=name[:_LONGEST_NAME], how=how, event=event, branch=self.branch, call=call
            )
            self.skills.append(use)

    def event_rows(self) -> Rows[Event]:
        """All events."""

        def make(index: int) -> Event:
            return Event(
                index=index,
                kind=KINDS[self.kinds[index]],
                branch=self.event_branches[index],
                offset=self.offsets[index],
                length=self.lengths[index],
                part=self.parts[index],
            )

        return Rows(make, {"branch": self.event_branches})

    def call_rows(self) -> Rows[ToolCall]:
        """All tool calls."""
        canonical = [tools.canonical(name) for name in self.names.texts]

        def make(index: int) -> ToolCall:
            event, name = self.call_events[index], self.call_names[index]
            result = self.call_results[index]
            return ToolCall(
                index=index,
                event=event,
                branch=self.call_branches[index],
                name=self.names.texts[name],
                canonical=canonical[name],
                status=STATUSES[self.call_statuses[index]],
                result=None if result < 0 else result,
            )

        return Rows(make, {"event": self.call_events, "branch": self.call_branches})

    def file_rows(self) -> Rows[FileOperation]:
        """All file operations."""

        def make(index: int) -> FileOperation:
            return FileOperation(
                call=self.file_calls[index],
                event=self.file_events[index],
                branch=self.file_branches[index],
                path=self.paths.texts[self.file_paths[index]],
                action=_ACTIONS[self.file_actions[index]],
            )

        return Rows(make, {"event": self.file_events, "branch": self.file_branches})

    def branch_values(self) -> tuple[Branch, ...]:
        """All branches, the main chain first."""
        return tuple(
            Branch(
                number=number,
                parent=each.parent,
                agent_type=each.agent_type,
                spawn=each.spawn,
                source=each.source,
            )
            for number, each in enumerate(self.branches)
        )

    def spawn_values(self) -> tuple[Spawn, ...]:
        """All sub-agents that were started."""
        return tuple(
            Spawn(
                agent_type=each.agent_type, event=each.event, branch=each.branch, child=each.child
            )
            for each in self.spawns
        )
