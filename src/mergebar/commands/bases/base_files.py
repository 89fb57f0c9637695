"""The base of a change in; its files out: from git, else from GitHub."""

from collections.abc import Callable
from dataclasses import dataclass

from mergebar import plugins, reviews
from mergebar.commands.bases.policies import BaseFile, Unread
from mergebar.commands.workspace import Place
from mergebar.model.problems import Problem, is_invalid
from mergebar.reviews import Review

_LIMIT = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """What people decided, as far as it counts here."""

    reviews: tuple[Review, ...] = ()
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """`commit` is `None` where no base is known."""

    commit: str | None
    file: BaseFile

    @property
    def read(self) -> Callable[[str], bytes | None] | None:
        """Reads a file of the base: `None` for one that it doesn't have, or that can't be had."""
        commit = self.commit
        if commit is None:
            return None

        def one(path: str) -> bytes | None:
            data = self.file(commit, path)
            return data if isinstance(data, bytes) else None

        return one

    def has(self, path: str) -> bool:
        """Whether the base is known to have a file."""
        data = self.file(self.commit, path) if self.commit is not None else None
        return data is not None and not isinstance(data, Unread)


def verdicts(place: Place, base: Base, *, trusted: bool) -> Verdicts:
    """The verdicts of this tree; on an untrusted event only those that the base has too."""
    path = place.reported(reviews.FILE)
    if not (place.cwd / reviews.FILE).exists():
        return Verdicts()
    data = place.read(path, rule="config/unreadable", limit=_LIMIT)
    if isinstance(data, Problem):
        return Verdicts(problems=(data,))
    here = reviews.parse(data, path=path, explain=plugins.explain)
    before = base.read(path) if base.read is not None else None
    known = () if before is None else _parsed(before, path)
    counting = reviews.counting(here.reviews, base=known, trusted=trusted)
    ignored = reviews.uncounted(here.reviews, counting)
    return Verdicts(reviews=counting, problems=(*here.problems, *ignored))


def _parsed(data: bytes, path: str) -> tuple[Review, ...]:
    parsed = reviews.parse(data, path=path, explain=plugins.explain)
    return () if is_invalid(parsed.problems) else parsed.reviews
