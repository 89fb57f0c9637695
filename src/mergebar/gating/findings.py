"""What a rule of the gate returns: sentences about checks."""

from collections.abc import Iterable
from dataclasses import dataclass

from mergebar.model.results import CheckResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A sentence, and the checks that it is about, by id and sorted."""

    message: str
    checks: tuple[str, ...] = ()


def about(results: Iterable[CheckResult], message: str) -> Finding:
    """A finding about these checks; the order in which they come doesn't matter."""
    return Finding(message=message, checks=tuple(sorted(result.check.id for result in results)))
