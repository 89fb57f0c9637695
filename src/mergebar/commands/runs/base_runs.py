"""What was asked for in; a run that is ready out, its base measured beside it if that is wanted."""

import asyncio
from dataclasses import replace
from pathlib import Path

from mergebar import pipeline
from mergebar.commands import workspace
from mergebar.commands.bases import baseline_fitness
from mergebar.commands.runs import assembling
from mergebar.commands.runs.assembling import Assembled, Invocation, Surroundings
from mergebar.commands.runs.progress import Watching
from mergebar.edge import worktrees
from mergebar.edge.events import Event, EventScope
from mergebar.edge.git import Git, GitTrouble
from mergebar.model.changes import Scope
from mergebar.model.comparisons import Baseline
from mergebar.model.configuration import BaselineSource
from mergebar.model.problems import is_invalid
from mergebar.model.reports import Report

_SHOWN = 7


def assemble(invocation: Invocation, around: Surroundings, *, watch: Watching) -> Assembled:
    """With `baseline.source: run`, measure the base with its own configuration and agents."""
    assembled = assembling.assemble(invocation, around, watch=watch)
    inputs = assembled.inputs
    wanted = inputs.config.baseline.source is BaselineSource.RUN and invocation.baseline is None
    if not wanted or is_invalid(inputs.problems):
        return assembled
    commit = inputs.run.base_commit
    if commit is None:
        return _without(assembled, "no base commit is known")
    if not around.event.trusted:
        return _without(assembled, "repository code does not run for untrusted events")
    found = _measured(commit, invocation, around)
    if isinstance(found, str):
        return _without(assembled, f"the base `{commit[:_SHOWN]}` {found}")
    compared = pipeline.Compared(
        report=found, baseline=Baseline(commit=commit, age_s=0.0, source="run")
    )
    return _with(assembled, replace(inputs, compared=compared))


def _measured(commit: str, invocation: Invocation, around: Surroundings) -> Report | str:
    """The report of the base, or why there is none, as a clause about it."""
    git = Git(around.place.cwd, around.environ)
    own = around.environ.get("RUNNER_TEMP", "")
    within = Path(own) if own and Path(own).is_dir() else None
    with worktrees.checked_out(git, commit, within=within) as folder:
        if isinstance(folder, GitTrouble):
            return f"can't be checked out: {folder.message}"
        at = folder / around.place.prefix
        if not at.is_dir():
            return f"has no `{around.place.prefix}`"
        event = Event(
            name=None,
            trusted=True,
            scope=EventScope.AFFECTED,
            public=around.event.public,
        )
        beside = Surroundings(place=workspace.here(at), event=event, environ=around.environ)
        report = _run(invocation, beside)
    unfit = baseline_fitness.fault(report)
    return f"was run, and that is no baseline: {unfit}" if unfit else report


def _run(invocation: Invocation, beside: Surroundings) -> Report:
    """All of it, compared with nothing."""
    asked = Invocation(
        config=invocation.config,
        scope=Scope.ALL,
        runs=invocation.runs,
        judge=invocation.judge,
        replay=invocation.replay,
        output=invocation.output,
    )
    made = assembling.assemble(asked, beside)
    inputs = replace(made.inputs, compared=None)
    done = asyncio.run(pipeline.execute(inputs, made.effects, stop=asyncio.Event()))
    return done.report


def _with(assembled: Assembled, inputs: pipeline.Inputs) -> Assembled:
    return replace(assembled, inputs=inputs)


def _without(assembled: Assembled, reason: str) -> Assembled:
    inputs = assembled.inputs
    return _with(assembled, replace(inputs, remarks=(*inputs.remarks, f"no baseline: {reason}")))
