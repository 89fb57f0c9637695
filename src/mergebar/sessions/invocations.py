"""A session and an artifact in, the events that brought the artifact into the session out."""

from collections.abc import Iterable, Iterator

from mergebar.model.artifacts import Artifact, ArtifactType
from mergebar.model.sessions import CallStatus, Capability, FileAction, How, Session, SkillUse
from mergebar.sessions import paths

_OPENS = {
    ArtifactType.SKILL: frozenset({How.TOOL, How.TYPED, How.FILE_READ}),
    ArtifactType.SLASH_COMMAND: frozenset({How.COMMAND_TOOL, How.TYPED}),
}

WITHOUT_EFFECT = frozenset({CallStatus.ERROR, CallStatus.DENIED, CallStatus.CANCELLED})
"""How a call ends that brought nothing about."""


def uses(session: Session, artifact: Artifact) -> Iterator[tuple[SkillUse, bool]]:
    """Every skill and command of the session in order, and whether it is this artifact.

    What a host refused brought nothing into the session.
    """
    found = [
        (use, _is_own(use, artifact)) for use in session.skills if not _is_refused(session, use)
    ]
    if artifact.identity.type is ArtifactType.SKILL:
        found += [(use, True) for use in _reads(session, artifact)]
    yield from sorted(found, key=lambda each: each[0].event)


def refused(session: Session, artifact: Artifact) -> bool:
    """Whether a call of this artifact came to nothing."""
    return any(_is_own(use, artifact) and _is_refused(session, use) for use in session.skills)


def _is_own(use: SkillUse, artifact: Artifact) -> bool:
    opens = _OPENS.get(artifact.identity.type, frozenset())
    return use.how in opens and use.name in artifact.identity.references


def _is_refused(session: Session, use: SkillUse) -> bool:
    return use.call is not None and session.calls[use.call].status in WITHOUT_EFFECT


def invoked(session: Session, artifact: Artifact) -> tuple[SkillUse, ...]:
    """The uses of this artifact."""
    return tuple(use for use, own in uses(session, artifact) if own)


def spans(session: Session, found: Iterable[tuple[SkillUse, bool]]) -> dict[int, tuple[range, ...]]:
    """From each own use to the next one of anything else on the same chain, or to the end.

    Skills that are called in one go are in force together: none of them ends another.
    """
    open_at: dict[int, int] = {}
    together: dict[int, int] = {}
    spans_of: dict[int, list[range]] = {}
    for use, own in found:
        began = open_at.get(use.branch)
        if own:
            open_at[use.branch] = use.event if began is None else began
            together[use.branch] = _result(session, use)
        elif began is not None and use.event > together[use.branch]:
            del open_at[use.branch]
            spans_of.setdefault(use.branch, []).append(range(began, use.event))
    for branch, began in open_at.items():
        spans_of.setdefault(branch, []).append(range(began, len(session.events)))
    return {branch: tuple(each) for branch, each in sorted(spans_of.items())}


def _result(session: Session, use: SkillUse) -> int:
    """The event by which the host answered a call; what is called before it is called with it."""
    result = None if use.call is None else session.calls[use.call].result
    return use.event if result is None else result


def _reads(session: Session, artifact: Artifact) -> Iterator[SkillUse]:
    """Readings of the skill's own file, in traces that have no other way to tell of its use.

    Where skills are recorded, reading the file is no use of it: who edits a skill reads it too.
    """
    if Capability.SKILLS in session.capabilities:
        return
    for operation in session.files:
        if operation.action is FileAction.READ and paths.ends_with(operation.path, artifact.path):
            yield SkillUse(
                name=artifact.name,
                how=How.FILE_READ,
                event=operation.event,
                branch=operation.branch,
                call=operation.call,
            )
