"""A session and an artifact in, whether it was used and whether it was on offer out.

The two are different facts, and each may be unknown (spec, section 2.4).
"""

from dataclasses import dataclass

from mergebar.model.artifacts import Artifact, ArtifactType
from mergebar.model.sessions import Offered, Session
from mergebar.sessions import invocations, windows

_KINDS = {
    ArtifactType.SKILL: Offered.SKILL,
    ArtifactType.AGENT: Offered.AGENT,
    ArtifactType.SLASH_COMMAND: Offered.COMMAND,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """`how` says in which ways it was used, `offered` is `None` where the trace doesn't say.

    `reason` says why it wasn't used.
    """

    used: bool
    offered: bool | None
    how: tuple[str, ...] = ()
    reason: str | None = None


def link(session: Session, artifact: Artifact) -> Link:
    """What the session has to do with the artifact."""
    kind = _KINDS.get(artifact.identity.type)
    references = artifact.identity.references
    found = windows.excerpt(session, artifact)
    used = found.missing is None or _came_in(session, artifact)
    return Link(
        used=used,
        offered=None if kind is None else session.roster.offered(kind, references),
        how=_how(session, artifact, used=used),
        reason=found.missing,
    )


def _came_in(session: Session, artifact: Artifact) -> bool:
    """Whether it was started or invoked, though nothing of what it did is there."""
    if artifact.identity.type is ArtifactType.AGENT:
        return any(spawn.agent_type in artifact.identity.references for spawn in session.spawns)
    return any(invocations.invoked(session, artifact))


def _how(session: Session, artifact: Artifact, *, used: bool) -> tuple[str, ...]:
    if not used:
        return ()
    match artifact.identity.type:
        case ArtifactType.AGENT:
            return ("started",)
        case ArtifactType.PROJECT_RULES:
            return ("in force",)
        case _:
            ways = (use.how.value for use in invocations.invoked(session, artifact))
            return tuple(dict.fromkeys(ways))
