"""A finished run in, the baseline file to commit out; or why its report is no baseline."""

from pathlib import Path

from mergebar.commands import baseline_fitness
from mergebar.commands.invocations import Invocation
from mergebar.edge import output_files
from mergebar.edge.events import Event
from mergebar.edge.output_files import Refusal
from mergebar.model.reports import Report
from mergebar.report import json_report


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
    if not used:
        return ""
    return (
        f"`--write-baseline` is refused with {' and '.join(used)}: a baseline has to know every "
        "check; leave that out"
    )


def write(report: Report, path: Path) -> Refusal | None:
    """Write it, or say why not; what was there stays then."""
    if unfit := baseline_fitness.fault(report):
        return Refusal(message=f"`{path.name}` is not written: {unfit}")
    return output_files.write(path.parent, {path.name: json_report.dump(report)})
