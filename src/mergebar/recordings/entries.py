"""What a recording holds: answers and verdicts, each with the key that finds it again."""

from dataclasses import dataclass
from typing import TypeAlias

from mergebar.model.conversations import Answer, Failure
from mergebar.model.judgements import Match

FOLDER = ".mergebar/recordings"
"""Where recordings are, below the working directory, unless the configuration says otherwise."""

NOTE = "Recorded by `mergebar run --record`."

AnswerKey: TypeAlias = tuple[str, int, int]
VerdictKey: TypeAlias = tuple[str, int, str, int, int]
OpinionKey: TypeAlias = tuple[str, str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedAnswer:
    """What the agent said in one turn. A `digest` of `None` is an answer written by hand."""

    case: str
    turn: int
    run: int
    digest: str | None
    answer: Answer | Failure

    @property
    def key(self) -> AnswerKey:
        """What finds it, and orders it."""
        return (self.case, self.turn, self.run)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedVerdict:
    """One vote of the judge. A `digest` of `None` is a verdict written by hand."""

    case: str
    turn: int
    evaluator: str
    run: int
    vote: int
    digest: str | None
    score: float
    reason: str

    @property
    def key(self) -> VerdictKey:
        """What finds it, and orders it."""
        return (self.case, self.turn, self.evaluator, self.run, self.vote)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedOpinion:
    """One vote of the judge on an assertion; `digest` as for a verdict."""

    case: str
    eval: str
    vote: int
    digest: str | None
    match: Match
    confidence: float
    observed: str
    reason: str

    @property
    def key(self) -> OpinionKey:
        """What finds it, and orders it."""
        return (self.case, self.eval, self.vote)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """All that is recorded of one suite, in the order of the keys; `note` is for people."""

    note: str = NOTE
    answers: tuple[RecordedAnswer, ...] = ()
    verdicts: tuple[RecordedVerdict, ...] = ()
    opinions: tuple[RecordedOpinion, ...] = ()
