"""What would run, what not, and why."""

from dataclasses import dataclass
from enum import StrEnum

from mergebar.model.artifacts import Artifact, DeclaredEval
from mergebar.model.definitions import Measured
from mergebar.model.documents import Case, Document, EvaluatorUse, Severity
from mergebar.model.problems import Location, Problem
from mergebar.model.scenarios import Scenario


class SuiteKind(StrEnum):
    """What kind of file a suite is."""

    DOCUMENT = "document"
    ARTIFACT = "artifact"


class CheckKind(StrEnum):
    """Who scores a check: an evaluator on a turn, or a grader on a session."""

    EVALUATOR = "evaluator"
    GRADER = "grader"


class Skip(StrEnum):
    """Why a check did not run: its author's wish, or something missing."""

    DECLINED = "declined"
    WITHHELD = "withheld"


NO_JUDGE = "declined by `--no-judge`"
"""The reason of what an option declined, and no author."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Withholding:
    """A check that can't be measured here, and the sentence that says what is missing."""

    kind: Skip
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCheck:
    """One check to measure. `id` is `<suite>::<case>[::<turn>]::<name>`.

    `definition` is a digest of what is measured: equal digests mean the same question under the
    same evaluator, options and threshold. `group` is the index of the config's document group.
    With `skip`, this check isn't measured although its case may be put. `declared` is the eval of a
    grader's check, and `label` what people call it. `stale`: its session is older than the text.
    `cause` says as a clause why it is affected, and is empty for one that isn't.
    """

    id: str
    suite: str
    case: str
    turn: int | None
    name: str
    kind: CheckKind
    agent: str | None
    evaluator: EvaluatorUse
    severity: Severity
    weight: float
    must_pass: bool
    gating: bool
    group: int | None
    definition: str
    location: Location
    tags: tuple[str, ...] = ()
    skip: Withholding | None = None
    measured: Measured | None = None
    declared: DeclaredEval | None = None
    label: str | None = None
    stale: bool = False
    cause: str = ""

    @property
    def threshold(self) -> float | None:
        """The score that it takes to pass; `None` where it is fixed."""
        return self.evaluator.threshold


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCase:
    """One case to put to the agent `runs` times, and the checks that its answers get.

    With `skip`, nothing is asked, and every check is recorded as skipped with its reason.
    `scenario` is the session of an artifact's case.
    """

    suite: str
    case: Case
    agent: str | None
    runs: int
    checks: tuple[PlannedCheck, ...]
    skip: Withholding | None = None
    scenario: Scenario | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedSuite:
    """One suite. `reason` says in one line why it is affected or not.

    `cases` holds what runs: it is empty for a suite that is unaffected or has errors among its
    problems. `whole` has every case with every check, affected or not, where there is a baseline
    that unaffected ones may be carried from.
    """

    path: str
    kind: SuiteKind
    affected: bool
    reason: str
    problems: tuple[Problem, ...]
    document: Document | None
    cases: tuple[PlannedCase, ...]
    artifact: Artifact | None = None
    whole: tuple[PlannedCase, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """How many calls the plan takes, if nothing has to be asked twice."""

    agent_calls: int
    judge_calls: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All suites in path order; the order of checks in it is the order of every report.

    `problems` are those of no suite; an error among them makes the run invalid. `removed` are the
    paths of suites that the change deletes.
    """

    suites: tuple[PlannedSuite, ...]
    estimate: Estimate
    problems: tuple[Problem, ...] = ()
    removed: tuple[str, ...] = ()

    @property
    def cases(self) -> tuple[PlannedCase, ...]:
        """The planned cases of all suites, in order."""
        return tuple(case for suite in self.suites for case in suite.cases)
