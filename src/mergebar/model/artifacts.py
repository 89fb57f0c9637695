"""An instruction artifact, resolved: what it is, what may call it, and the evals it declares."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from mergebar.model.documents import Severity
from mergebar.model.problems import Location, Problem
from mergebar.model.text import JsonObject


class ArtifactType(StrEnum):
    """What a host makes of a file."""

    SKILL = "skill"
    AGENT = "agent"
    SLASH_COMMAND = "slash-command"
    PROJECT_RULES = "project-rules"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """When scoped rules are in force: `always`, or once a path that a glob matches is touched.

    Neither: only when somebody asks for them.
    """

    always: bool
    globs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """What a path says about an artifact.

    `host` is the folder's owner (`claude`, `github`, …), or empty where several read it.
    `references` are the names by which a session may call it, the most exact first; rules have
    none. `scoped`: the host applies them to some files only.
    """

    type: ArtifactType
    name: str
    host: str = ""
    references: tuple[str, ...] = ()
    scoped: bool = False


class EvalType(StrEnum):
    """What an eval is for. Reported, never enforced."""

    CAPABILITY = "capability"
    REGRESSION = "regression"


class TargetSource(StrEnum):
    """What of a session a grader is given."""

    TRANSCRIPT = "transcript"
    LAST_MESSAGE = "last-message"
    FILES = "files"
    ARTIFACT = "artifact"
    FILE = "file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What a grader is given; `path` for a file only."""

    source: TargetSource = TargetSource.TRANSCRIPT
    path: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeWish:
    """Who shall judge an `ai` eval, and how often; `None` is unsaid."""

    provider: str | None = None
    model: str | None = None
    runs: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandSpec:
    """What a `command` eval runs; `argv` is empty while nobody has written the command.

    `assertion_hash` is bare lowercase hex where it is a sha256, else as written.
    """

    argv: tuple[str, ...] = ()
    success_exit_codes: tuple[int, ...] = (0,)
    timeout_s: float = 30.0
    assertion_hash: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Examples:
    """What passes and what fails, for the judge."""

    passing: tuple[str, ...] = ()
    failing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredEval:
    """One eval of an artifact.

    `key` is the id, else a hash of the assertion; `name` is what people call it: the id, else
    `eval-<n>` by position. `options` are the grader's, less `when`. `severity` and `weight` are
    `None` where the author said nothing. `provenance` names the models that wrote it and whose
    work nobody has reviewed. `definition` is a digest of what is measured: severity, weight, type
    and `skip` are no part of it. `question` is the same less the options. `fault` says why the
    grader can't run although the declaration is valid.
    """

    key: str
    name: str
    id: str | None
    assertion: str | None
    grader: str
    location: Location
    definition: str
    options: JsonObject = field(default_factory=dict)
    when: JsonObject = field(default_factory=dict)
    severity: Severity | None = None
    weight: float | None = None
    type: EvalType = EvalType.REGRESSION
    skip: bool = False
    judge: JudgeWish = field(default_factory=JudgeWish)
    command: CommandSpec | None = None
    severity_map: Mapping[str, Severity] = field(default_factory=dict)
    evidence: str | None = None
    target: Target = field(default_factory=Target)
    examples: Examples = field(default_factory=Examples)
    provenance: tuple[str, ...] = ()
    fault: str | None = None
    question: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """One instruction file. `evals` is empty where none are declared, or a declaration is wrong.

    `is_suite`: it declares evals, or seems to and can't be read. `skip` is `eval-skip`.
    `body_digest` covers all but the declarations. `sidecars` are the files that declare for it,
    repository-relative.
    """

    path: str
    identity: Identity
    evals: tuple[DeclaredEval, ...]
    is_suite: bool
    body_digest: str
    problems: tuple[Problem, ...]
    skip: bool = False
    scope: Scope | None = None
    sidecars: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What people call it."""
        return self.identity.name
