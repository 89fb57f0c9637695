"""Claude Code's own session files in, the neutral session out (spec, §3.2).

They are undocumented and drift: an unknown type of record is passed over, never an error.
"""

from mergebar.model.conversations import Failure
from mergebar.model.gaps import Gap
from mergebar.model.problems import Level, Problem
from mergebar.model.sessions import Capability, EventKind, Session
from mergebar.model.text import Json, JsonObject
from mergebar.traces import claude_content, formats, idle, missing, sidecars
from mergebar.traces.claude_chains import Chains
from mergebar.traces.faults import Faults
from mergebar.traces.links import Omissions
from mergebar.traces.parsing import TraceFile

NAME = formats.CLAUDE_SESSION
CAPABILITIES = frozenset(Capability) - {Capability.COST}

_SPOKEN = CAPABILITIES - {Capability.USAGE, Capability.ROSTER, Capability.WORKING_DIRECTORY}
"""What a file doesn't tell of replies that it holds the figures of alone."""


class ClaudeSession:
    """The parser of Claude Code's session files."""

    name = NAME
    capabilities = CAPABILITIES

    def parse(self, trace: TraceFile, /) -> Session:
        """Read once; and again where records stand twice or prompts were taken back."""
        chains, faults = _read(trace, None)
        repeated, abandoned = chains.links.repeated(), chains.links.abandoned()
        if repeated or abandoned:
            omissions = Omissions(repeated=repeated, abandoned=abandoned)
            again, faults = _read(trace, omissions)
            again.notes.append(_left_out(trace.name, omissions, len(repeated), len(abandoned)))
            chains = again
        return _session(trace, chains, faults)

    def words(self, record: JsonObject, part: int, kind: EventKind, /) -> Json:
        """What an event of a record says."""
        return claude_content.words(record, part, kind)


def create() -> ClaudeSession:
    """The parser."""
    return ClaudeSession()


def _read(trace: TraceFile, omissions: Omissions | None) -> tuple[Chains, Faults]:
    faults = Faults()
    chains = Chains(trace, faults, omissions)
    chains.read(trace.records(faults))
    return chains, faults


def _left_out(name: str, omissions: Omissions, repeated: int, abandoned: int) -> Problem:
    reasons = []
    if abandoned:
        many = "a prompt that was" if abandoned == 1 else f"{abandoned} prompts that were"
        reasons.append(f"what followed {many} taken back")
    if repeated:
        reasons.append("what stands in the file more than once")
    many = "1 record was" if omissions.count == 1 else f"{omissions.count:,} records were"
    message = f"{many} left out: {' and '.join(reasons)}"
    return Problem(level=Level.WARNING, rule="trace/left-out", message=message, path=name)


def _session(trace: TraceFile, chains: Chains, faults: Faults) -> Session:
    building, facts = chains.building, chains.facts
    orphans = (sidecars.orphan(each) for each in chains.sidecars.orphans())
    lost_notes = (*chains.sidecars.notes, *orphans)
    lost = bool(lost_notes or chains.lost or chains.fragment)
    usage = chains.ledger.total()
    gaps = _gaps(trace, chains, faults)
    return Session(
        path=trace.name,
        format=NAME,
        title=formats.title(NAME),
        capabilities=_recorded(chains),
        events=building.event_rows(),
        calls=building.call_rows(),
        files=building.file_rows(),
        branches=building.branch_values(),
        sources=tuple(chains.sources),
        turns=building.turns,
        api_turns=chains.ledger.replies,
        skills=tuple(building.skills),
        spawns=building.spawn_values(),
        roster=chains.listing.roster(),
        usage=usage,
        subagent_usage=chains.subagent_ledger.total(),
        final_message=building.last_message,
        session_id=facts.session_id,
        cwd=facts.cwd,
        git_branch=facts.git_branch,
        tool_version=facts.tool_version,
        models=tuple(facts.models),
        started_at=facts.started_at,
        ended_at=facts.ended_at,
        is_error=chains.trouble is not None,
        end_reason=None if chains.trouble is None else "api-error",
        fragment=chains.fragment,
        complete=not (faults.lost or trace.cut or lost or any(gap.sure for gap in gaps)),
        gaps=gaps,
        idle=_idle(chains),
        notes=(*trace.notes, *faults.problems(trace.name), *chains.notes, *lost_notes),
    )


def _gaps(trace: TraceFile, chains: Chains, faults: Faults) -> tuple[Gap, ...]:
    building = chains.building
    unread = missing.of_file(trace, faults, building, last=building.last_message)
    return (*unread, *chains.gaps())


def _idle(chains: Chains) -> Failure | None:
    """Replies that left figures only were replies."""
    if missing.agent_acted(chains.building) or chains.silent:
        return None
    return idle.failure(chains.trouble or "")


def _recorded(chains: Chains) -> frozenset[Capability]:
    """What this very file holds of what the format can."""
    usage = chains.ledger.total()
    absent = set()
    if usage is None:
        absent.add(Capability.USAGE)
    if not chains.listing.recorded:
        absent.add(Capability.ROSTER)
    if chains.facts.cwd is None:
        absent.add(Capability.WORKING_DIRECTORY)
    if chains.silent and not missing.agent_acted(chains.building):
        absent |= _SPOKEN
    present = {Capability.COST} if usage and usage.cost_usd is not None else set()
    return (CAPABILITIES - absent) | present
