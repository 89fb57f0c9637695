"""Changed files in; those among them that verdicts rest on, and that a person can edit, out."""

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from mergebar.model.changes import Change
from mergebar.model.comparisons import Edited, EvidenceKind
from mergebar.model.configuration import REVIEWS
from mergebar.model.scenarios import MANIFEST
from mergebar.patterns import GlobSet

_BASELINE = ".mergebar-baseline.json"
_SUBAGENTS = "subagents"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Where evidence is. Globs, folders and files are relative to `prefix`, the working directory.

    `responses` are the repository-relative documents whose stored responses this change touches.
    """

    prefix: str = ""
    traces: tuple[str, ...] = ()
    recordings: tuple[str, ...] = ()
    baseline: str = _BASELINE
    responses: AbstractSet[str] = field(default_factory=frozenset)


def edited(files: Iterable[Change], evidence: Evidence) -> tuple[Edited, ...]:
    """In the order of their paths. A renamed file is found by either path."""
    traces = GlobSet(evidence.traces)
    found = {
        Edited(kind=kind, path=change.path, status=change.status.value)
        for change in files
        for path in (change.path, change.old_path)
        if path is not None
        for kind in _kinds(path, evidence, traces)
    }
    return tuple(sorted(found, key=lambda one: (one.path, one.kind)))


def _kinds(path: str, evidence: Evidence, traces: GlobSet) -> Iterator[EvidenceKind]:
    if path in evidence.responses:
        yield EvidenceKind.RESPONSE
    local = _local(path, evidence.prefix)
    if local is None:
        return
    if any(traces.matches(trace) for trace in _traces(local)):
        yield EvidenceKind.TRACE
    if any(local.startswith(folder.rstrip("/") + "/") for folder in evidence.recordings):
        yield EvidenceKind.RECORDING
    if local == REVIEWS:
        yield EvidenceKind.REVIEWS
    if local == evidence.baseline:
        yield EvidenceKind.BASELINE


def _traces(local: str) -> Iterator[str]:
    """The traces that a file may be or belong to: as a manifest, or as events of a sub-agent."""
    yield local
    yield local.removesuffix(MANIFEST)
    for folder in PurePosixPath(local).parents:
        if folder.name == _SUBAGENTS:
            yield f"{folder.parent}.jsonl"


def _local(path: str, prefix: str) -> str | None:
    """The path from the working directory; `None` for what isn't in it."""
    if not prefix:
        return path
    return path[len(prefix) + 1 :] if path.startswith(prefix + "/") else None
