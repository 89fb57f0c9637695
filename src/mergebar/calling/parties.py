"""Who is called, as messages name it: the judge or an agent, and the keys of its entry."""

from collections.abc import Iterable
from dataclasses import dataclass

from mergebar.model.conversations import ErrorClass, Failure
from mergebar.model.problems import EntryFault, Level


@dataclass(frozen=True, slots=True, kw_only=True)
class Party:
    """`name` begins a sentence in its middle: "the judge". `entry` is where it is configured.

    `standing_in` is the address that is called where the entry gives none; `keyless`: it gives no
    key either.
    """

    name: str
    entry: str
    url: str = "base_url"
    secret: str = "api_key"  # noqa: S105 - the name of a key
    standing_in: str = ""
    keyless: bool = False

    def key(self, name: str) -> str:
        """A key of the entry, as code."""
        return f"`{self.entry}.{name}`"

    def unfit(self, faults: Iterable[EntryFault]) -> Failure | None:
        """The first thing that keeps every call from being made; `None` where nothing does."""
        for fault in faults:
            if fault.level is Level.ERROR:
                place = self.key(".".join(map(str, fault.key)))
                return Failure(error_class=ErrorClass.CONFIG, message=f"{place} {fault.message}")
        return None

    @property
    def url_key(self) -> str:
        """The key that holds its address, or that would."""
        if not self.standing_in:
            return self.key(self.url)
        return f"{self.key(self.url)} (not set: `{self.standing_in}`)"

    @property
    def secret_key(self) -> str:
        """The key that holds what lets us in."""
        return self.key(self.secret)


def judge(*, url: str = "base_url", secret: str = "api_key") -> Party:  # noqa: S107 - a key's name
    """The judge."""
    return Party(name="the judge", entry="judge", url=url, secret=secret)


def agent(name: str, *, url: str = "base_url", secret: str = "api_key") -> Party:  # noqa: S107
    """An agent by its name."""
    return Party(name=f"agent `{name}`", entry=f"agents.{name}", url=url, secret=secret)
