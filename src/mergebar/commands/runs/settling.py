"""What was asked for and where in; what holds for the run out: policy, changes and suites."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial

from mergebar import plugins, recordings
from mergebar.commands import workspace
from mergebar.commands.artifacts import declared_artifacts
from mergebar.commands.bases import base_files, baselines, policies, remote
from mergebar.commands.bases.base_files import Base, Verdicts
from mergebar.commands.reaching.adapters import REPLAY
from mergebar.commands.runs.invocations import Invocation, Surroundings
from mergebar.commands.watching import left_out, own_output, source_globs, uncovered, unwatched
from mergebar.commands.workspace import Place
from mergebar.edge import changes
from mergebar.edge.changes import Request, Strategy
from mergebar.edge.events import Event
from mergebar.edge.git import Git, GitTrouble
from mergebar.model.changes import Changes, Scope
from mergebar.model.configuration import Config, Responses
from mergebar.model.problems import Level, Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Circumstances:
    """All that is settled before a plan. `problems` are those of no suite.

    `policy` says whose it is, `note` what the headline has to say about that. Not `searched`: a
    broken configuration names no suites. `head` is the configuration of this tree, whatever holds.
    """

    config: Config
    head: Config | None
    policy: str
    note: str | None
    changes: changes.Found
    base: Base
    baseline: baselines.Found
    documents: workspace.Found
    artifacts: declared_artifacts.Found
    verdicts: Verdicts
    problems: tuple[Problem, ...]
    searched: bool

    @property
    def paths(self) -> tuple[str, ...]:
        """All suites."""
        return (*self.documents.paths, *self.artifacts.paths)


def settle(invocation: Invocation, around: Surroundings) -> Circumstances:
    """Look at the configuration, at what changed, and for suites; nothing is measured yet."""
    place = around.place
    settled = workspace.settle(place, invocation.config, plugins.explain)
    changed = _changes(invocation, around)
    file = partial(remote.base_file, Git(place.cwd, around.environ), around.remote)
    base = Base(commit=changed.found.base, file=file)
    held = _held(settled, invocation, around, base)
    config = effective(held.config, invocation, around.event)
    baseline = baselines.find(_search(invocation, around, base, config))
    if around.event.all_without_baseline and baseline.baseline is not None:
        changed = _changes(invocation, around, baseline=baseline.baseline.commit)
        base = replace(base, commit=changed.found.base)
    changed = _with_unwatched(changed, invocation, around, config)
    asked = _asked(invocation, around, changed.found.changes, base)
    artifacts = declared_artifacts.find(place, config, asked)
    documents = _documents(invocation, place, config, artifacts.paths)
    verdicts = base_files.verdicts(place, base, trusted=around.event.trusted)
    parts = (settled, held, documents, artifacts, verdicts, changed, baseline)
    return Circumstances(
        config=config,
        head=settled.config,
        policy=held.policy,
        note=held.note,
        changes=changed.found,
        base=base,
        baseline=baseline,
        documents=documents,
        artifacts=artifacts,
        verdicts=verdicts,
        problems=(
            *(problem for part in parts for problem in part.problems),
            *source_globs.unmatched(config, place, changed.found.changes),
            *_uncovered(invocation, place, config, documents, changed.found.changes),
        ),
        searched=settled.config is not None,
    )


def _asked(
    invocation: Invocation, around: Surroundings, changed: Changes, base: Base
) -> declared_artifacts.Asked:
    return declared_artifacts.Asked(
        changes=changed,
        paths=invocation.paths,
        before=base.read,
        runs=invocation.runs,
        ignored=partial(_ignored, Git(around.place.cwd, around.environ)),
    )


def _ignored(git: Git) -> frozenset[str]:
    """Without git, nothing is."""
    names = git.unlisted()
    return frozenset() if isinstance(names, GitTrouble) else frozenset(names)


def _held(
    settled: workspace.Settled, invocation: Invocation, around: Surroundings, base: Base
) -> policies.Held:
    return policies.hold(
        settled,
        name=invocation.config,
        place=around.place,
        event=around.event,
        base=base.commit,
        base_file=base.file,
    )


def _search(
    invocation: Invocation, around: Surroundings, base: Base, config: Config
) -> baselines.Search:
    return baselines.Search(
        place=around.place,
        event=around.event,
        base=base,
        git=Git(around.place.cwd, around.environ),
        remote=around.remote,
        config=config,
        artifact=invocation.artifact,
        now=datetime.now(UTC),
        named=invocation.baseline,
        asked=invocation.base,
    )


def effective(config: Config, invocation: Invocation, happened: Event) -> Config:
    """The configuration after what the command line and the event override."""
    if happened.public and not config.responses_said:
        config = replace(config, responses=Responses.NONE)
    return _replayed(config) if invocation.replay else config


def _replayed(config: Config) -> Config:
    """Recordings in place of every agent and of the judge; those that replay already stay."""
    options = {"recordings": recordings.FOLDER}
    agents = tuple(
        agent if agent.type == REPLAY else replace(agent, type=REPLAY, options=options)
        for agent in config.agents
    )
    judge = config.judge
    if judge is not None and judge.type != REPLAY:
        judge = replace(judge, type=REPLAY, options=options)
    groups = tuple(replace(group, sessions=None) for group in config.artifacts)
    return replace(config, agents=agents, judge=judge, artifacts=groups)


def _documents(
    invocation: Invocation, place: Place, config: Config, artifacts: tuple[str, ...]
) -> workspace.Found:
    """The documents; `artifacts` are the other suites that were asked for."""
    if invocation.paths:
        found = workspace.asked(place, invocation.paths, config, artifacts)
        # A notice is enough for `check`; here a folder without suites measures nothing.
        return replace(
            found, problems=tuple(replace(one, level=Level.ERROR) for one in found.problems)
        )
    return workspace.every_suite(place, config)


def _uncovered(
    invocation: Invocation,
    place: Place,
    config: Config,
    documents: workspace.Found,
    changed: Changes,
) -> Iterator[Problem]:
    """Not where somebody asks for certain suites."""
    if not invocation.paths:
        yield from left_out.changed(config, place, changed)
        paths = [change.path for change in changed.files]
        yield from uncovered.documents(place, config, documents.paths, paths)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Changed:
    found: changes.Found
    problems: tuple[Problem, ...] = ()


def _changes(
    invocation: Invocation, around: Surroundings, *, baseline: str | None = None
) -> _Changed:
    changed, auto = invocation.changed, invocation.scope is Scope.AUTO
    request = Request(
        scope=Scope.ALL if invocation.paths and auto else invocation.scope,
        changed=None if changed is None else tuple(map(around.place.reported, changed)),
        base=invocation.base,
        baseline=baseline,
    )
    git = Git(around.place.cwd, around.environ)
    found = changes.find(around.event, git, request, preferred=_of_github(around, baseline))
    if isinstance(found, Problem):
        unknown = Changes(everything=True, reason="it isn't known what changed")
        return _Changed(found=changes.Found(changes=unknown), problems=(found,))
    others = own_output.excluded(found.changes, around.place, output=invocation.output)
    return _Changed(found=replace(found, changes=others))


def _of_github(around: Surroundings, baseline: str | None) -> tuple[Strategy, ...]:
    """What GitHub can tell of the event; of a push, since the commit that it is held against."""
    event, remote = around.event, around.remote
    left = event.base_branch if event.base_branch != event.baseline_branch else None
    start = baseline or left
    if event.name != "push" or start is None or remote.strategies is None:
        return remote.changed
    return remote.strategies(replace(event, base=start))


def _with_unwatched(
    changed: _Changed, invocation: Invocation, around: Surroundings, config: Config
) -> _Changed:
    """Only what is on disk can be there unwatched, and a list says what changed."""
    if around.event.name is not None or invocation.changed is not None or changed.problems:
        return changed
    git = Git(around.place.cwd, around.environ)
    more = unwatched.added(changed.found.changes, around.place, config, git)
    return replace(changed, found=replace(changed.found, changes=more))
