"""Records of a Claude session in, events on the main chain and on sub-agents' branches out."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from mergebar.model.gaps import Gap, Missing
from mergebar.model.problems import Level, Problem
from mergebar.model.sessions import MAIN
from mergebar.model.text import Json, JsonObject
from mergebar.traces import claude_content, missing, record_marks, records, sidecars
from mergebar.traces.building import SYSTEM, Building, OpenSpawn
from mergebar.traces.claude_facts import Facts
from mergebar.traces.claude_spawns import Spawns
from mergebar.traces.faults import Faults
from mergebar.traces.files import open_trace
from mergebar.traces.links import Links, Omissions
from mergebar.traces.parsing import TraceFile
from mergebar.traces.records import Record
from mergebar.traces.rosters import Listing
from mergebar.traces.sidecars import Sidecar, Sidecars
from mergebar.traces.tokens import Ledger

_DEEPEST = 20
_FIRST = 1_000
"""Records of which one names the folder, if any does."""

_SYNTHETIC = "<synthetic>"

_TOO_DEEP = Problem(
    level=Level.WARNING,
    rule="trace/orphan",
    message="sub-agents are nested too deep: this one's events were left out",
)


class Chains:
    """Reads the records of a session, and a sub-agent's where it was started.

    `lost` says that a sub-agent's file couldn't be read, `trouble` what the host says of an error
    that stands in place of the last reply. `silent` counts replies of which only figures are here.
    """

    def __init__(self, trace: TraceFile, faults: Faults, omissions: Omissions | None) -> None:
        self.building = Building()
        self.facts = Facts()
        self.links = Links()
        self.listing = Listing()
        self.ledger = Ledger()
        self.subagent_ledger = Ledger()
        self.sources = [trace.name]
        self.notes: list[Problem] = []
        self.fragment = self.lost = False
        self.trouble: str | None = None
        self.silent = 0
        self._trace = trace
        self._faults = faults
        self._omissions = omissions
        self._sidecars: Sidecars | None = None
        self._depth = 0
        self._uuid = 0
        self._newest: JsonObject = {}
        self._stopped: dict[int, Json] = {}
        self._first: str | None = None
        self._others: set[str] = set()
        self._files: dict[int, str] = {}
        self._agents: dict[str, int] = {}
        self._lost: list[Gap] = []
        self._leaves: list[int] = []
        self._spawns = Spawns(self.building)

    @property
    def sidecars(self) -> Sidecars:
        """The files of the sub-agents, looked for once the session's own name is known."""
        if self._sidecars is None:
            self._sidecars = sidecars.find(
                self._trace.path, self._trace.name, self.facts.session_id
            )
        return self._sidecars

    def read(self, taken: Iterable[Record]) -> None:
        """All records of the session's own file."""
        building, inline = self.building, True
        for offset, length, line, record in taken:
            if self._is_foreign(record):
                self._faults.note_foreign(line)
                continue
            uuid = record.get("uuid")
            own = before = 0
            if type(uuid) is str:
                parent = record.get("parentUuid")
                own = hash(uuid)
                before = hash(parent) if type(parent) is str else _logical(record)
                if not self.links.uuids:
                    inline = self._begin(record, before)
                if not self._follow(record, own, before):
                    continue
            building.offset = offset
            building.length = length
            self._uuid = own
            if inline and record.get("isSidechain"):
                building.branch = self._spawns.branch(record, own, before)
                self._take(record, line)
            else:
                building.branch = MAIN
                self._main(record, line, own)
        self._end()

    def gaps(self) -> Iterator[Gap]:
        """What the records show to be missing, besides what couldn't be read."""
        if self.fragment:
            what = "the session goes on from an earlier one that isn't in this file"
            yield Gap(missing=Missing.BEGINNING, what=what)
        if self.trouble is not None:
            yield Gap(missing=Missing.END, what="the session ended in an error of its host")
        if self._omissions and self._omissions.others:
            what = "records with the identifier of another one say something else"
            yield Gap(missing=Missing.MIDDLE, what=what)
        if self.silent and missing.agent_acted(self.building):
            what = "of some replies only the figures are in the trace"
            yield Gap(missing=Missing.MIDDLE, what=what)
        yield from missing.of_calls(self.building, fragment=self.fragment)
        yield from self._lost

    def _is_foreign(self, record: JsonObject) -> bool:
        """Whether a record is a stream's, or of a session that begins anew in the same file."""
        name = record.get("sessionId")
        if type(name) is not str:
            return "session_id" in record
        if "parentUuid" in record and not (record["parentUuid"] or _logical(record)):
            self._first = self._first or name
            if name != self._first:
                self._others.add(name)
        return name in self._others

    def _follow(self, record: JsonObject, own: int, before: int) -> bool:
        """Note which record follows which; false for one that a second reading leaves out."""
        if self._omissions and self._omissions.leaves_out(record, own, before):
            return False
        self.links.follow(own, before)
        return True

    def _begin(self, record: JsonObject, before: int) -> bool:
        """Whether sub-agents' records are those that say so: not in a sub-agent's own file."""
        self.fragment = bool(before)
        return not record.get("isSidechain")

    def _end(self) -> None:
        self.building.branch = MAIN
        self.facts.look(self._newest)
        known = self.links.uuids
        self.fragment = self.fragment or any(leaf not in known for leaf in self._leaves)
        if self.fragment:
            message = "the session goes on from an earlier one that isn't in this file"
            self._note("fragment", message)
        unfinished = missing.unfinished(self.building, self._stopped, self._files)
        for gap in () if self.trouble is not None else unfinished:
            self._lost.append(gap)
            if gap.branch == MAIN and missing.waits_for_tool(gap):
                self._note("unfinished", gap.what)

    def _main(self, record: JsonObject, line: int, own: int) -> None:
        """A record of the main chain, with what only that chain is asked for."""
        facts = self.facts
        # Most of it is said in each record anew: the first ones and the last are enough.
        if facts.cwd is None and len(self.links.uuids) < _FIRST:
            facts.look(record)
        else:
            facts.stamp(record)
        turns = self.building.turns
        before_it = len(turns)
        if self._take(record, line) and own:
            self.links.leaf = len(self.links.uuids) - 1
            self._newest = record
            if len(turns) > before_it:
                self.links.prompts.append(self.links.leaf)

    def _take(self, record: JsonObject, line: int) -> bool:
        """What a record holds; false if nobody speaks in it."""
        kind = record.get("type")
        message = record.get("message")
        if kind is None and type(message) is dict:
            kind = message.get("role")
        if kind == "assistant":
            fits = type(message) is dict and self._assistant(record, message)
        elif kind == "user":
            fits = type(message) is dict and claude_content.user(
                self.building, record, message.get("content"), record.get("toolUseResult")
            )
        else:
            self._aside(kind, record, line)
            return False
        if not fits:
            self._faults.note_odd(line)
        return True

    def _assistant(self, record: JsonObject, message: JsonObject) -> bool:
        content = message.get("content")
        main = self.building.branch == MAIN
        error = bool(record.get("isApiErrorMessage"))
        self._stopped[self.building.branch] = message.get("stop_reason")
        if main:
            self.trouble = claude_content.flat(content) if error else None
        model = message.get("model")
        if error or model == _SYNTHETIC:
            return claude_content.system(self.building, content)
        name = message.get("id")
        key = hash(name) if type(name) is str else None
        ledger = self.ledger if main else self.subagent_ledger
        ledger.add(key, message.get("usage"), record.get("costUSD"))
        if main and type(model) is str:
            self.facts.models[model] = None
        if content is None:
            self.silent += 1
            return "usage" in message
        return claude_content.assistant(self.building, content, self._spawned)

    def _aside(self, kind: Json, record: JsonObject, line: int) -> None:
        """Everything that nobody says: listings, summaries, the host's own notices."""
        if kind == "attachment":
            attachment = record.get("attachment")
            if isinstance(attachment, dict):
                main = self.building.branch == MAIN
                self.listing.attachment(attachment, len(self.building.kinds), main=main)
                claude_content.queued(self.building, record, attachment)
        elif kind == "summary":
            leaf = record.get("leafUuid")
            if not self.links.uuids and type(leaf) is str:
                self._leaves.append(hash(leaf))
        elif kind == "system":
            self._system(record, line)
        else:
            self._strange(record, line)

    def _system(self, record: JsonObject, line: int) -> None:
        if record.get("subtype") == "compact_boundary":
            message = "the conversation was compacted here: the agent went on from a summary"
            self._note("compacted", message, line=line)
        elif isinstance(record.get("content"), str):
            self.building.event(SYSTEM, 0)

    def _strange(self, record: JsonObject, line: int) -> None:
        """A record of a type that nobody knows may be anything, but for one with a message."""
        if record_marks.is_message(record):
            self._faults.note_foreign(line)
        elif record_marks.is_message(record.get("message")):
            self._faults.note_odd(line)

    def _spawned(self, spawn: OpenSpawn, call: Json) -> None:
        sidecar = self.sidecars.take(call, spawn.brief)
        if sidecar is not None:
            self._splice(sidecar, spawn)
        elif isinstance(spawn.resumes, str) and spawn.resumes in self._agents:
            spawn.child = self._agents[spawn.resumes]
        elif not self._depth:
            self._spawns.add(spawn, self._uuid)

    def _splice(self, sidecar: Sidecar, spawn: OpenSpawn) -> None:
        """Read a sub-agent's file here, as one branch whatever its records say."""
        opened = open_trace(sidecar.path, sidecar.name) if self._depth < _DEEPEST else _TOO_DEEP
        if isinstance(opened, Problem):
            self.lost = True
            self.notes.append(replace(opened, level=Level.WARNING, path=sidecar.name))
            return
        building, faults = self.building, self._faults
        place = (building.branch, building.offset, building.length)
        branch = building.open_branch(spawn, source=len(self.sources))
        self.sources.append(sidecar.name)
        self._agents[sidecar.path.stem.removeprefix("agent-")] = branch
        self._files[branch] = f"`{sidecar.name}`"
        spawn.agent_type = spawn.agent_type or sidecar.agent_type
        building.branches[branch].agent_type = sidecar.agent_type or spawn.agent_type
        self._depth += 1
        self._faults = Faults()
        with opened.file:
            for offset, length, line, record in records.lines(opened.file, self._faults):
                building.branch, building.offset, building.length = branch, offset, length
                self._take(record, line)
        self._depth -= 1
        self.notes += self._faults.problems(sidecar.name)
        self.lost = self.lost or self._faults.lost
        self._lost += missing.of_records(self._faults, branch=branch, file=f"`{sidecar.name}`")
        self._faults = faults
        building.branch, building.offset, building.length = place

    def _note(self, rule: str, message: str, *, line: int | None = None) -> None:
        self.notes.append(self._problem(rule, message, line=line))

    def _problem(self, rule: str, message: str, *, line: int | None = None) -> Problem:
        path = self.sources[-1] if self._depth else self._trace.name
        return Problem(
            level=Level.WARNING, rule=f"trace/{rule}", message=message, path=path, line=line
        )


def _logical(record: JsonObject) -> int:
    """After a compaction a chain begins anew, and names where it really goes on from."""
    parent = record.get("logicalParentUuid")
    return hash(parent) if type(parent) is str else 0
