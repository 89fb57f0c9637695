"""What `claude -p --output-format stream-json` prints in, the neutral session out (spec, §3.3)."""

from collections.abc import Iterator

from mergebar.model.gaps import Gap
from mergebar.model.problems import Level, Problem
from mergebar.model.sessions import MAIN, Capability, EventKind, Session, TokenUsage
from mergebar.model.text import Json, JsonObject
from mergebar.traces import claude_content, formats, missing, record_marks
from mergebar.traces.building import SYSTEM, Building, OpenSpawn
from mergebar.traces.claude_facts import Facts
from mergebar.traces.claude_results import Results
from mergebar.traces.faults import Faults
from mergebar.traces.parsing import TraceFile
from mergebar.traces.rosters import Listing
from mergebar.traces.tokens import Ledger

NAME = formats.CLAUDE_STREAM
CAPABILITIES = frozenset(Capability)

_SPOKEN = ("assistant", "user")
_HOSTS = ("system", "assistant", "result")
_SYNTHETIC = "<synthetic>"


class ClaudeStream:
    """The parser of stream-json."""

    name = NAME
    capabilities = CAPABILITIES

    def parse(self, trace: TraceFile, /) -> Session:
        """Read all records once."""
        faults = Faults()
        stream = _Stream(trace.name, faults)
        for offset, length, line, record in trace.records(faults):
            stream.building.offset, stream.building.length = offset, length
            stream.take(record, line)
        stream.end()
        return _session(trace, stream, faults)

    def words(self, record: JsonObject, part: int, kind: EventKind, /) -> Json:
        """What an event of a record says."""
        return claude_content.words(record, part, kind)


def create() -> ClaudeStream:
    """The parser."""
    return ClaudeStream()


class _Stream:
    """Reads records; `prompted` says that the turn at hand began with a prompt that is here."""

    def __init__(self, name: str, faults: Faults) -> None:
        self.building = Building()
        self.facts = Facts()
        self.listing = Listing()
        self.ledger = Ledger()
        self.subagent_ledger = Ledger()
        self.notes: list[Problem] = []
        self.results = Results()
        self.trouble = ""
        self.final_message: int | None = None
        self.structured_output: int | None = None
        self.implied: list[int] = []
        self.api_turns = 0
        self.cost: float | None = None
        self.open_turn = False
        self._session: str | None = None
        self._elsewhere = False
        self._name = name
        self._faults = faults
        self._spawns: dict[str, OpenSpawn] = {}
        self._branches: dict[str, int] = {}

    def take(self, record: JsonObject, line: int) -> None:
        kind = record.get("type")
        if self._is_foreign(record):
            self._faults.note_foreign(line)
        elif kind in _SPOKEN:
            self._message(record, line)
        elif kind == "system":
            self._system(record, line)
        elif kind == "result":
            self._result(record)
        elif record_marks.is_message(record.get("message")):
            self._faults.note_odd(line)

    def end(self) -> None:
        self.building.branch = MAIN
        self.results.mark_denied(self.building)
        if not self.results.all:
            message = "the stream ends without a `result`: the run was cut off, and has no cost"
            self._note("truncated", message)
        if self.implied and not self.building.turns:
            message = "the prompt isn't in the stream: conditions on prompts can't be met"
            self._note("no-prompt", message, level=Level.NOTICE)

    def _is_foreign(self, record: JsonObject) -> bool:
        """Whether a record is of another session, or of another kind of trace."""
        name = record.get("session_id")
        if not isinstance(name, str):
            unlike = "type" not in record and record_marks.is_message(record)
            return unlike or "sessionId" in record
        if record.get("type") in _HOSTS:  # whoever sends a prompt may not know the name yet
            self._session = self._session or name
            self._elsewhere = name != self._session
        return self._elsewhere

    def _message(self, record: JsonObject, line: int) -> None:
        building = self.building
        building.branch = self._branch(record.get("parent_tool_use_id"))
        main = building.branch == MAIN
        message = record.get("message")
        if type(message) is not dict:
            self._faults.note_odd(line)
            return
        if main:
            self._facts(record)
        content = message.get("content")
        if record.get("type") == "assistant":
            fits = self._said(record, message, content, main=main)
        else:
            turns = len(building.turns)
            fits = claude_content.user(building, record, content, record.get("tool_use_result"))
            self.open_turn = self.open_turn or (main and len(building.turns) > turns)
        if not fits:
            self._faults.note_odd(line)

    def _said(self, record: JsonObject, message: JsonObject, content: Json, *, main: bool) -> bool:
        """A reply, or what the host puts in the place of one."""
        if record.get("error") or message.get("model") == _SYNTHETIC:
            self.trouble = claude_content.flat(content) if record.get("error") else self.trouble
            return claude_content.system(self.building, content)
        self._reply(message, main=main)
        return claude_content.assistant(self.building, content, self._spawned)

    def _reply(self, message: JsonObject, *, main: bool) -> None:
        name, model = message.get("id"), message.get("model")
        ledger = self.ledger if main else self.subagent_ledger
        ledger.add(hash(name) if type(name) is str else None, message.get("usage"))
        if not main:
            return
        if type(model) is str:
            self.facts.models[model] = None
        if not self.open_turn:
            self.implied.append(len(self.building.kinds))
            self.open_turn = True

    def _system(self, record: JsonObject, line: int) -> None:
        subtype = record.get("subtype")
        if subtype == "init":
            self._facts(record)
            self.listing.init(record, len(self.building.kinds))
        elif subtype == "compact_boundary":
            message = "the conversation was compacted here: the agent went on from a summary"
            self._note("compacted", message, line=line)

    def _result(self, record: JsonObject) -> None:
        self.building.branch = MAIN
        self._facts(record)
        self.results.add(record)
        self.open_turn = False
        self.final_message = self.structured_output = None
        if isinstance(record.get("result"), str):
            self.final_message = self.building.event(SYSTEM, claude_content.RESULT)
        if record.get("structured_output") is not None:
            self.structured_output = self.building.event(SYSTEM, claude_content.STRUCTURED)
        turns = record.get("num_turns")
        if type(turns) is int and turns > 0:
            self.api_turns += turns

    def _branch(self, parent: Json) -> int:
        """The branch of the sub-agent that a call started; its first message opens it."""
        if type(parent) is not str:
            return MAIN
        number = self._branches.get(parent)
        if number is None:
            number = self.building.open_branch(self._spawns.get(parent), source=0)
            self._branches[parent] = number
        return number

    def _spawned(self, spawn: OpenSpawn, call: Json) -> None:
        if isinstance(call, str):
            self._spawns[call] = spawn

    def _facts(self, record: JsonObject) -> None:
        self.facts.look(record)
        name, version = record.get("session_id"), record.get("claude_code_version")
        if isinstance(name, str):
            self.facts.session_id = name
        if isinstance(version, str):
            self.facts.tool_version = version

    def _note(
        self, rule: str, message: str, *, line: int | None = None, level: Level = Level.WARNING
    ) -> None:
        self.notes.append(
            Problem(level=level, rule=f"trace/{rule}", message=message, path=self._name, line=line)
        )


def _session(trace: TraceFile, stream: _Stream, faults: Faults) -> Session:
    building, facts, results = stream.building, stream.facts, stream.results
    usage = results.usage(stream.ledger)
    final = stream.final_message
    gaps = tuple(_gaps(trace, stream, faults))
    return Session(
        path=trace.name,
        format=NAME,
        title=formats.title(NAME),
        capabilities=_recorded(stream, usage),
        events=building.event_rows(),
        calls=building.call_rows(),
        files=building.file_rows(),
        branches=building.branch_values(),
        sources=(trace.name,),
        turns=building.turns,
        implied_turns=len(stream.implied),
        implied=tuple(min(each, len(building.kinds) - 1) for each in stream.implied),
        api_turns=stream.api_turns or stream.ledger.replies or None,
        skills=tuple(building.skills),
        spawns=building.spawn_values(),
        roster=stream.listing.roster(),
        usage=usage,
        subagent_usage=stream.subagent_ledger.total(),
        final_message=building.last_message if final is None else final,
        structured_output=stream.structured_output,
        session_id=facts.session_id,
        cwd=facts.cwd,
        git_branch=facts.git_branch,
        tool_version=facts.tool_version,
        models=tuple(facts.models),
        started_at=facts.started_at,
        ended_at=facts.ended_at,
        is_error=results.is_error,
        end_reason=results.reason,
        complete=not (faults.lost or trace.cut or any(gap.sure for gap in gaps)),
        gaps=gaps,
        idle=results.idle(building, stream.trouble),
        notes=(*trace.notes, *faults.problems(trace.name), *stream.notes),
    )


def _gaps(trace: TraceFile, stream: _Stream, faults: Faults) -> Iterator[Gap]:
    building = stream.building
    last = building.last_message if stream.final_message is None else stream.final_message
    yield from missing.of_file(trace, faults, building, last=last)
    yield from missing.of_calls(building)
    yield from stream.results.gaps(building, goes_on=stream.open_turn)


def _recorded(stream: _Stream, usage: TokenUsage | None) -> frozenset[Capability]:
    """What this very stream holds of what the format can."""
    absent = set()
    if usage is None or usage.cost_usd is None:
        absent.add(Capability.COST)
    if usage is None:
        absent.add(Capability.USAGE)
    if not stream.listing.recorded:
        absent.add(Capability.ROSTER)
    if stream.facts.cwd is None:
        absent.add(Capability.WORKING_DIRECTORY)
    if not any(stream.building.event_branches[turn] == MAIN for turn in stream.building.turns):
        absent.add(Capability.PROMPTS)
    return CAPABILITIES - absent
