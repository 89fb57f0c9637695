"""What is posted to GitHub, and what became of it: drawn by `report`, sent by `edge`."""

from dataclasses import dataclass
from enum import StrEnum

from mergebar.model.configuration import CommentMode as CommentMode


class AnnotationLevel(StrEnum):
    """How loudly an annotation is shown."""

    FAILURE = "failure"
    WARNING = "warning"
    NOTICE = "notice"


class Conclusion(StrEnum):
    """How a check run ends."""

    SUCCESS = "success"
    FAILURE = "failure"
    NEUTRAL = "neutral"
    CANCELLED = "cancelled"
    ACTION_REQUIRED = "action_required"


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """A remark on lines of a file: `path` is repository-relative, lines and columns count from 1.

    Columns are for one line only. GitHub takes 64 KiB of `message` and of `raw_details`, and 255
    characters of `title`.
    """

    path: str
    start_line: int
    end_line: int
    level: AnnotationLevel
    message: str
    title: str = ""
    raw_details: str = ""
    start_column: int | None = None
    end_column: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRunOutput:
    """What a check run shows. `summary` is Markdown, at most 65,535 bytes; annotations in order."""

    title: str
    summary: str
    annotations: tuple[Annotation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRun:
    """A check run that exists. `author` is the login of whoever the token speaks for."""

    id: int
    name: str
    head_sha: str
    url: str
    author: str | None = None


class TroubleKind(StrEnum):
    """What went wrong between us and GitHub; what it is about matters to the caller, not why."""

    PERMISSION = "permission"
    RATE_LIMITED = "rate-limited"
    UNAVAILABLE = "unavailable"
    NOT_FOUND = "not-found"
    GONE = "gone"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class GitHubTrouble:
    """Why GitHub didn't do it, as a sentence to print.

    `permission` is the line that the workflow's `permissions:` lack, e.g. `checks: write`.
    """

    kind: TroubleKind
    message: str
    permission: str | None = None


class PublishState(StrEnum):
    """What became of something to be posted.

    `older`: a newer run has already written there, or the pull request has newer commits.
    `skipped`: it was not asked for. `refused`: there is trouble to tell.
    """

    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    OLDER = "older"
    SKIPPED = "skipped"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishOutcome:
    """What became of it, where it is, and what went wrong; a part may be there despite trouble."""

    state: PublishState
    url: str | None = None
    trouble: GitHubTrouble | None = None


def refused(trouble: GitHubTrouble) -> PublishOutcome:
    """Nothing was posted."""
    return PublishOutcome(state=PublishState.REFUSED, trouble=trouble)
