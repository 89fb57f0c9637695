"""How a report differs from its baseline: field for field the `comparison` of report.json."""

from dataclasses import dataclass
from enum import StrEnum


class ChangeKind(StrEnum):
    """What became of a check."""

    REGRESSED = "regressed"
    IMPROVED = "improved"
    STILL_FAILING = "still-failing"
    STILL_PASSING = "still-passing"
    NEW = "new"
    REMOVED = "removed"
    CARRIED = "carried"
    NOT_COMPARABLE = "not-comparable"


class Mark(StrEnum):
    """What to know of either side. `regressed`: it regressed in the baseline and was carried."""

    FLAKY = "flaky"
    STALE = "stale"
    REPLAYED = "replayed"
    REGRESSED = "regressed"


class Standing(StrEnum):
    """What a difference between two rates amounts to."""

    REGRESSED = "regressed"
    IMPROVED = "improved"
    WITHIN_NOISE = "within noise"
    TOO_FEW = "too few to tell"


class Loosening(StrEnum):
    """In which way a change lowers the bar."""

    THRESHOLD = "threshold"
    SEVERITY = "severity"
    WEIGHT = "weight"
    MUST_PASS = "must-pass"  # noqa: S105 - not a password
    VOTES = "votes"
    RUNS = "runs"
    SKIP = "skip"
    CHECK = "check"
    EVALUATOR = "evaluator"
    TRACE = "trace"
    SUITE = "suite"
    JUDGE = "judge"
    POLICY = "policy"


class EvidenceKind(StrEnum):
    """What a verdict may rest on that a person can edit."""

    TRACE = "trace"
    RECORDING = "recording"
    RESPONSE = "response"
    REVIEWS = "reviews"
    BASELINE = "baseline"


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """What was compared with. `source` is `artifact`, `file` or `run`."""

    commit: str | None
    age_s: float | None
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckChange:
    """One check on both sides. `check` is its id here, for a removed one its id in the baseline.

    `was` is its id in the baseline where that is another one. `label` is given for a removed check
    only: it isn't among the report's checks. `known` is the contract's known failure.
    """

    check: str
    change: ChangeKind
    comparable: bool
    reason: str
    was: str | None = None
    label: str | None = None
    base_outcome: str | None = None
    base_score: float | None = None
    marks: tuple[Mark, ...] = ()
    known: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Renamed:
    """A suite that moved."""

    was: str
    now: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Loosened:
    """One way in which the bar is lower: `what` was `was` and is `now`.

    `checks` are the ids that it touches, those of the baseline for what was removed; `failing`
    are those among them that fail in the baseline.
    """

    kind: Loosening
    suite: str | None
    what: str
    was: str
    now: str
    checks: tuple[str, ...] = ()
    failing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """Evidence that this change touches; `status` as for any changed file."""

    kind: EvidenceKind
    path: str
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """Where a value lies with 95 % confidence."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """Mean scores of `n` cases that were scored on both sides, and measured here."""

    base: float
    head: float
    delta: float
    n: int
    interval: Interval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """One evaluator, or all that gates (`name` is `None`), on both sides.

    `base` and `head` are weighted pass rates over `checks` comparable checks, weights of the head
    on both sides; `None` where nothing is comparable. The unit of inference is the case: `n` were
    measured on both sides, `carried` besides couldn't change; of the `n`, `regressed` pass in the
    baseline only and `improved` here only. `p` is McNemar's, exact and two-sided. `interval` is
    that of `delta`. `detectable` is the smallest difference in the share of passing cases that
    `n` cases can show, `None` where they can show none.
    """

    name: str | None
    base: float | None
    head: float | None
    delta: float | None
    checks: int
    n: int
    carried: int
    regressed: int
    improved: int
    p: float | None
    interval: Interval | None
    base_interval: Interval | None
    head_interval: Interval | None
    scores: Scores | None
    detectable: float | None
    verdict: Standing
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """All of it. Without a baseline, what the change itself shows: policy and edited evidence.

    `changes` has an entry for each check of either side, but for those that were measured on
    neither. `drop` says by how much the pass rate fell, where `gate.max_drop` blocks it; `notes`
    say what the comparison can't.
    """

    baseline: Baseline | None
    changes: tuple[CheckChange, ...]
    loosened: tuple[Loosened, ...]
    edited: tuple[Edited, ...]
    evaluators: tuple[Tally, ...]
    total: Tally
    renamed: tuple[Renamed, ...] = ()
    drop: str | None = None
    notes: tuple[str, ...] = ()
