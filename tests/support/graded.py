"""An artifact and a trace, both in real files, and what the graders make of them.

`grade(root, records, evals="- {id: …}")` writes both, reads them as the program does, and gives
what came of each eval by its name.
"""

import asyncio
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from textwrap import indent
from typing import TypeAlias, cast

from mergebar import plugins, sessions
from mergebar.graders import grading, polling
from mergebar.graders.matching import Bounds, ProcessMatcher
from mergebar.model.artifacts import Artifact, DeclaredEval
from mergebar.model.conversations import Failure
from mergebar.model.gradings import ArtifactText, Excerpt, Grade, Grader, Means, Seen
from mergebar.model.judgements import Assessment, Inquiry, JudgeIdentity, Match, Opinion, Verdict
from mergebar.model.plans import Withholding
from mergebar.model.sessions import Session
from mergebar.suites import artifacts
from mergebar.traces import FileContents
from mergebar.untrusted.redaction import Redactor
from support import suites, traces

SKILL = ".claude/skills/mend/SKILL.md"
RULES = "CLAUDE.md"
Found: TypeAlias = Grade | Failure | Withholding
Records: TypeAlias = Iterable[Mapping[str, object]] | bytes


def opinion(match: str = "pass", confidence: float = 0.9, reason: str = "It is there.") -> Opinion:
    return Opinion(match=Match(match), confidence=confidence, observed="seen", reason=reason)


@dataclass(kw_only=True)
class Arbiter:
    """A judge that votes on assertions as its script says, the last vote again and again."""

    script: Sequence[Opinion | Failure] | Callable[[Inquiry], Opinion | Failure] = field(
        default_factory=lambda: [opinion()]
    )
    model: str | None = "judge-1"
    asked: list[Inquiry] = field(default_factory=list)

    @property
    def identity(self) -> JudgeIdentity:
        return JudgeIdentity(provider="scripted", model=self.model)

    async def assess(self, assessment: Assessment, /) -> Verdict | Failure:
        raise NotImplementedError(assessment)

    async def verify(self, inquiry: Inquiry, /) -> Opinion | Failure:
        self.asked.append(inquiry)
        if callable(self.script):
            return self.script(inquiry)
        return self.script[min(inquiry.vote, len(self.script) - 1)]

    async def aclose(self) -> None:
        return


@dataclass(frozen=True, kw_only=True)
class Bench:
    """What grading needs besides the files; a test replaces what it is about."""

    judge: Arbiter | None = None
    refused: str | None = None
    secrets: tuple[str, ...] = ()
    bounds: Bounds | None = None
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    change: Callable[[DeclaredEval], DeclaredEval] = lambda declared: declared
    excerpt: Callable[[Session, Artifact], Excerpt] = sessions.excerpt
    grader: Grader | None = None
    home: Path | None = None


def skill_text(evals: str, *, body: str = "Mend the leak.\n") -> str:
    return f"---\nname: mend\nmetadata:\n  evals:\n{indent(evals, '    ')}\n---\n{body}"


def read(root: Path, evals: str, *, path: str = RULES, body: str = "Mend the leak.\n") -> Artifact:
    """Write the artifact, and read it; a mistake in it fails the test."""
    return load(root, skill_text(evals, body=body).encode(), path=path)


def load(root: Path, data: bytes, *, path: str) -> Artifact:
    """Write an artifact's text, and read it."""
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    artifact = artifacts.read(data, path=path, explain=suites.explain)
    assert artifact.evals, artifact.problems
    return artifact


def grade(
    root: Path,
    records: Records,
    evals: str,
    *,
    path: str = RULES,
    body: str = "Mend the leak.\n",
    bench: Bench | None = None,
) -> dict[str, Found]:
    """What came of every eval."""
    artifact = read(root, evals, path=path, body=body)
    return regrade(root, records, artifact, bench=bench)


def one(root: Path, records: Records, options: str, *, bench: Bench | None = None) -> Found:
    """The same for a single eval of the rules; `options` are its keys, written in one line."""
    (found,) = grade(root, records, f"- {{id: one, {options}}}", bench=bench).values()
    return found


def regrade(
    root: Path, records: Records, artifact: Artifact, *, bench: Bench | None = None
) -> dict[str, Found]:
    """The same for an artifact that was read already."""
    trace = root / "trace.jsonl"
    session = traces.read(trace, records)
    return asyncio.run(_all(root, trace, session, artifact, bench or Bench()))


async def _all(
    root: Path, trace: Path, session: Session, artifact: Artifact, bench: Bench
) -> dict[str, Found]:
    matcher = ProcessMatcher(bench.environ, bounds=bench.bounds)
    data = (root / artifact.path).read_bytes()
    try:
        with FileContents(session, trace) as contents:
            seen = Seen(
                session=session,
                contents=contents,
                excerpt=bench.excerpt(session, artifact),
                artifact=artifact,
                text=ArtifactText(
                    file=data.decode(),
                    shown=artifacts.without_evals(data, path=artifact.path),
                ),
            )
            means = Means(
                root=root,
                home=bench.home,
                trace=trace,
                environ=bench.environ,
                matcher=matcher,
                redact=Redactor(bench.secrets).redact,
                refused=bench.refused,
                judge_provider=bench.judge.identity.provider if bench.judge else None,
                judge_model=bench.judge.model if bench.judge else None,
            )
            found: dict[str, Found] = {}
            for declared in map(bench.change, artifact.evals):
                found[declared.name] = await _one(declared, seen, means, bench)
            return found
    finally:
        await matcher.aclose()


async def _one(declared: DeclaredEval, seen: Seen, means: Means, bench: Bench) -> Found:
    grader = bench.grader or grader_of(declared.grader)
    if bench.judge is not None:
        ask = polling.ask(bench.judge, declared, suite=seen.artifact.path, case="trace.jsonl")
        means = replace(means, ask=ask)
    return await grading.grade(declared, seen, grader=grader, means=means)


def grader_of(name: str) -> Grader:
    """By its name, as the program finds it."""
    create = plugins.grader(name)
    assert not isinstance(create, plugins.Unknown), create.message
    return cast("Grader", create())


def outcome(found: Found) -> str:
    """`pass`, `fail`, `needs-review`, `error`, `declined` or `withheld`."""
    if isinstance(found, Withholding):
        return found.kind.value
    return "error" if isinstance(found, Failure) else found.outcome.value


def words(found: Found) -> str:
    """The reason, or the message."""
    return found.message if isinstance(found, Failure) else found.reason


def notices(found: Found) -> tuple[str, ...]:
    assert isinstance(found, Grade)
    return found.notices
