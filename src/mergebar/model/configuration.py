"""mergebar.yml, resolved: every value present, every unit in the name, nothing interpolated yet."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from mergebar.model.documents import Severity
from mergebar.model.problems import Location
from mergebar.model.text import JsonObject

REVIEWS = "mergebar.reviews.yml"
"""Where people's verdicts are, in the working directory."""


class Mode(StrEnum):
    """Whether the gate blocks or only says what it would do."""

    ENFORCE = "enforce"
    ADVISE = "advise"


class Responses(StrEnum):
    """Where answers, and what quotes them, may go."""

    NONE = "none"
    ARTIFACT = "artifact"
    EVERYWHERE = "everywhere"


class CommentMode(StrEnum):
    """When a pull request gets a comment; one that is there is updated in all modes but `NEVER`."""

    ALWAYS = "always"
    CHANGES = "changes"
    FAILURES = "failures"
    NEVER = "never"


DEPLOYED = frozenset({"http", "a2a", "directline"})
"""Types of agents that are what stands at their address, whatever the checkout holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentConfig:
    """One entry of `agents`. `options` are the keys of its type, `${NAME}` still in them.

    `sources` are globs relative to the working directory; `None` only for `replay`. `places` is
    where its keys stand, by how messages name them, and `needs` names the key of each variable.
    """

    name: str
    type: str
    sources: tuple[str, ...] | None
    concurrency: int
    timeout_s: float
    attempts: int
    output_limit: int
    cache: bool
    options: JsonObject
    location: Location
    places: Mapping[str, Location] = field(default_factory=dict, compare=False)
    needs: Mapping[str, str] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeConfig:
    """The judge. `runs` are votes per document check; the rest as for an agent."""

    type: str
    model: str | None
    runs: int
    confirm_failures: int
    concurrency: int
    timeout_s: float
    attempts: int
    options: JsonObject
    location: Location
    places: Mapping[str, Location] = field(default_factory=dict, compare=False)
    needs: Mapping[str, str] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentGroup:
    """One entry of `documents`. A group with `min_pass_rate` (0 to 1) is rated.

    `places` is where its keys stand, by how messages name them.
    `implied`: nobody configured it. It holds the default places, where a glob may match nothing
    and a JSON file may be no eval document.
    """

    paths: tuple[str, ...]
    agent: str | None
    runs: int
    min_pass_rate: float | None
    location: Location
    implied: bool = False
    places: Mapping[str, Location] = field(default_factory=dict, compare=False)


class Stale(StrEnum):
    """What becomes of checks on a session that is older than the artifact's text."""

    BLOCK = "block"
    WARN = "warn"


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionsConfig:
    """Sessions to run now. `{prompt}` and `{workdir}` are replaced in each part of `command`."""

    command: tuple[str, ...]
    prompts: tuple[str, ...]
    env: tuple[str, ...]
    timeout_s: float
    concurrency: int
    location: Location


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactGroup:
    """One entry of `artifacts`. `traces` are globs of recorded sessions; `places` as for documents.

    `implied`: nobody configured it. It stands for the places where hosts look for artifacts.
    """

    paths: tuple[str, ...]
    sources: tuple[str, ...]
    traces: tuple[str, ...]
    stale: Stale
    sessions: SessionsConfig | None
    location: Location
    implied: bool = False
    places: Mapping[str, Location] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """What a rule applies to: every key that is set must match. `path` and `id` are globs."""

    path: str | None = None
    kind: str | None = None
    evaluator: str | None = None
    grader: str | None = None
    agent: str | None = None
    tag: str | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Severity, weight and `must_pass` for the checks that match; the last matching rule wins.

    `enforce` overrides what the file itself says.
    """

    match: Match
    severity: Severity | None
    weight: float | None
    must_pass: bool
    enforce: bool
    location: Location


@dataclass(frozen=True, slots=True, kw_only=True)
class GatePolicy:
    """What blocks (product contract, section 8). Rates are 0 to 1."""

    mode: Mode = Mode.ENFORCE
    severity: Severity = Severity.ERROR
    known_failures_block: bool = True
    new_failures_block: bool = True
    reviews_block: bool = True
    unmeasured: float = 0.0
    loosened_review: bool = False
    max_drop: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetConfig:
    """The most that a run may take; `minutes` are those of the measuring."""

    agent_calls: int = 2000
    judge_calls: int = 5000
    minutes: float = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheConfig:
    """Where answers are kept: a path relative to the working directory. `max_size` in bytes."""

    path: str = ".mergebar/cache"
    max_size: int = 500_000_000


class BaselineSource(StrEnum):
    """Where the report of the base comes from."""

    AUTO = "auto"
    ARTIFACT = "artifact"
    FILE = "file"
    RUN = "run"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineConfig:
    """What to compare with. `path` is a committed report, relative to the working directory."""

    source: BaselineSource = BaselineSource.AUTO
    path: str = ".mergebar-baseline.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """A whole configuration. `path` is `None` where there is no file and the defaults rule.

    `digest` is a sha256 over the parsed content: a comment or the order of keys doesn't change it.
    `responses_said`: `responses` was configured, and so holds for a public repository too.
    """

    path: str | None
    digest: str
    agents: tuple[AgentConfig, ...] = ()
    judge: JudgeConfig | None = None
    documents: tuple[DocumentGroup, ...] = ()
    artifacts: tuple[ArtifactGroup, ...] = ()
    rules: tuple[Rule, ...] = ()
    gate: GatePolicy = field(default_factory=GatePolicy)
    responses: Responses = Responses.ARTIFACT
    comment: CommentMode = CommentMode.ALWAYS
    repository_code: bool = True
    responses_said: bool = False
    budget: BudgetConfig = field(default_factory=BudgetConfig)
    cache: CacheConfig = field(default_factory=CacheConfig)
    baseline: BaselineConfig = field(default_factory=BaselineConfig)
