"""Records of a Claude session in, events on the main chain and on sub-agents' branches out."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from mergebar.model.gaps import Gap, Missing
from mergebar.model.problems import Level, Problem
from mergebar.model.sessions import MAIN
from mergebar.model.text import Json, JsonObject
from mergebar.traces import claude_content, missing, prompts, records, sidecars
from mergebar.traces.building import SYSTEM, Building, OpenSpawn
from mergebar.traces.claude_facts import Facts
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

    `lost` says that a sub-agent's file couldn't be read, `failed` that the last reply is an error.
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
        self.failed = self.fragment = self.lost = False
        self._trace = trace
        self._faults = faults
        self._omissions = omissions
        self._sidecars: Sidecars | None = None
        self._depth = 0
        self._uuid = 0
        self._newest: JsonObject = {}
        self._stopped: Json = None
        self._lost: list[Gap] = []
        self._leaves: list[int] = []
        self._branch_of: dict[int, int] = {}
        self._spawned_by: dict[int, list[OpenSpawn]] = {}
        self._waiting: dict[int, list[OpenSpawn]] = {}

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
            uuid = record.get("uuid")
            own = before = 0
            if type(uuid) is str:
                parent = record.get("parentUuid")
                own = hash(uuid)
                before = hash(parent) if type(parent) is str else _logical(record)
                if not self.links.uuids:
                    inline = self._begin(record, before)
                if not self._follow(own, before):
                    continue
            building.offset = offset
            building.length = length
            self._uuid = own
            if inline and record.get("isSidechain"):
                building.branch = self._side(record, own, before)
                self._take(record, line)
            else:
                building.branch = MAIN
                self._main(record, line, own, before)
        self._end()

    def gaps(self) -> Iterator[Gap]:
        """What the records show to be missing, besides what couldn't be read."""
        if self.fragment:
            what = "the session goes on from an earlier one that isn't in this file"
            yield Gap(missing=Missing.BEGINNING, what=what)
        yield from self._lost

    def _follow(self, own: int, before: int) -> bool:
        """Note which record follows which; false for one that a second reading leaves out."""
        if self._omissions and self._omissions.leaves_out(own, before):
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
        for gap in missing.rest_of_turn(self.building, self._stopped):
            self._lost.append(gap)
            self._note("unfinished", gap.what)

    def _main(self, record: JsonObject, line: int, own: int, before: int) -> None:
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
            if before and len(turns) > before_it:
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
        if main:
            self.failed = error
            self._stopped = message.get("stop_reason")
        model = message.get("model")
        if error or model == _SYNTHETIC:
            claude_content.system(self.building, content)
            return True
        name = message.get("id")
        key = hash(name) if type(name) is str else None
        ledger = self.ledger if main else self.subagent_ledger
        ledger.add(key, message.get("usage"), record.get("costUSD"))
        if main and type(model) is str:
            self.facts.models[model] = None
        if content is None:
            return "usage" in message
        return claude_content.assistant(self.building, content, self._spawned)

    def _aside(self, kind: Json, record: JsonObject, line: int) -> None:
        """Everything that nobody says: listings, summaries, the host's own notices."""
        if kind == "attachment":
            attachment = record.get("attachment")
            if isinstance(attachment, dict):
                main = self.building.branch == MAIN
                self.listing.attachment(attachment, len(self.building.kinds), main=main)
        elif kind == "summary":
            leaf = record.get("leafUuid")
            if not self.links.uuids and type(leaf) is str:
                self._leaves.append(hash(leaf))
        elif kind == "system":
            if record.get("subtype") == "compact_boundary":
                message = "the conversation was compacted here: the agent went on from a summary"
                self._note("compacted", message, line=line)
            elif isinstance(record.get("content"), str):
                self.building.event(SYSTEM, 0)

    def _side(self, record: JsonObject, own: int, before: int) -> int:
        """The branch of a sub-agent's record that stands among those of the session."""
        number = self._branch_of.get(before)
        if number is None or self._is_brief(record, before):
            number = self.building.open_branch(self._spawn_for(record, before), source=0)
        self._branch_of[own] = number
        return number

    def _is_brief(self, record: JsonObject, before: int) -> bool:
        """Whether a sub-agent starts another one here, which goes on from its very record."""
        here = self._spawned_by.get(before)
        if not here or record.get("type") != "user":
            return False
        brief = _brief(record)
        return any(spawn.child is None and spawn.brief == brief for spawn in here)

    def _spawn_for(self, record: JsonObject, before: int) -> OpenSpawn | None:
        """The call that started a branch: by the record that holds it, by its brief, by both."""
        brief = _brief(record)
        here = [spawn for spawn in self._spawned_by.get(before, ()) if spawn.child is None]
        told = [spawn for spawn in self._waiting.get(brief, ()) if spawn.child is None]
        both = [spawn for spawn in here if spawn.brief == brief]
        return next(iter(both or here or told), None)

    def _spawned(self, spawn: OpenSpawn, call: Json) -> None:
        sidecar = self.sidecars.take(call, spawn.brief)
        if sidecar is not None:
            self._splice(sidecar, spawn)
        elif not self._depth:
            self._spawned_by.setdefault(self._uuid, []).append(spawn)
            self._waiting.setdefault(spawn.brief, []).append(spawn)

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


def _brief(record: JsonObject) -> int:
    """A hash of what a sub-agent is told, comparable with that of a call."""
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return hash(prompts.stripped(claude_content.flat(content)).strip())


def _logical(record: JsonObject) -> int:
    """After a compaction a chain begins anew, and names where it really goes on from."""
    parent = record.get("logicalParentUuid")
    return hash(parent) if type(parent) is str else 0
