"""The artifact groups of a configuration in; the sessions that each is evaluated on out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from mergebar import identity, loading
from mergebar.commands.artifacts import manifests, trace_copies
from mergebar.commands.workspace import Place
from mergebar.model.artifacts import Artifact
from mergebar.model.configuration import ArtifactGroup
from mergebar.model.problems import Level, Problem
from mergebar.model.scenarios import Scenario
from mergebar.model.text import Json
from mergebar.patterns import GlobSet
from mergebar.reading import files, front_matter
from mergebar.suites import discovery, groups

UNREADABLE = "trace/unreadable"
_PROMPT_LIMIT = 1024 * 1024
_SUBAGENTS = "subagents"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The sessions of a group. `serves` narrows a prompt to some artifacts, by its path.

    `spoiled` are problems of single sessions, which say so themselves in a run.
    """

    scenarios: tuple[Scenario, ...] = ()
    serves: dict[str, tuple[str, ...]] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    spoiled: tuple[Problem, ...] = ()

    def of(self, artifact: Artifact) -> tuple[Scenario, ...]:
        """The sessions that one artifact is evaluated on."""
        return tuple(one for one in self.scenarios if self._serves(one, artifact))

    def _serves(self, scenario: Scenario, artifact: Artifact) -> bool:
        wanted = self.serves.get(scenario.prompt or "")
        if wanted is None:
            return True
        names = {artifact.name, *artifact.identity.references}
        return not names.isdisjoint(wanted) or GlobSet(wanted).matches(artifact.path)


def find(place: Place, group: ArtifactGroup, *, index: int) -> Found:
    """Recorded sessions first, then those to run."""
    traces, lost = _matched(place, group.traces, f"artifacts[{index}].traces", group)
    folders = frozenset(PurePosixPath(path).parent for path in traces if not _is_agents(path))
    recorded = [path for path in traces if not _is_beside(place, path, folders)]
    spoiled: list[Problem] = []
    scenarios = []
    copies = trace_copies.of(place.cwd, recorded)
    lost = (*lost, *(_copied(place, copy, first) for copy, first in copies.items()))
    for path, key in _keyed(recorded, group.traces, ending=True):
        made = Scenario(key=key, group=index, trace=place.reported(path))
        tied = _tied(place, made)
        if isinstance(tied, Problem):
            spoiled.append(tied)
            tied = replace(made, fault=_said(tied, place.reported(path)))
        scenarios.append(tied)
    prompted = _prompted(place, group, index)
    return Found(
        scenarios=(*scenarios, *prompted.scenarios),
        serves=prompted.serves,
        problems=(*lost, *prompted.problems),
        spoiled=(*spoiled, *prompted.spoiled),
    )


def _copied(place: Place, copy: str, first: str) -> Problem:
    kept = place.reported(first)
    message = f"this is the session of `{kept}` once more, and counts once more: remove one"
    return Problem(
        level=Level.WARNING, rule="trace/copy", message=message, path=place.reported(copy)
    )


def _said(problem: Problem, path: str) -> str:
    """With the file that it is about, which some messages name themselves."""
    named = problem.path or path
    return problem.message if f"`{named}`" in problem.message else f"`{named}`: {problem.message}"


def _tied(place: Place, made: Scenario) -> Scenario | Problem:
    """With what its manifest says. A link that leads nowhere in the repository isn't followed."""
    trace = made.path
    if (place.top / trace).is_symlink():
        refused = files.refusal(place.top, trace, rule=UNREADABLE)
        if refused is not None:
            return replace(refused, message=f"{refused.message}: put the trace itself here")
    ties = manifests.read(place.top, trace)
    return ties if isinstance(ties, Problem) else replace(made, ties=ties)


def _matched(
    place: Place, patterns: Sequence[str], key: str, group: ArtifactGroup
) -> tuple[tuple[str, ...], tuple[Problem, ...]]:
    if not patterns:
        return (), ()
    return groups.resolve_evidence(place.cwd, patterns, key=key, group=group)


def _is_beside(place: Place, path: str, folders: frozenset[PurePosixPath]) -> bool:
    """Whether a file belongs to another trace: its manifest, or a sub-agent's events.

    `folders` are those with a trace that isn't called like a sub-agent's.
    """
    if path.endswith(manifests.SUFFIX):
        return True
    if not _is_agents(path):
        return False
    at = PurePosixPath(path)
    if _SUBAGENTS in at.parts[:-1]:
        return True
    return at.parent in folders and loading.is_sidecar(place.cwd / path)


def _is_agents(path: str) -> bool:
    """Whether a file has the name that hosts give to a sub-agent's events."""
    return PurePosixPath(path).name.startswith("agent-")


def _keyed(
    paths: Sequence[str], patterns: Sequence[str], *, ending: bool
) -> Iterator[tuple[str, str]]:
    """Each path with its name below the root of the glob that selects it."""
    globs = [(GlobSet((one,)), discovery.start(one)) for one in patterns if one[:1] != "!"]
    keys = []
    for path in paths:
        root = next((start for glob, start in globs if glob.matches(path)), "")
        below = path.removeprefix(f"{root}/") if path != root else PurePosixPath(path).name
        keys.append(below if ending else str(PurePosixPath(below).with_suffix("")))
    return zip(paths, identity.distinguish(keys), strict=True)


def _prompted(place: Place, group: ArtifactGroup, index: int) -> Found:
    if group.sessions is None:
        return Found()
    key = f"artifacts[{index}].sessions.prompts"
    paths, lost = _matched(place, group.sessions.prompts, key, group)
    spoiled: list[Problem] = []
    scenarios = []
    serves: dict[str, tuple[str, ...]] = {}
    for path, name in _keyed(paths, group.sessions.prompts, ending=False):
        reported = place.reported(path)
        read = _prompt(place, reported)
        if isinstance(read, Problem):
            spoiled.append(read)
            fault = _said(read, reported)
            scenarios.append(Scenario(key=name, group=index, prompt=reported, fault=fault))
            continue
        words, wanted = read
        if wanted is not None:
            serves[reported] = wanted
        scenarios.append(Scenario(key=name, group=index, prompt=reported, words=words))
    return Found(scenarios=tuple(scenarios), serves=serves, problems=lost, spoiled=tuple(spoiled))


def _prompt(place: Place, path: str) -> tuple[str, tuple[str, ...] | None] | Problem:
    """The words of a prompt, and the artifacts that it is for; `None` for all of its group."""
    data = place.read(path, rule="config/prompt", limit=_PROMPT_LIMIT)
    if isinstance(data, Problem):
        return data
    front = front_matter.read(data, path=path)
    wrong = next((one for one in front.problems if one.level is Level.ERROR), None)
    if wrong is not None:
        return wrong
    words = front.body.strip()
    if not words:
        return _fault("this prompt is empty: write what the session is asked", path)
    if not isinstance(front.value, dict) or "artifacts" not in front.value:
        return words, None
    wanted = _texts(front.value["artifacts"])
    if not wanted:
        return _fault("`artifacts` has to list names or globs of artifacts", path)
    return words, wanted


def _texts(value: Json) -> tuple[str, ...]:
    listed = value if isinstance(value, list) else [value]
    return tuple(one for one in listed if isinstance(one, str) and one)


def _fault(message: str, path: str) -> Problem:
    return Problem(level=Level.ERROR, rule="config/prompt", message=message, path=path, line=1)


def file(place: Place, scenario: Scenario) -> Path:
    """Where a recorded session is."""
    return place.top / (scenario.trace or "")
