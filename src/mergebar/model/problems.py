"""What is wrong with a file, and where."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How loudly a problem is said; an error makes its suite invalid."""

    ERROR = "error"
    WARNING = "warning"
    NOTICE = "notice"


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """A place in a file: `path` is repository-relative, `line` and `column` count from 1."""

    path: str
    line: int | None = None
    column: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One finding. `rule` is `schema/…`, `document/…`, `artifact/…` or `config/…`.

    `message` says what is wrong, why, and what to do; the place is not repeated in it.
    """

    level: Level
    rule: str
    message: str
    path: str | None = None
    line: int | None = None
    column: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryFault:
    """What is wrong with an agent's or the judge's entry: below `key` of it, as a clause after it.

    `message` follows the name of the key: "must be a URL …".
    """

    key: tuple[str | int, ...]
    message: str
    level: Level = Level.ERROR


def is_invalid(problems: Iterable[Problem]) -> bool:
    """Whether any of the problems is an error."""
    return any(problem.level is Level.ERROR for problem in problems)
