"""What was measured."""

from dataclasses import dataclass, field, replace
from enum import StrEnum

from mergebar.model.conversations import Answer, Failure, Usage
from mergebar.model.plans import PlannedCheck, Skip
from mergebar.model.text import JsonObject


class Outcome(StrEnum):
    """What came of a check. `error` and `skipped` are not measurements."""

    PASS = "pass"  # noqa: S105 - not a password
    FAIL = "fail"
    NEEDS_REVIEW = "needs-review"
    ERROR = "error"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """One run of a check. `record` is the score entry for a document with results.

    `agent_failed` tells an answer that never came from an evaluator that couldn't say. `notices`
    are remarks that change nothing. `review` is a digest of what a person has to look at: set for
    a run that waits for one, or whose outcome is a person's verdict; `look` says what that is.
    `quotes`: the reason may quote; `None` where the name of the evaluator tells.
    """

    outcome: Outcome
    score: float | None = None
    threshold: float | None = None
    reason: str = ""
    votes: tuple[float, ...] = ()
    record: JsonObject = field(default_factory=dict)
    error: Failure | None = None
    agent_failed: bool = False
    usage: Usage = field(default_factory=Usage)
    duration_s: float = 0.0
    cached: bool = False
    notices: tuple[str, ...] = ()
    review: str | None = None
    look: str = ""
    quotes: bool | None = None

    def lasting(self, duration_s: float) -> "RunResult":
        """The same, having taken this long."""
        return replace(self, duration_s=duration_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """A check over all its runs (product contract, section 7, Repeats).

    `score` is the median of the measured runs; `duration_s` is the sum of theirs. `carried`: taken
    over from the baseline, and not measured here.
    """

    check: PlannedCheck
    outcome: Outcome
    score: float | None
    reason: str
    runs: tuple[RunResult, ...]
    skip: Skip | None = None
    error: Failure | None = None
    flaky: bool = False
    replayed: bool = False
    cached: bool = False
    usage: Usage = field(default_factory=Usage)
    duration_s: float = 0.0
    carried: bool = False
    stale: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedTurn:
    """What the agent made of one turn; `None` for a turn never put."""

    answer: Answer | Failure | None
    duration_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """One case put once; `turns` has an entry per turn of the case, in order."""

    suite: str
    case: str
    run: int
    turns: tuple[AskedTurn, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallCounts:
    """What was really called, retries not counted."""

    agent_calls: int = 0
    judge_calls: int = 0
    cache_hits: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """Everything a run measured: one `CheckResult` per planned check, in plan order.

    `complete` is false when the run was interrupted; `notes` are warnings for the report.
    """

    checks: tuple[CheckResult, ...]
    conversations: tuple[Conversation, ...]
    calls: CallCounts
    complete: bool = True
    notes: tuple[str, ...] = ()
