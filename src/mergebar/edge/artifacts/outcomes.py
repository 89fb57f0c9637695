"""What became of an artifact, as values: it is there, or what stood in the way of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from mergebar.calling.troubles import Trouble
from mergebar.model.conversations import ErrorClass
from mergebar.model.problems import Level


class TroubleKind(StrEnum):
    """Why there is no artifact. Nothing of this changes a verdict."""

    ABSENT = "absent"
    """This process was not given the service: no action's step, or no runner at all."""
    UNSUPPORTED = "unsupported"
    """The server has no such service (GitHub Enterprise Server)."""
    CREDENTIALS = "credentials"
    """What the runner handed over can't be used."""
    NAME = "name"
    CONTENT = "content"
    """The files can't be packed, or an archive holds what it must not."""
    CONFLICT = "conflict"
    """This run has an artifact of that name."""
    QUOTA = "quota"
    REFUSED = "refused"
    """The service understood, and said no."""
    GONE = "gone"
    """The artifact expired, was deleted, or never was."""
    UNAVAILABLE = "unavailable"
    TIMEOUT = "timeout"
    BAD_RESPONSE = "bad-response"


_NOTICES = {TroubleKind.ABSENT, TroubleKind.UNSUPPORTED}
_KINDS: Mapping[ErrorClass, TroubleKind] = {
    ErrorClass.TIMEOUT: TroubleKind.TIMEOUT,
    ErrorClass.BAD_RESPONSE: TroubleKind.BAD_RESPONSE,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactTrouble:
    """A whole sentence without its full stop, free of secrets."""

    kind: TroubleKind
    message: str

    @property
    def level(self) -> Level:
        """How loudly to say it: where there is no service, nothing went wrong."""
        return Level.NOTICE if self.kind in _NOTICES else Level.WARNING


@dataclass(frozen=True, slots=True, kw_only=True)
class Uploaded:
    """An artifact that is there. `digest` is `sha256:` and hexadecimal digits, as the API has it.

    `url` is its page, for people who are logged in. `days` is how long it is kept; `None` leaves
    that to the repository.
    """

    id: int
    url: str | None
    digest: str
    size: int
    days: int | None = None


Ending: TypeAlias = Callable[[TroubleKind, str], ArtifactTrouble]
"""How a story ends: a kind and a sentence, which says whose fault it was, in; the trouble out."""


def not_uploaded(kind: TroubleKind, why: str) -> ArtifactTrouble:
    """The end of an upload."""
    return ArtifactTrouble(kind=kind, message=f"the report was not uploaded as an artifact: {why}")


def not_read(kind: TroubleKind, why: str) -> ArtifactTrouble:
    """The end of a download."""
    return ArtifactTrouble(kind=kind, message=f"the artifact was not read: {why}")


def given_up(trouble: Trouble, *, ending: Ending = not_uploaded) -> ArtifactTrouble:
    """The end after the last try."""
    kind = _KINDS.get(trouble.failure.error_class, TroubleKind.UNAVAILABLE)
    return ending(kind, trouble.failure.message)
