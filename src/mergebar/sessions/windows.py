"""A session and an artifact in, the part of the session that the artifact answers for out.

What happened before a skill was called is not its doing (spec, section 2.5).
"""

from collections.abc import Iterable, Mapping

from mergebar.model.artifacts import Artifact, ArtifactType
from mergebar.model.gradings import Excerpt, whole
from mergebar.model.sessions import Capability, EventKind, Session, lacking
from mergebar.sessions import branches, invocations, rules_in_force

_DEEDS = (EventKind.ASSISTANT, EventKind.TOOL_CALL)


def excerpt(session: Session, artifact: Artifact) -> Excerpt:
    """The window of an artifact; `missing` says why it is empty."""
    match artifact.identity.type:
        case ArtifactType.AGENT:
            return _agent(session, artifact)
        case ArtifactType.SKILL | ArtifactType.SLASH_COMMAND:
            return _invocations(session, artifact)
        case _:
            return _rules(session, artifact)


def _invocations(session: Session, artifact: Artifact) -> Excerpt:
    skill = artifact.identity.type is ArtifactType.SKILL
    name = f"`{artifact.name}`" if skill else f"`/{artifact.name}`"
    label = f"the invocations of {name}"
    uses = tuple(invocations.uses(session, artifact))
    own = invocations.spans(session, uses)
    if not own:
        need = Capability.SKILLS if skill else Capability.COMMANDS
        never = f"{name} was never invoked in this session"
        if invocations.refused(session, artifact):
            never = f"{name} was called in this session, and no call of it succeeded"
        missing = lacking(session, (need,)) or never
        return Excerpt(label=label, own={}, missing=missing)
    if not _acted(session, own, frozenset(use.event for use, _ in uses)):
        idle = f"{name} was invoked, and the agent neither did nor said anything in its part"
        return Excerpt(label=label, own={}, missing=idle)
    return Excerpt(label=label, own=own, nested=branches.started_in(session, own))


def _acted(session: Session, own: Mapping[int, Iterable[range]], calls: frozenset[int]) -> bool:
    """Whether the agent did more in these spans than call skills, or said anything."""
    column = session.events.column("branch")
    return any(
        column[event] == branch
        and event not in calls
        and (event == session.final_message or session.events[event].kind in _DEEDS)
        for branch, spans in own.items()
        for span in spans
        for event in span
    )


def _agent(session: Session, artifact: Artifact) -> Excerpt:
    names = frozenset(artifact.identity.references)
    label = f"the work of `{artifact.name}`"
    mine = {branch.number for branch in session.branches if branch.agent_type in names}
    own = {number: (range(len(session.events)),) for number in sorted(mine)}
    filled = mine.intersection(session.events.column("branch"))
    if not filled:
        return Excerpt(label=label, own={}, missing=_unseen(session, artifact, names))
    return Excerpt(label=label, own=own, nested=branches.below(session, mine) - mine)


def _unseen(session: Session, artifact: Artifact, names: frozenset[str]) -> str:
    missing = lacking(session, (Capability.SUBAGENTS,))
    if missing is not None:
        return missing
    if any(spawn.agent_type in names for spawn in session.spawns):
        return f"`{artifact.name}` was started, and nothing of what it did is in the trace"
    return f"`{artifact.name}` was never started in this session"


def _rules(session: Session, artifact: Artifact) -> Excerpt:
    missing = rules_in_force.not_in_force(session, artifact)
    if missing is not None:
        return Excerpt(label="the session", own={}, missing=missing)
    return whole(session)
