"""What changed in; whether a suite is affected by it, which of its checks, and why, out."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from mergebar.model.documents import Case, Document
from mergebar.model.problems import is_invalid
from mergebar.planning import items
from mergebar.planning.placing import Placement, joined
from mergebar.planning.reaching import Reach

_REPLAY = "replay"


@dataclass(frozen=True, slots=True, kw_only=True)
class Causes:
    """Why checks are affected, as clauses. `every` reaches all of a suite, `judged` what asks the
    judge, `cases` those with these indices, and `rest` whatever is left.
    """

    every: str = ""
    judged: str = ""
    cases: Mapping[int, str] = field(default_factory=dict)
    rest: str = ""

    def of(self, case: Case, *, judged: bool) -> str:
        """Why a check of a case is affected; empty if it isn't."""
        own = self.cases.get(case.index) or (self.judged if judged else "")
        return self.every or own or self.rest


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """Whether a suite is affected, and why."""

    affected: bool
    reason: str
    causes: Causes = field(default_factory=Causes)


def everything(cause: str) -> Effect:
    """A suite that is affected as a whole."""
    return Effect(affected=True, reason=f"affected: {cause}", causes=Causes(every=cause))


def completed(effect: Effect, cause: str) -> Effect:
    """The same suite as a whole, for a further cause."""
    if not effect.affected:
        return everything(cause)
    return replace(effect, causes=replace(effect.causes, rest=cause))


def explain(document: Document, placement: Placement, *, judged: bool, reach: Reach) -> Effect:
    """Say whether and where a document is affected, and why or why not."""
    agent = placement.agent.name if placement.agent else None
    cause = _of_suite(document, placement, judged=judged, reach=reach)
    if cause is not None:
        return everything(cause)
    edited = {**_of_runs(document, placement, reach), **_of_items(document, placement, reach)}
    if edited:
        said = items.named(edited.keys(), document)
        causes = Causes(cases=edited, judged=(reach.settings.judge or "") if judged else "")
        return Effect(affected=True, reason=f"affected: {said}", causes=causes)
    if judged and reach.settings.judge is not None:
        reason = f"affected: {reach.settings.judge}"
        return Effect(affected=True, reason=reason, causes=Causes(judged=reach.settings.judge))
    return Effect(affected=False, reason=_unaffected(document.path, agent, reach))


def _unaffected(path: str, agent: str | None, reach: Reach) -> str:
    if path in reach.paths:
        return f"not affected: `{path}` changed, but nothing that its checks measure did"
    if agent is None:
        return f"not affected: `{path}` didn't change"
    return f"not affected: neither `{path}` nor a source of `{agent}` changed"


def _of_suite(
    document: Document, placement: Placement, *, judged: bool, reach: Reach
) -> str | None:
    """What reaches all of its checks."""
    path, agent = document.path, placement.agent.name if placement.agent else None
    if reach.changes.everything:
        return reach.changes.reason or "everything was asked for"
    if (cause := _of_file(document, reach)) is not None:
        return cause
    if agent is not None and agent in reach.agents:
        return reach.agents[agent]
    recording = _recording(path, agent=agent, judged=judged, reach=reach)
    if recording is not None:
        return f"`{recording}` holds what was recorded for it"
    if agent is not None or judged:
        return reach.settings.every or reach.settings.of_group(reach.was(path), placement)
    return None


def _of_file(document: Document, reach: Reach) -> str | None:
    """Why a changed document counts whole: there is nothing to compare its cases with."""
    path = document.path
    if path not in reach.paths:
        return None
    if path not in reach.earlier.documents or is_invalid(document.problems):
        return f"`{path}` changed"
    before = reach.earlier.documents[path]
    if before is None:
        return f"`{path}` is new"
    if is_invalid(before.problems):
        return f"`{path}` changed, and what it was can't be understood"
    return None


def _of_items(document: Document, placement: Placement, reach: Reach) -> Mapping[int, str]:
    before = reach.earlier.documents.get(document.path) if document.path in reach.paths else None
    if before is None:
        return {}
    agent = placement.agent
    stored = agent is None or agent.type == _REPLAY
    return items.changed(document, before, stored=stored)


def _of_runs(document: Document, placement: Placement, reach: Reach) -> Mapping[int, str]:
    cause = reach.settings.of_runs(reach.was(document.path), placement)
    if cause is None:
        return {}
    return {case.index: cause for case in document.cases if case.runs is None}


def _recording(path: str, *, agent: str | None, judged: bool, reach: Reach) -> str | None:
    folders = [folder for name, folder in reach.recordings.items() if name == agent]
    if judged and reach.verdicts is not None:
        folders.append(reach.verdicts)
    files = (joined(folder, path + ".json") for folder in folders)
    return next((file for file in files if file in reach.paths), None)
