"""A finished run in, the baseline file to commit out; or why its report is no baseline."""

from pathlib import Path

from mergebar import pipeline, reviews
from mergebar.commands.bases import baseline_fitness
from mergebar.commands.runs.invocations import Invocation
from mergebar.edge import output_files
from mergebar.edge.events import Event
from mergebar.edge.git import Git, GitTrouble
from mergebar.edge.output_files import Refusal
from mergebar.model.reports import Report
from mergebar.patterns import GlobSet
from mergebar.report import json_report

_NAMED = 3


def refusal(invocation: Invocation, event: Event) -> str:
    """Why the run can't become a baseline, before it is run; empty where it may."""
    if not event.trusted:
        return f"`--write-baseline` is refused on an untrusted event: {event.distrust}"
    narrowed = {
        "paths": invocation.paths,
        "`--agent`": invocation.agent,
        "`--tag`": invocation.tags,
        "`--no-judge`": not invocation.judge,
    }
    used = [name for name, given in narrowed.items() if given]
    if not used and invocation.runs is not None:
        return (
            "`--write-baseline` is refused with `--runs`: what is put to an agent more or less "
            "often than the configuration says is compared with nothing; set `runs` in the groups"
        )
    if not used:
        return ""
    return (
        f"`--write-baseline` is refused with {' and '.join(used)}: a baseline has to know every "
        "check; leave that out"
    )


def uncommitted(inputs: pipeline.Inputs, git: Git, *, prefix: str) -> str:
    """Why the baseline would be of no commit, before it is run; empty where it is of `HEAD`.

    The baseline itself and people's verdicts don't count, nor what git doesn't know and nothing
    here rests on.
    """
    found = git.uncommitted()
    if isinstance(found, GitTrouble):
        return ""
    folder = f"{prefix}/" if prefix else ""
    own = {f"{folder}{inputs.config.baseline.path}", f"{folder}{reviews.FILE}"}
    dirty = [
        change.path
        for change in found.files
        if change.path not in own
        and (not change.untracked or _rests_on(change.path, inputs, folder))
    ]
    if not dirty:
        return ""
    more = f" and {len(dirty) - _NAMED} more" if len(dirty) > _NAMED else ""
    named = ", ".join(f"`{path}`" for path in dirty[:_NAMED])
    return (
        f"`--write-baseline` is refused: {named}{more} differ{'s' if len(dirty) == 1 else ''} from "
        "the commit that it would be of; commit first"
    )


def _rests_on(path: str, inputs: pipeline.Inputs, folder: str) -> bool:
    """Whether a file that git doesn't know is a suite, the configuration, or a source of either."""
    suites = {*inputs.paths, *(one.path for one in inputs.base.artifacts)}
    if path in suites or path == inputs.config.path:
        return True
    config = inputs.config
    globs = [
        *(glob for agent in config.agents for glob in agent.sources or ()),
        *(glob for group in config.artifacts for glob in (*group.sources, *group.traces)),
    ]
    local = path.removeprefix(folder)
    return path.startswith(folder) and GlobSet(tuple(globs)).matches(local)


def write(report: Report, path: Path) -> Refusal | None:
    """Write it, or say why not; what was there stays then."""
    if unfit := baseline_fitness.fault(report):
        return Refusal(message=f"`{path.name}` is not written: {unfit}")
    return output_files.write(path.parent, {path.name: json_report.dump(report)})
