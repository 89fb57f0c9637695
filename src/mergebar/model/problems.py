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


def together(of_text: Iterable[Problem], of_content: Iterable[Problem]) -> tuple[Problem, ...]:
    """What is wrong with how a file is written and with what it says, in the order of the file.

    At a place that can't be read as it is written, nothing is said of what it says.
    """
    written = tuple(of_text)
    unread = {(one.line, one.column) for one in written if one.level is Level.ERROR}
    rest = (one for one in of_content if (one.line, one.column) not in unread)
    return tuple(sorted((*written, *rest), key=lambda one: (one.line or 0, one.column or 0)))
