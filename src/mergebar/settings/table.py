"""The inputs and outputs of the action as data: names, defaults, meanings, and how each is read.

This is the one table: action.yml and the reference page are compared with it by a test.
"""

from dataclasses import dataclass
from enum import StrEnum

from mergebar.model.changes import Scope as Scope
from mergebar.model.publishing import CommentMode


class Mode(StrEnum):
    """What the action is asked to do."""

    AUTO = "auto"
    RUN = "run"
    CHECK = "check"
    PUBLISH = "publish"


class Kind(StrEnum):
    """How the text of an input is read."""

    TEXT = "text"
    PATH = "path"
    PATHS = "paths"
    FOLDER = "folder"
    CHOICE = "choice"
    FLAG = "flag"
    DAYS = "days"
    SECRET = "secret"  # noqa: S105 - not a password
    KEY = "key"


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """One input. An empty `default` means unset; `choices` only for `Kind.CHOICE`."""

    name: str
    meaning: str
    kind: Kind = Kind.TEXT
    default: str = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """One output of the action's step."""

    name: str
    meaning: str


INPUTS = (
    Input(name="config", kind=Kind.PATH, meaning="path of mergebar.yml"),
    Input(
        name="mode",
        kind=Kind.CHOICE,
        default="auto",
        choices=tuple(Mode),
        meaning="`run`, `check` or `publish`; `auto`: `publish` on `workflow_run`, else `run`",
    ),
    Input(
        name="scope",
        kind=Kind.CHOICE,
        default="auto",
        choices=tuple(Scope),
        meaning="`affected` or `all`; `auto`: what the event calls for",
    ),
    Input(name="paths", kind=Kind.PATHS, meaning="only these suites, one path per line"),
    Input(name="agent", meaning="only the suites of this agent"),
    Input(name="base", meaning="ref or sha to compare with, when the event names none"),
    Input(
        name="github-token",
        kind=Kind.SECRET,
        default="${{ github.token }}",
        meaning="token for the comment, the check run and the baseline",
    ),
    Input(
        name="check-name",
        kind=Kind.KEY,
        default="mergebar",
        meaning="name of this gate: one for each gate that a repository runs",
    ),
    Input(
        name="check-run",
        kind=Kind.FLAG,
        default="true",
        meaning="whether to add a check run with annotations",
    ),
    Input(
        name="comment",
        kind=Kind.CHOICE,
        choices=tuple(CommentMode),
        meaning="`always`, `changes`, `failures` or `never`; unset: what the config says",
    ),
    Input(
        name="upload-artifact",
        kind=Kind.FLAG,
        default="true",
        meaning="whether to upload the report as an artifact",
    ),
    Input(
        name="retention-days",
        kind=Kind.DAYS,
        meaning="days to keep the artifact; unset: what the repository says",
    ),
    Input(
        name="require-publish",
        kind=Kind.FLAG,
        default="false",
        meaning="whether a failed publish fails the job (exit code 5)",
    ),
    Input(
        name="working-directory",
        kind=Kind.FOLDER,
        default=".",
        meaning="folder to work in, relative to the workspace",
    ),
)

OUTPUTS = (
    Output(
        name="decision",
        meaning="`passed`, `failed`, `needs-review`, `could-not-evaluate` or `invalid`",
    ),
    Output(
        name="exit-code",
        meaning="exit code that `enforce` gives; 5 if publishing failed, 130 if it was interrupted",
    ),
    Output(name="pass-rate", meaning="weighted pass rate, 0 to 1; empty when nothing is graded"),
    Output(name="base-pass-rate", meaning="the same for the baseline; empty without one"),
    Output(name="checks", meaning="number of checks in the report"),
    Output(name="failed", meaning="number of checks that failed"),
    Output(name="regressed", meaning="number of checks that pass in the baseline and fail here"),
    Output(
        name="errors",
        meaning=(
            "number of checks that ended in an error; what was withheld is not measured either, "
            "and not counted here"
        ),
    ),
    Output(name="needs-review", meaning="number of checks that wait for a person"),
    Output(name="report-path", meaning="path of report.json, relative to the workspace"),
    Output(name="artifact-id", meaning="id of the uploaded artifact; empty without one"),
    Output(name="artifact-url", meaning="address of the uploaded artifact; empty without one"),
    Output(name="comment-url", meaning="address of the comment; empty without one"),
    Output(name="check-run-url", meaning="address of the check run; empty without one"),
)
