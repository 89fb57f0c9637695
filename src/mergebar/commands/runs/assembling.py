"""What was asked for and where in; the inputs and effects of a run out, or why there is none."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from mergebar import journal, pipeline, planning, plugins, recordings
from mergebar.commands import known_secrets
from mergebar.commands.artifacts import declared_artifacts, held_sessions
from mergebar.commands.reaching import entries, subjects
from mergebar.commands.reaching.adapters import Adapters
from mergebar.commands.reaching.references import References
from mergebar.commands.runs import base_side, keeping, repeating, settling
from mergebar.commands.runs.invocations import Invocation as Invocation
from mergebar.commands.runs.invocations import Surroundings as Surroundings
from mergebar.commands.runs.invocations import around as around
from mergebar.commands.runs.keeping import Keeping
from mergebar.commands.runs.progress import Watching
from mergebar.commands.runs.settling import Circumstances
from mergebar.edge.git import Git, GitTrouble
from mergebar.journal import Journal
from mergebar.model.configuration import DEPLOYED, Config
from mergebar.model.plans import Plan
from mergebar.model.problems import Problem, is_invalid
from mergebar.model.reports import ReportRunInfo, ReportWarning
from mergebar.untrusted.redaction import Redactor


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembled:
    """Ready to run. `flush` writes what was recorded, and says what couldn't be."""

    inputs: pipeline.Inputs
    effects: pipeline.Effects
    flush: Callable[[], tuple[Problem, ...]]


def assemble(
    invocation: Invocation, around: Surroundings, *, watch: Watching | None = None
) -> Assembled:
    """Settle what holds for this run. Problems go into the inputs: they belong in the report.

    With `watch` it is one, else only looked at: nothing is kept of it.
    """
    found = settling.settle(invocation, around)
    kept = keeping.Keeping() if watch is None else keeping.settle(invocation, around, found.config)
    held = base_side.find(invocation, around, found)
    references = References(found.config, around.environ)
    problems = _once(found.problems, references, around)
    inputs = pipeline.Inputs(
        config=found.config,
        paths=found.documents.paths,
        base=held.base,
        options=_options(invocation, around, references, found),
        run=_run_info(invocation, around, found),
        compared=held.compared,
        policies=held.policies,
        branch=around.event.base_branch or "the base",
        remarks=found.baseline.remarks,
        reviews=found.verdicts.reviews,
        note=_note(found),
        problems=problems,
        warnings=_warnings(problems),
    )
    redactor = _redactor(found.config, around.environ, references)
    adapters = _adapters(invocation, around, references, kept, redactor)
    effects = pipeline.Effects(
        read=around.place.read,
        explain=plugins.explain,
        agent=adapters.agent,
        judge=adapters.judge,
        evaluator=adapters.evaluator,
        sessions=_sessions(invocation, around, found, inputs, redactor),
        clock=time.monotonic,
        now=lambda: datetime.now(UTC),
        redactor=redactor,
        progress=watch.tell if watch is not None else None,
        pulse=watch.pulse if watch is not None else None,
        journal=_journal(around, references, inputs, kept, redactor),
    )
    return Assembled(inputs=inputs, effects=effects, flush=adapters.flush)


def _options(
    invocation: Invocation, around: Surroundings, references: References, found: Circumstances
) -> planning.PlanOptions:
    return planning.PlanOptions(
        prefix=around.place.prefix,
        agent=invocation.agent,
        tags=invocation.tags,
        only=found.paths if invocation.paths else (),
        searched=found.searched,
        runs=invocation.runs,
        judge=invocation.judge,
        trusted=around.event.trusted,
        secrets_missing=references.agents_missing,
        judge_secrets_missing=references.judge_missing,
        unfit=entries.unfit_agents(references, around.place.cwd),
        judge_unfit=entries.unfit_judge(references, around.place.cwd),
        graders=plugins.graders_among(rule.match.grader for rule in found.config.rules),
    )


def _sessions(
    invocation: Invocation,
    around: Surroundings,
    found: Circumstances,
    inputs: pipeline.Inputs,
    redactor: Redactor,
) -> Callable[[], held_sessions.HeldSessions]:
    """Made only where a session is opened."""
    refused = planning.of_repository_code(config=found.config, options=inputs.options)
    setting = held_sessions.Setting(
        place=around.place,
        environ=around.environ,
        groups=found.config.artifacts,
        reviews=found.verdicts.reviews,
        redact=redactor.redact,
        refused=None if refused is None else refused.reason,
        folder=around.place.cwd / invocation.output,
        ties=declared_artifacts.ties(found.artifacts.declaring),
        commit=inputs.run.commit,
    )
    return lambda: held_sessions.create(setting)


def _adapters(
    invocation: Invocation,
    around: Surroundings,
    references: References,
    kept: Keeping,
    redactor: Redactor,
) -> Adapters:
    root = around.place.cwd
    recorder = recordings.Recorder(root, recordings.FOLDER, redactor)
    return Adapters(
        root=root,
        environ=around.environ,
        references=references,
        recorder=recorder if invocation.record else None,
        store=kept.store,
        redact=redactor.redact,
        redact_derived=redactor.redact_derived,
    )


def _journal(
    around: Surroundings,
    references: References,
    inputs: pipeline.Inputs,
    kept: Keeping,
    redactor: Redactor,
) -> Callable[[Plan], Journal | None]:
    """Opens the journal of a plan, once it is known."""
    path = kept.journal
    if path is None:
        return lambda _plan: None
    world = subjects.World(
        place=around.place,
        environ=around.environ,
        references=references,
        commit=inputs.run.commit,
    )
    return lambda plan: journal.start(
        path,
        subjects.of_plan(plan, inputs.config, world),
        anew=kept.anew,
        redact=redactor.redact,
        clock=time.monotonic,
        now=time.time,
    )


def _redactor(config: Config, environ: Mapping[str, str], references: References) -> Redactor:
    known = known_secrets.of(environ)
    return Redactor({*references.secrets, *_passed_on(config, environ), *known})


def _passed_on(config: Config, environ: Mapping[str, str]) -> set[str]:
    """What sessions are given of the environment: they may print it."""
    groups = (group.sessions for group in config.artifacts if group.sessions is not None)
    return {environ[name] for one in groups for name in one.env if name in environ}


def _run_info(invocation: Invocation, around: Surroundings, found: Circumstances) -> ReportRunInfo:
    happened = around.event
    head = Git(around.place.cwd, around.environ).head()
    commit = happened.tested or (None if isinstance(head, GitTrouble) else head)
    return ReportRunInfo(
        id=happened.run_id,
        attempt=happened.attempt,
        started_at="",
        finished_at="",
        event=happened.name,
        commit=commit,
        head_commit=happened.head or commit,
        base_commit=found.base.commit,
        trusted=happened.trusted,
        complete=True,
        policy=found.policy,
        config_digest=found.config.digest,
        judge=None,
        mode=found.config.gate.mode.value,
        scope="all" if found.changes.changes.everything else "affected",
        filtered=bool(invocation.paths or invocation.agent or invocation.tags),
        deployed=tuple(one.name for one in found.config.agents if one.type in DEPLOYED),
        command=repeating.command(invocation, around, found.changes),
    )


def _note(found: Circumstances) -> str | None:
    return "; ".join(note for note in (found.note, found.baseline.note) if note) or None


def _once(
    problems: tuple[Problem, ...], references: References, around: Surroundings
) -> tuple[Problem, ...]:
    """A doubt about an entry is none any more where the environment has had its say."""
    unfit = entries.all_unfit(references, around.place.cwd)
    return tuple(one for one in problems if is_invalid([one]) or one.message not in unfit)


def _warnings(problems: tuple[Problem, ...]) -> tuple[ReportWarning, ...]:
    """Problems of no suite that stop nothing are warnings of the report."""
    return tuple(
        ReportWarning(message=one.message, path=one.path, line=one.line, column=one.column)
        for one in problems
        if not is_invalid([one])
    )
