"""report.json as values: field for field what `schemas/report.v1.json` describes.

Every other format is a pure function of `Report`.
"""

from dataclasses import dataclass, field

from mergebar.model.comparisons import Comparison
from mergebar.model.decisions import Decision
from mergebar.model.definitions import Measured
from mergebar.model.text import JsonObject

SCHEMA = "mergebar.report/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportProblem:
    """A problem of a suite, as reported."""

    level: str
    rule: str
    message: str
    path: str | None
    line: int | None
    column: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportWarning:
    """Something to be seen that belongs to no check."""

    message: str
    path: str | None = None
    line: int | None = None
    column: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportLocation:
    """Where a check is written down."""

    path: str
    line: int | None
    column: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportError:
    """Why a check is unmeasured; `error_class` is written as `class`."""

    error_class: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportUsage:
    """Tokens and cost of a check; `None` is unknown."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRun:
    """One run of a check."""

    outcome: str
    score: float | None
    reason: str
    votes: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportCheck:
    """One check. `label` is the case's short name for people.

    `quotes` says that `reason`, the notices and the error's message may quote a prompt or a
    response: where those may not go, these may not go either. `review` is the digest of what waits
    for a person, or was reviewed by one, and `look` says what that is. `rated`: not it but the pass
    rate of its group blocks; `None` where the report doesn't say.
    """

    id: str
    suite: str
    case: str
    label: str
    turn: int | None
    name: str
    kind: str
    agent: str | None
    outcome: str
    score: float | None
    threshold: float | None
    reason: str
    severity: str
    weight: float
    type: str | None
    must_pass: bool
    gating: bool
    skip: str | None
    location: ReportLocation
    definition: str
    carried: bool
    cached: bool
    flaky: bool
    stale: bool
    replayed: bool
    runs: tuple[ReportRun, ...]
    usage: ReportUsage
    duration_s: float
    error: ReportError | None
    quotes: bool = True
    measured: Measured | None = None
    notices: tuple[str, ...] = ()
    review: str | None = None
    look: str = ""
    rated: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSuite:
    """One suite, affected or not."""

    path: str
    kind: str
    affected: bool
    reason: str
    problems: tuple[ReportProblem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportJudge:
    """Who judged."""

    provider: str
    model: str | None
    parameters: JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportCommand:
    """The words after `mergebar run` that ask for the same again, each as it is, not quoted.

    `folder` is the working directory from the top of the repository, empty at the top; `paths`
    are relative to it.
    """

    folder: str = ""
    options: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRunInfo:
    """The run as a whole. Times are RFC 3339 in UTC; `id` and `attempt` are GitHub's, or `None`.

    `filtered`: it was asked for less than everything, so that what isn't in it proves nothing.
    `deployed` are the agents that are measured as they stand at their address.
    """

    id: str | None
    attempt: int | None
    started_at: str
    finished_at: str
    event: str | None
    commit: str | None
    head_commit: str | None
    base_commit: str | None
    trusted: bool
    complete: bool
    policy: str
    config_digest: str
    judge: ReportJudge | None
    mode: str
    scope: str
    filtered: bool = False
    command: ReportCommand = field(default_factory=ReportCommand)
    deployed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Counts over all checks; `carried` overlaps the outcomes. No rate where nothing is graded."""

    checks: int
    passed: int
    failed: int
    errors: int
    needs_review: int
    skipped: int
    carried: int
    pass_rate: float | None
    base_pass_rate: float | None


NO_CHECKS = Totals(
    checks=0,
    passed=0,
    failed=0,
    errors=0,
    needs_review=0,
    skipped=0,
    carried=0,
    pass_rate=None,
    base_pass_rate=None,
)
"""Where nothing was planned."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportCalls:
    """What the whole run called and used."""

    agent_calls: int
    judge_calls: int
    cache_hits: int
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The whole report; `comparison` is `None` until a baseline was compared with.

    `problems` are those of no suite: of the configuration, or of a glob that matches nothing.
    """

    mergebar_version: str
    run: ReportRunInfo
    decision: Decision
    totals: Totals
    suites: tuple[ReportSuite, ...]
    checks: tuple[ReportCheck, ...]
    comparison: Comparison | None
    usage: ReportCalls
    warnings: tuple[ReportWarning, ...] = field(default=())
    problems: tuple[ReportProblem, ...] = field(default=())
