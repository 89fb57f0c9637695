"""The sessions of a run: opened, read, and each eval held against the part that it answers for."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import cast

from mergebar import plugins, reviews, sessions, traces
from mergebar.commands.artifacts.fresh_sessions import FOLDER, Runner
from mergebar.commands.workspace import Place
from mergebar.errors import RAISED_BY_PACKAGES, StopError
from mergebar.graders import grading, installed, polling
from mergebar.graders.matching import ProcessMatcher
from mergebar.model.artifacts import Artifact, DeclaredEval
from mergebar.model.configuration import ArtifactGroup
from mergebar.model.conversations import ErrorClass, Failure
from mergebar.model.gradings import ArtifactText, Grade, Grader, Means, Seen
from mergebar.model.judgements import Judge
from mergebar.model.plans import PlannedCheck, Skip, Withholding
from mergebar.model.problems import Location, Problem
from mergebar.model.results import RunResult
from mergebar.model.scenarios import Scenario, Tie
from mergebar.model.sessions import Session
from mergebar.reading import front_matter
from mergebar.reviews import Review
from mergebar.suites import artifacts
from mergebar.suites.artifacts.gathering import UNREADABLE
from mergebar.traces import sent_prompts


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What is settled before a run. `folder` is the report folder, `commit` the tested one.

    `refused` says why repository code may not run. `ties` are what the artifacts of each group are
    made of.
    """

    place: Place
    environ: Mapping[str, str]
    groups: tuple[ArtifactGroup, ...]
    reviews: tuple[Review, ...]
    redact: Callable[[str], str]
    refused: str | None
    folder: Path
    ties: Mapping[int, Mapping[str, Tie]]
    commit: str | None


def create(setting: Setting) -> "HeldSessions":
    """Nothing is read or started before it is needed."""
    runner = Runner(
        place=setting.place,
        environ=setting.environ,
        folder=setting.folder / FOLDER,
        redact=setting.redact,
        ties=setting.ties,
        commit=setting.commit,
    )
    matcher = ProcessMatcher(setting.environ)
    return HeldSessions(Held(setting=setting, runner=runner, matcher=matcher))


def _grader(name: str) -> Grader | Failure:
    """A package that is broken spoils the evals that name its grader, and no others."""
    try:
        found = plugins.grader(name)
        if isinstance(found, plugins.Unknown):
            return Failure(error_class=ErrorClass.CONFIG, message=found.message)
        made = found()
    except StopError as error:
        return Failure(error_class=ErrorClass.CONFIG, message=error.message)
    except RAISED_BY_PACKAGES as error:
        reason = f"{type(error).__name__}: {error}"
        message = f"the installed grader `{name}` can't be made: {reason}; repair its package"
        return Failure(error_class=ErrorClass.CONFIG, message=message)
    return cast("Grader", made) if name in plugins.GRADERS else installed.guard(name, made)


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What every session of a run shares."""

    setting: Setting
    runner: Runner
    matcher: ProcessMatcher
    graders: dict[str, Grader | Failure] = field(default_factory=dict)
    texts: dict[str, ArtifactText | Failure] = field(default_factory=dict)

    def grader(self, name: str) -> Grader | Failure:
        """A grader by its name, made once."""
        if name not in self.graders:
            self.graders[name] = _grader(name)
        return self.graders[name]

    def text(self, artifact: Artifact) -> ArtifactText | Failure:
        """The text of an artifact, read once."""
        if artifact.path not in self.texts:
            self.texts[artifact.path] = self._read(artifact.path)
        return self.texts[artifact.path]

    def _read(self, path: str) -> ArtifactText | Failure:
        data = self.setting.place.read(path, rule=UNREADABLE, limit=front_matter.MAX_FILE_BYTES)
        if isinstance(data, Problem):
            return Failure(error_class=ErrorClass.CONFIG, message=f"`{path}`: {data.message}")
        return ArtifactText(
            file=data.decode("utf-8", "replace"), shown=artifacts.without_evals(data, path=path)
        )


class HeldSessions:
    """Opens sessions one after another, as the run asks for them."""

    def __init__(self, held: Held) -> None:
        self._held = held
        self._ran = 0
        self._notes: dict[str, None] = {}

    @property
    def runs(self) -> int:
        """How many sessions were run."""
        return self._ran

    @property
    def notes(self) -> tuple[str, ...]:
        """What was lost or strange in traces."""
        return tuple(self._notes)

    async def open(self, scenario: Scenario, /, *, run: int) -> "HeldSession | Failure":
        """Run it first if it wasn't recorded; each repeat is a session of its own."""
        if scenario.fault is not None:
            return Failure(error_class=ErrorClass.BAD_RESPONSE, message=scenario.fault)
        if scenario.trace is not None:
            trace = self._held.setting.place.top / scenario.trace
            root = self._held.setting.place.cwd
            return await self._read(trace, scenario.trace, root, ExitStack())
        config = self._held.setting.groups[scenario.group].sessions
        if config is None:
            return Failure(error_class=ErrorClass.CONFIG, message="no `sessions` are configured")
        self._ran += 1
        ran = await self._held.runner.run(scenario, config, repeat=run)
        if isinstance(ran, Failure):
            return ran
        prompt = self._held.setting.redact(scenario.words)
        return await self._read(ran.trace, scenario.path, ran.workdir, ran.copies, prompt=prompt)

    async def aclose(self) -> None:
        """End the process that looks at patterns."""
        await self._held.matcher.aclose()

    async def _read(
        self, trace: Path, name: str, root: Path, copies: ExitStack, *, prompt: str | None = None
    ) -> "HeldSession | Failure":
        """`prompt` is what a session was asked that was run just now."""
        read = traces.read if prompt is None else partial(sent_prompts.read, prompt=prompt)
        session = await asyncio.to_thread(read, trace, name=name)
        if isinstance(session, Problem):
            copies.close()
            failure = _unreadable(session, recorded=prompt is None)
            self._notes.setdefault(failure.message)
            return failure
        for note in session.notes:
            self._notes.setdefault(f"`{_placed(note)}`: {note.message}")
        contents = copies.enter_context(traces.FileContents(session, trace))
        means = Means(
            root=root,
            home=self._held.setting.place.cwd,
            trace=trace,
            environ=self._held.setting.environ,
            matcher=self._held.matcher,
            redact=self._held.setting.redact,
            refused=self._held.setting.refused,
        )
        return HeldSession(
            held=self._held, session=session, contents=contents, means=means, copies=copies
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldSession:
    """One session, its words within reach."""

    held: Held
    session: Session
    contents: traces.FileContents
    means: Means
    copies: ExitStack
    seen: dict[str, Seen | Failure | Withholding] = field(default_factory=dict)

    async def grade(
        self, check: PlannedCheck, artifact: Artifact, /, *, judge: Judge | None
    ) -> RunResult | Withholding:
        """Hold one eval against it, and let a person's verdict decide what waits for one."""
        declared = check.declared
        if declared is None:
            message = f"{check.id} is no eval"
            raise TypeError(message)
        found = await self._look(declared, check, artifact, judge)
        if isinstance(found, Withholding):
            return found
        run = grading.as_run(found)
        if isinstance(found, Grade):
            run = replace(run, look=found.look, quotes=found.quotes)
        key = (check.suite, check.name, check.case)
        return reviews.apply(run, key=key, reviews=self.held.setting.reviews)

    async def close(self) -> None:
        """Close the trace, and remove what a session left."""
        await asyncio.to_thread(self.copies.close)

    async def _look(
        self, declared: DeclaredEval, check: PlannedCheck, artifact: Artifact, judge: Judge | None
    ) -> Grade | Failure | Withholding:
        if declared.fault is not None:  # not to be hidden by an artifact that nobody used
            return Failure(error_class=ErrorClass.CONFIG, message=declared.fault)
        grader = self.held.grader(declared.grader)
        if isinstance(grader, Failure):
            return grader
        if artifact.path not in self.seen:
            self.seen[artifact.path] = self._see(artifact)
        seen = self.seen[artifact.path]
        if isinstance(seen, Failure | Withholding):
            return seen
        means = self.means
        if judge is not None:
            means = replace(
                means,
                ask=polling.ask(judge, declared, suite=check.suite, case=check.case),
                judge_provider=judge.identity.provider,
                judge_model=judge.identity.model,
            )
        return await grading.grade(declared, seen, grader=grader, means=means)

    def _see(self, artifact: Artifact) -> Seen | Failure | Withholding:
        """The part of the session that an artifact answers for."""
        local = self.held.setting.place.local(artifact)
        link = sessions.link(self.session, local)
        if not link.used and self.session.idle is None:
            reason = link.reason or f"`{artifact.name}` was not used in this session"
            return Withholding(kind=Skip.WITHHELD, reason=reason)
        text = self.held.text(artifact)
        if isinstance(text, Failure):
            return text
        return Seen(
            session=self.session,
            contents=self.contents,
            excerpt=sessions.excerpt(self.session, local),
            artifact=artifact,
            text=text,
        )


def _unreadable(problem: Problem, *, recorded: bool) -> Failure:
    """A recorded trace has a place of its own to mend."""
    what = "the trace can't be graded" if recorded else "what the session printed is no trace"
    place = None
    if recorded and problem.path is not None and problem.line is not None:
        place = Location(path=problem.path, line=problem.line, column=problem.column)
    return Failure(
        error_class=ErrorClass.BAD_RESPONSE,
        message=f"`{_placed(problem)}`: {what}: {problem.message}",
        place=place,
    )


def _placed(problem: Problem) -> str:
    place = (problem.path, problem.line)
    return ":".join(str(part) for part in place if part is not None)
