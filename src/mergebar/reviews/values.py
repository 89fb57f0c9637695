"""A person's verdict on something that waited for one."""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from mergebar.model.configuration import REVIEWS
from mergebar.model.problems import Location

FILE = REVIEWS

Key: TypeAlias = tuple[str, str, str]


class Judgement(StrEnum):
    """What the reviewer decided."""

    PASS = "pass"  # noqa: S105 - not a password
    FAIL = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """One entry. `digest` is of what was reviewed: for anything else it says nothing."""

    suite: str
    eval: str
    session: str
    digest: str
    verdict: Judgement
    by: str
    note: str = ""
    location: Location

    @property
    def key(self) -> Key:
        """What it is about."""
        return (self.suite, self.eval, self.session)
