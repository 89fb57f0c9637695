"""What is put to the judge, what comes back, and the Protocol of a judge provider."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, runtime_checkable

from mergebar.model.conversations import Exchange, Failure, Usage
from mergebar.model.text import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Rubric:
    """What the judge is asked to score: instructions in our own words, on a scale of 1 to 5.

    `version` changes whenever the words do; it is part of what makes scores comparable.
    """

    name: str
    version: str
    instructions: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What the judge reads, all of it untrusted. `None` is left out of the message."""

    prompt: str
    response: str
    history: tuple[Exchange, ...] = ()
    expected_response: str | None = None
    context: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """One vote to ask of the judge. The first five fields are its key in a recording.

    `options` are the evaluator's, less the threshold: they are part of what is judged, and
    the threshold isn't.
    """

    suite: str
    case: str
    turn: int
    evaluator: str
    run: int
    vote: int
    rubric: Rubric
    material: Material
    options: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One vote of the judge: a finite score from 1 to 5, and why."""

    score: float
    reason: str
    usage: Usage = field(default_factory=Usage)
    cached: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeIdentity:
    """Who judges. Two scores are comparable only under an equal identity."""

    provider: str
    model: str | None = None
    parameters: JsonObject = field(default_factory=dict)


class Judge(Protocol):
    """The model that scores LLM-judged checks."""

    @property
    def identity(self) -> JudgeIdentity:
        """Who judges, without secrets or addresses."""
        ...

    async def assess(self, assessment: Assessment, /) -> Verdict | Failure:
        """Ask for one vote. Expected trouble is a `Failure`; only a bug raises."""
        ...

    async def aclose(self) -> None:
        """Release what the provider holds; called once, also after a failure."""
        ...


class Match(StrEnum):
    """Whether what was seen bears an assertion out. A partial match counts as a failure."""

    PASS = "pass"  # noqa: S105 - not a password
    PARTIAL = "partial"
    FAIL = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """An assertion and what it is held against; all of it untrusted, and already redacted.

    `evidence` says where to look, `passing` and `failing` are examples. `artifact` is the text of
    the instructions that the assertion is about, `None` where that text is the `content` itself.
    `target` names what `content` is: `transcript`, `last-message`, `files`, `artifact` or `file`.
    """

    assertion: str
    target: str
    content: str
    artifact_type: str
    artifact_name: str
    artifact: str | None = None
    evidence: str | None = None
    passing: tuple[str, ...] = ()
    failing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Inquiry:
    """One vote on an assertion. The first four fields are its key in a recording.

    `eval` is the key of the eval, `case` that of the session. `model` is asked in place of the
    judge's own.
    """

    suite: str
    case: str
    eval: str
    vote: int
    claim: Claim
    model: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """One vote on an assertion: what was seen, whether it matches, how sure the judge is (0 to 1).

    `claim` is the assertion in the judge's own words.
    """

    match: Match
    confidence: float
    observed: str
    reason: str
    claim: str = ""
    usage: Usage = field(default_factory=Usage)
    cached: bool = False


@runtime_checkable
class AssertionJudge(Protocol):
    """A judge that also votes on assertions; one that doesn't can't grade an `ai` eval."""

    async def verify(self, inquiry: Inquiry, /) -> Opinion | Failure:
        """Ask for one vote. Expected trouble is a `Failure`; only a bug raises."""
        ...


@runtime_checkable
class PollingJudge(Protocol):
    """A judge that takes all votes on an assertion together, so that none is asked in vain."""

    async def poll(self, inquiries: Sequence[Inquiry], /) -> Sequence[Opinion | Failure]:
        """One result for each inquiry, in their order."""
        ...


@runtime_checkable
class RecallingJudge(Protocol):
    """A judge that may know a vote already; whoever asks it first saves the call."""

    def recall(self, assessment: Assessment, /) -> Verdict | None:
        """The vote as it was given before, marked as cached."""
        ...

    def recall_opinion(self, inquiry: Inquiry, /) -> Opinion | None:
        """The same for a vote on an assertion."""
        ...
