"""What a grader sees of a session, what it may do, what it returns, and its Protocol."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol, TypeAlias

from mergebar.model.artifacts import Artifact, DeclaredEval
from mergebar.model.conversations import Failure
from mergebar.model.documents import Severity
from mergebar.model.judgements import Claim, Opinion
from mergebar.model.plans import Withholding
from mergebar.model.results import Outcome
from mergebar.model.sessions import MAIN, Capability, Contents, Session
from mergebar.model.text import Json, JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """The part of a session that an artifact answers for (spec, section 2.5).

    `own` are spans of events by the chain that they are on: prompts and messages count there only.
    `nested` are the branches that count whole besides. `label` names the part in a sentence: "the
    invocations of `deploy`". `missing` says why there is nothing: "`deploy` was never invoked".
    """

    label: str
    own: Mapping[int, tuple[range, ...]]
    nested: frozenset[int] = frozenset()
    missing: str | None = None


def whole(session: Session) -> Excerpt:
    """All of a session."""
    return Excerpt(
        label="the session",
        own={MAIN: (range(len(session.events)),)},
        nested=frozenset(branch.number for branch in session.branches) - {MAIN},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactText:
    """An artifact's text: all of the file, and what a judge may see, without its own evals."""

    file: str
    shown: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One session, as one artifact answers for it."""

    session: Session
    contents: Contents
    excerpt: Excerpt
    artifact: Artifact
    text: ArtifactText


class Matcher(Protocol):
    """Does what a hostile pattern or schema may make endless, within a time that it bounds."""

    async def search(
        self, pattern: str, flags: str, texts: Sequence[str], /
    ) -> tuple[bool, ...] | Failure:
        """Whether the ECMAScript pattern matches somewhere in each text."""
        ...

    async def violations(self, schema: JsonObject, value: Json, /) -> tuple[str, ...] | Failure:
        """What of a JSON Schema a value violates, a sentence each; bounded in number and length."""
        ...


AskOpinions: TypeAlias = Callable[[Claim, int], Awaitable[Sequence[Opinion | Failure]]]
"""Puts a claim to the judge this many times, for the eval at hand; the votes come in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What a grader may do besides looking at a session.

    `root` is the folder that the session worked in, `home` the repository's where that is another
    one; `trace` is the session's file. `environ` is the whole environment, from which a process
    gets an allow-listed part. `refused` says why code of the repository may not run here, `None`
    where it may. `ask` is `None` without a judge that can vote on assertions; `judge_model` and
    `judge_provider` say who that is. `redact` takes secrets out of a text.
    """

    root: Path
    trace: Path
    environ: Mapping[str, str]
    matcher: Matcher
    redact: Callable[[str], str]
    refused: str | None = None
    ask: AskOpinions | None = None
    judge_provider: str | None = None
    judge_model: str | None = None
    home: Path | None = None


class Zone(StrEnum):
    """What the votes of a judge allow: a verdict, or a person's look."""

    AUTO_PASS = "auto-pass"  # noqa: S105 - not a password
    AUTO_FAIL = "auto-fail"
    REVIEW = "review"


@dataclass(frozen=True, slots=True, kw_only=True)
class Consensus:
    """The votes of a judge on one assertion (spec, section 5.1)."""

    passed: int
    failed: int
    partial: int
    errors: int
    mean_confidence: float
    zone: Zone


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """Something that a grader found. Without a `severity` it has the eval's own.

    `level` is what a checker of somebody else calls its severity; `severity-map` translates it.
    """

    message: str
    severity: Severity | None = None
    level: str | None = None


class Basis(StrEnum):
    """What a verdict rests on: more of it than the trace holds could turn the verdict.

    `SEEN` is something that was seen, which nothing turns. `CHAINS` are the artifact's own chains,
    `BRANCHES` those and sub-agents', `LAST` is the last message, `MAIN` all of the main chain.
    """

    SEEN = "seen"
    CHAINS = "chains"
    BRANCHES = "branches"
    LAST = "last"
    MAIN = "main"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """A grader's result: it looked, and this is what it found.

    `findings` are what is wrong, `notices` change nothing. `quotes`: `reason`, findings or notices
    may quote the session. `review` is a digest of what a person has to look at, with `look` saying
    what that is; both only for `needs-review`. Without a `basis` a pass rests on the artifact's own
    chains, and anything else on what was seen.
    """

    outcome: Outcome
    reason: str
    findings: tuple[Remark, ...] = ()
    notices: tuple[str, ...] = ()
    opinions: tuple[Opinion | Failure, ...] = ()
    consensus: Consensus | None = None
    review: str | None = None
    look: str = ""
    quotes: bool = False
    basis: Basis | None = None
    record: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Demands:
    """What has to be there before a grader is asked.

    `capabilities` are what the trace has to record. `runs_code`: it runs code of the repository.
    `whole`: it looks at the whole session, whatever part of it the artifact answers for. `basis` is
    what it can't do without, whatever it would say.
    """

    capabilities: frozenset[Capability] = frozenset()
    runs_code: bool = False
    whole: bool = False
    basis: Basis = Basis.SEEN


class Grader(Protocol):
    """Checks one eval over one session."""

    def demands(self, declared: DeclaredEval, /) -> Demands:
        """What has to be there for this eval."""
        ...

    async def grade(
        self, declared: DeclaredEval, seen: Seen, /, *, means: Means
    ) -> Grade | Failure | Withholding:
        """Look. A `Failure`: it couldn't say; a `Withholding`: something is missing.

        It must not raise for anything that a session or an eval holds.
        """
        ...
