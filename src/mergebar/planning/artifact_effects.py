"""What changed in; which evals of an artifact are affected, and whether old sessions still count.

Evals are graded again where they changed, or what they look at did. Another text makes every
session stale that was recorded with the old one (product contract, section 6).
"""

import posixpath
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from mergebar.model.artifacts import Artifact, ArtifactType, DeclaredEval
from mergebar.model.configuration import REVIEWS
from mergebar.model.problems import is_invalid
from mergebar.model.scenarios import MANIFEST, Scenario, Tie
from mergebar.patterns import GlobSet
from mergebar.planning.affected import Effect
from mergebar.planning.declaring import JUDGED, WAITING, Declaring
from mergebar.planning.placing import joined, relative
from mergebar.planning.reaching import Reach


class Part(StrEnum):
    """What a session is recorded with, as a manifest tells it apart."""

    BODY = "body"
    FOLDER = "folder"
    SOURCES = "sources"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactEffect:
    """`evals` says why, by key, those are affected that are.

    `rewritten` is what of the artifact isn't what it was.
    """

    effect: Effect
    evals: Mapping[str, str] = field(default_factory=dict)
    rewritten: frozenset[Part] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cause:
    """Why evals are affected: all of them, or those with these keys."""

    reason: str
    evals: frozenset[str] | None = None
    rewritten: Part | None = None


def explain(declaring: Declaring, *, reach: Reach, prefix: str) -> ArtifactEffect:
    """Say which evals are affected, and why or why not."""
    artifact = declaring.artifact
    every = [declared.key for declared in artifact.evals]
    causes = tuple(_causes(declaring, reach, prefix))
    if not causes:
        reason = f"not affected: neither `{artifact.path}` nor a source or session of it changed"
        if artifact.path in reach.paths:
            reason = f"not affected: `{artifact.path}` changed, but nothing that its evals measure"
            reason += " did"
        return ArtifactEffect(effect=Effect(affected=False, reason=reason))
    affected: dict[str, str] = {}
    for cause in causes:
        for key in every if cause.evals is None else sorted(cause.evals):
            affected.setdefault(key, cause.reason)
    return ArtifactEffect(
        effect=Effect(affected=True, reason=f"affected: {causes[0].reason}"),
        evals=affected,
        rewritten=frozenset(one.rewritten for one in causes if one.rewritten is not None),
    )


def is_stale(
    scenario: Scenario, declaring: Declaring, *, rewritten: Collection[Part], reach: Reach
) -> bool:
    """Whether a session shows another text, or another folder or sources, than there are now.

    A manifest says it exactly. What it doesn't say is taken for as old as the session, unless that
    shows something that no session of the base does.
    """
    if scenario.trace is None or scenario.fault is not None or scenario.trace in declaring.unused:
        return False
    recorded = (scenario.ties or {}).get(declaring.path)
    now = declaring.tie or Tie(body=declaring.artifact.body_digest)
    if recorded is None:
        return bool(rewritten) and not _is_new(scenario.trace, declaring, reach)
    pairs = {part: (getattr(recorded, part), getattr(now, part)) for part in Part}
    told = {part for part, (was, is_) in pairs.items() if None not in {was, is_}}
    if any(pairs[part][0] != pairs[part][1] for part in told):
        return True
    return not told.issuperset(rewritten) and not _is_new(scenario.trace, declaring, reach)


def _is_new(trace: str, declaring: Declaring, reach: Reach) -> bool:
    """Whether a session was recorded in this change, and not only touched, moved or added to."""
    return trace in reach.paths and trace not in declaring.repeated


def _causes(declaring: Declaring, reach: Reach, prefix: str) -> Iterator[_Cause]:
    if reach.changes.everything:
        # What changed besides is told too: it makes sessions stale.
        yield _Cause(reason=reach.changes.reason or "everything was asked for")
    if not reach.paths:
        return
    yield from _of_text(declaring, reach)
    yield from _of_surroundings(declaring, reach, prefix)
    yield from _of_evals(declaring, reach, prefix)
    yield from _of_sessions(declaring, reach)
    yield from _of_verdicts(declaring, reach, prefix)
    yield from _of_settings(declaring, reach)


def _of_settings(declaring: Declaring, reach: Reach) -> Iterator[_Cause]:
    """What an edit of the configuration does to it."""
    edited = reach.settings
    every = edited.every or edited.of_artifacts(declaring.group)
    if every is not None:
        yield _Cause(reason=every)
    judged = _with(declaring.artifact.evals, graders=frozenset({JUDGED}))
    if judged and edited.judge is not None:
        yield _Cause(reason=edited.judge, evals=judged)


def _of_text(declaring: Declaring, reach: Reach) -> Iterator[_Cause]:
    """What changed in the artifact itself, or in a sidecar that declares for it."""
    artifact, before = declaring.artifact, declaring.before
    touched = next((path for path in _own(artifact) if path in reach.paths), None)
    if touched is None:
        return
    unknown = before is None or is_invalid(before.problems)
    if unknown and touched == artifact.path:
        yield _Cause(reason=f"`{touched}` changed", rewritten=Part.BODY)
    elif before is None or unknown:
        yield _Cause(reason=f"`{touched}` changed")
    elif before.body_digest != artifact.body_digest:
        yield _Cause(reason=f"the text of `{artifact.path}` changed", rewritten=Part.BODY)
    elif is_invalid(artifact.problems):
        yield _Cause(reason=f"`{touched}` changed")
    else:
        changed = _changed_evals(artifact, before)
        if changed:
            count = f"{len(changed)} of its {len(artifact.evals)} evals"
            yield _Cause(reason=f"{count} changed", evals=changed)


def _own(artifact: Artifact) -> tuple[str, ...]:
    return (artifact.path, *artifact.sidecars)


def _changed_evals(artifact: Artifact, before: Artifact) -> frozenset[str]:
    """Those that measure something else, or whose skip changed. Weights only re-decide."""
    known = {declared.key: declared for declared in before.evals}
    return frozenset(
        declared.key
        for declared in artifact.evals
        if (was := known.get(declared.key)) is None
        or was.definition != declared.definition
        or (was.skip or before.skip) != (declared.skip or artifact.skip)
    )


def _of_surroundings(declaring: Declaring, reach: Reach, prefix: str) -> Iterator[_Cause]:
    """The other files of a skill's folder, and the sources of the group."""
    artifact = declaring.artifact
    sources = GlobSet(declaring.group.sources)
    folder = posixpath.dirname(artifact.path)
    is_skill = artifact.identity.type is ArtifactType.SKILL and folder
    for path in sorted(reach.paths.difference(_own(artifact), _along(artifact, reach))):
        local = relative(path, prefix=prefix)
        if is_skill and path.startswith(f"{folder}/"):
            yield _Cause(reason=f"`{path}` is in the skill's folder", rewritten=Part.FOLDER)
        elif local is not None and sources.matches(local):
            yield _Cause(reason=f"`{path}` is a source of its group", rewritten=Part.SOURCES)


def _along(artifact: Artifact, reach: Reach) -> Iterator[str]:
    """The files that moved with the whole folder of a skill, under either name, and only that."""
    folder, before = (posixpath.dirname(path) for path in (artifact.path, reach.was(artifact.path)))
    if artifact.identity.type is not ArtifactType.SKILL or folder == before:
        return
    for change in reach.changes.files:
        old = change.old_path
        if not change.moved or old is None or not old.startswith(f"{before}/"):
            continue
        if change.path == f"{folder}{old.removeprefix(before)}":
            yield from (old, change.path)


def _of_evals(declaring: Declaring, reach: Reach, prefix: str) -> Iterator[_Cause]:
    """Files that a command or a target names."""
    for declared in declaring.artifact.evals:
        for file in declaring.files_of(declared):
            if joined(prefix, file) in reach.paths:
                yield _Cause(
                    reason=f"eval `{declared.name}` looks at `{file}`, which changed",
                    evals=frozenset({declared.key}),
                )


def _of_sessions(declaring: Declaring, reach: Reach) -> Iterator[_Cause]:
    for scenario in declaring.scenarios:
        if scenario.trace in declaring.unused:
            continue
        if scenario.trace is not None and _trace_changed(scenario.trace, reach):
            yield _Cause(reason=f"the session `{scenario.trace}` changed")
        elif scenario.prompt in reach.paths:
            yield _Cause(reason=f"the prompt `{scenario.prompt}` changed")


def _trace_changed(trace: str, reach: Reach) -> bool:
    """The trace, what ties it to a text, or a file of its sub-agents."""
    itself = not reach.paths.isdisjoint({trace, f"{trace}{MANIFEST}"})
    return itself or posixpath.splitext(trace)[0] in reach.folders


def _of_verdicts(declaring: Declaring, reach: Reach, prefix: str) -> Iterator[_Cause]:
    """Recorded opinions of a judge, and the verdicts of people."""
    artifact = declaring.artifact
    if reach.verdicts is not None:
        file = joined(reach.verdicts, f"{artifact.path}.json")
        judged = _with(artifact.evals, graders=frozenset({JUDGED}))
        if judged and file in reach.paths:
            yield _Cause(reason=f"`{file}` holds what was recorded for it", evals=judged)
    reviews = joined(prefix, REVIEWS)
    waiting = _with(artifact.evals, graders=WAITING)
    if waiting and reviews in reach.paths:
        yield _Cause(reason=f"`{reviews}` changed", evals=waiting)


def _with(evals: tuple[DeclaredEval, ...], *, graders: frozenset[str]) -> frozenset[str]:
    return frozenset(declared.key for declared in evals if declared.grader in graders)
