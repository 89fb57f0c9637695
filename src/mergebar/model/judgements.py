"""What is put to the judge, what comes back, and the Protocol of a judge provider."""

from dataclasses import dataclass, field
from typing import Protocol

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
