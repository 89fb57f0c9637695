"""What holds for a run in; what its changes and its results are held against out."""

from dataclasses import dataclass, replace

from mergebar import comparing
from mergebar.commands.artifacts import declared_artifacts
from mergebar.commands.bases import origins
from mergebar.commands.bases.base_files import Base
from mergebar.commands.runs import settling
from mergebar.commands.runs.invocations import Invocation, Surroundings
from mergebar.commands.runs.settling import Circumstances
from mergebar.edge.git import Git
from mergebar.model.changes import Changes
from mergebar.model.configuration import Config
from mergebar.pipeline import Compared, Origin
from mergebar.planning import Declaring


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseSide:
    """The base of the change, the baseline, and both policies where the change edits its own."""

    base: Origin
    compared: Compared | None
    policies: comparing.Policies | None


def find(invocation: Invocation, around: Surroundings, settled: Circumstances) -> BaseSide:
    """Read what has to be known of the commits that this tree is compared with."""
    artifacts = settled.artifacts.declaring
    setting = _setting(invocation, around, settled)
    base = origins.at(settled.base, settled.changes.changes, setting, artifacts)
    return BaseSide(
        base=base,
        compared=_compared(settled, setting),
        policies=_policies(base, settled, setting),
    )


def _setting(
    invocation: Invocation, around: Surroundings, settled: Circumstances
) -> origins.Setting:
    def effective(config: Config) -> Config:
        return settling.effective(config, invocation, around.event)

    artifacts = settled.artifacts.declaring

    def declare(changes: Changes, base: Base) -> tuple[Declaring, ...]:
        asked = declared_artifacts.Asked(changes=changes, paths=invocation.paths, before=base.read)
        return declared_artifacts.since(artifacts, around.place, asked)

    return origins.Setting(
        place=around.place,
        event=around.event,
        git=Git(around.place.cwd, around.environ),
        remote=around.remote,
        name=invocation.config,
        output=invocation.output,
        effective=effective,
        declare=declare,
    )


def _compared(settled: Circumstances, setting: origins.Setting) -> Compared | None:
    found = settled.baseline
    if found.report is None or found.baseline is None:
        return None
    commit = found.baseline.commit
    same = commit is not None and commit == settled.base.commit
    since = None if same else origins.since(replace(settled.base, commit=commit), setting)
    return Compared(
        report=found.report, baseline=found.baseline, since=since, excuses=found.note is None
    )


def _policies(
    base: Origin, settled: Circumstances, setting: origins.Setting
) -> comparing.Policies | None:
    """The rules show in the checks themselves where those of this tree hold.

    What the command line makes of one configuration it makes of the other.
    """
    if settled.head is None:
        return None
    head = setting.effective(settled.head)
    if base.config is not None:
        return comparing.Policies(base=base.config, head=head, rules=settled.policy == "base")
    # Suites can move between groups without an edit of either.
    same = settled.base.commit is not None and origins.is_untouched(base.changes, setting)
    return comparing.Policies(base=head, head=head, rules=False) if same else None
