"""A base and where to look in; the report that this run is compared with out, or why none is."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime

from mergebar.commands import stored_reports
from mergebar.commands.bases import base_refusals, baseline_fitness, lineages
from mergebar.commands.bases.base_files import Base
from mergebar.commands.bases.policies import Unread
from mergebar.commands.bases.remote import Remote
from mergebar.commands.workspace import Place
from mergebar.edge.events import Event
from mergebar.edge.git import Git
from mergebar.edge.github import lookups
from mergebar.edge.github.lookups import NoBaseline, Wanted
from mergebar.model.comparisons import Baseline
from mergebar.model.configuration import BaselineSource, Config
from mergebar.model.problems import Level, Problem
from mergebar.model.publishing import GitHubTrouble
from mergebar.model.reports import Report
from mergebar.reading.sentences import counted
from mergebar.report import json_report

_FILE = "report.json"
_SHOWN = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """Where to look. `artifact` is the name that this gate's reports are uploaded under.

    `named` is a file that was asked for, relative to the working directory, and `asked` the base.
    """

    place: Place
    event: Event
    base: Base
    git: Git
    remote: Remote
    config: Config
    artifact: str
    now: datetime
    named: str | None = None
    asked: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A report and what to say of it, or only why there is none.

    `note` belongs in the headline: the report is of another history.
    """

    report: Report | None = None
    baseline: Baseline | None = None
    remarks: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = field(default=())
    note: str | None = None


def find(search: Search) -> Found:
    """What the command line names, else what the configuration says."""
    if search.named is not None:
        return _named(search, search.named)
    source = search.config.baseline.source
    if source is BaselineSource.RUN:
        # It is measured beside this run, for which this run comes first.
        return Found(problems=base_refusals.of(search.config))
    if source is BaselineSource.AUTO and search.event.name is None:
        # On somebody's own machine there is nobody to ask for artifacts, and no need to say so.
        source = BaselineSource.FILE
        if search.base.commit is None:
            return Found()
    reasons: list[str] = []
    for way in _WAYS[source]:
        found = way(search)
        if isinstance(found, Found):
            said = [f"not from an artifact: {reason}" for reason in reasons]
            return replace(found, remarks=(*found.remarks, *said))
        reasons.append(found)
    return Found(remarks=(f"no baseline: {'; '.join(reasons)}",) if reasons else ())


def _named(search: Search, name: str) -> Found:
    """A file of this tree, which has to be one to compare with."""
    path = search.place.reported(name)
    data = stored_reports.content(path, search.place, rule="config/baseline")
    if isinstance(data, Problem):
        return Found(problems=(data,))
    report = stored_reports.load(data, path=path)
    if isinstance(report, Problem):
        return Found(problems=(report,))
    if unfit := baseline_fitness.fault(report):
        return Found(problems=(_problem(f"can't compare with `{path}`: {unfit}", path),))
    found = _found(report, search, source="file")
    strange = lineages.strange(report.run.commit, search.git, tested=search.event.tested)
    if strange is None:
        return found
    told = f"{strange}, so that what fails in it excuses nothing here"
    return replace(found, note="a baseline of another history", problems=(_warning(told, path),))


def _committed(search: Search) -> Found | str:
    """The committed report as of the base commit: what this change makes of it doesn't count."""
    commit = search.base.commit
    if commit is None:
        return "no base commit is known"
    path = search.place.reported(search.config.baseline.path)
    data = search.base.file(commit, path)
    if isinstance(data, Unread):
        return f"`{path}` of the base can't be read: {data.reason}"
    if data is None:
        missing = f"the base `{commit[:_SHOWN]}` has no `{path}`"
        local = search.event.name is None
        return f"{missing}; `mergebar run --write-baseline` makes one there" if local else missing
    report = stored_reports.load(data, path=path)
    if isinstance(report, Problem):
        return f"`{path}` of the base can't be used: {report.message}"
    if unfit := baseline_fitness.fault(report):
        return f"`{path}` of the base can't be used: {unfit}"
    return _merged(_found(report, search, source="file"), search, path)


def _merged(found: Found, search: Search, path: str) -> Found:
    """A report of the base itself, of which only the commit may have been left behind."""
    commit = found.baseline.commit if found.baseline is not None else None
    strange = lineages.strange(commit, search.git, tested=search.base.commit)
    if strange is None:
        return found
    told = f"{strange}; write it again on the base branch, with `--write-baseline`"
    return replace(found, problems=(_warning(told, path),))


def _uploaded(search: Search) -> Found | str:
    """What a run on the base branch left: GitHub says which run that was, never the file."""
    if search.remote.baseline is None:
        return "there is no connection to GitHub to ask for artifacts"
    reports: dict[int, Report] = {}

    def fault(candidate: lookups.Baseline) -> str:
        report = stored_reports.load(candidate.data)
        if isinstance(report, Problem):
            return report.message
        if report.run.commit != candidate.commit:
            return "it is about another commit than that of its run"
        reports[candidate.artifact] = report
        return baseline_fitness.fault(report)

    reason = f"the event `{search.event.name}` has no base branch"
    for wanted in _wanted(search):
        got = search.remote.baseline(wanted, fault=fault)
        if isinstance(got, NoBaseline):
            reason = got.reason
        elif isinstance(got, GitHubTrouble):
            reason = got.message
        else:
            return _found(reports[got.artifact], search, source="artifact", commit=got.commit)
    return reason


def _wanted(search: Search) -> Iterator[Wanted]:
    """Branches, and the commits on them where the search begins; the product's event table."""
    event, base = search.event, search.base.commit
    if event.name == "push" and event.baseline_branch != event.default_branch:
        places = [(event.baseline_branch, event.base), (event.default_branch, base)]
    elif event.name == "push":
        places = [(event.baseline_branch, event.base)]
    elif event.name == "schedule":
        places = [(event.default_branch, None)]
    elif event.base_branch is not None:
        places = [(event.base_branch, base)]
    else:
        places = [(_branch(search.asked), base), (event.default_branch, base)]
    newest = {"schedule", "workflow_dispatch", "push"}
    for branch, commit in dict.fromkeys(places):
        if branch is not None and (commit is not None or event.name in newest):
            yield Wanted(
                artifact=search.artifact,
                file=_FILE,
                branch=branch,
                commit=commit,
                limit=json_report.SIZE_LIMIT,
            )


def _branch(base: str | None) -> str | None:
    """What a base that was asked for would be as a branch; no branch is no place to look at."""
    return None if base is None else base.removeprefix("refs/heads/").removeprefix("origin/")


def _found(report: Report, search: Search, *, source: str, commit: str | None = None) -> Found:
    made = commit or report.run.commit
    return Found(
        report=report,
        baseline=Baseline(
            commit=made, age_s=_age(report.run.finished_at, search.now), source=source
        ),
        remarks=tuple(_distance(made, search, least=2 if source == "file" else 1)),
    )


def _distance(commit: str | None, search: Search, *, least: int) -> Iterator[str]:
    """How much older it is. A file is committed at least one commit after the one it is of."""
    base = search.base.commit
    if commit is None:
        yield "the baseline doesn't say which commit it is of, so nothing of it can be carried"
    elif base is not None and base != commit:
        count = search.git.distance(commit, base)
        if not isinstance(count, int):
            yield f"the baseline is of `{commit[:_SHOWN]}`, the base is `{base[:_SHOWN]}`"
        elif count >= least:
            older = counted(count, "commit")
            yield f"the baseline is {older} older than the base `{base[:_SHOWN]}`"


def _age(finished_at: str, now: datetime) -> float | None:
    try:
        made = datetime.fromisoformat(finished_at)
        return max(0.0, (now - made).total_seconds())
    except (ValueError, TypeError):
        return None


def _warning(message: str, path: str) -> Problem:
    return Problem(level=Level.WARNING, rule="config/baseline", message=message, path=path)


def _problem(message: str, path: str) -> Problem:
    return Problem(level=Level.ERROR, rule="config/baseline", message=message, path=path)


_WAYS = {
    BaselineSource.AUTO: (_uploaded, _committed),
    BaselineSource.ARTIFACT: (_uploaded,),
    BaselineSource.FILE: (_committed,),
    BaselineSource.NONE: (),
}
