"""Records of what was on offer in, a roster out: who could be used from when to when.

Three kinds of records say it, each in its own way (spec, §2.4).
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from mergebar.model.sessions import Offer, Offered, Roster
from mergebar.model.text import Json, JsonObject

_LONGEST = 500
_LONGEST_NAME = 256
_MOST = 20_000
_MOST_COLONS = 6
_INIT = (
    (Offered.SKILL, "skills"),
    (Offered.AGENT, "agents"),
    (Offered.COMMAND, "slash_commands"),
    (Offered.TOOL, "tools"),
    (Offered.SERVER, "mcp_servers"),
)


@dataclass(slots=True)
class Listing:
    """Collects offers, each from the event on at which it was made."""

    recorded: set[Offered] = field(default_factory=set)
    standing: dict[tuple[Offered, str], Offer] = field(default_factory=dict)
    withdrawn: list[Offer] = field(default_factory=list)

    def attachment(self, value: JsonObject, at: int, *, main: bool) -> None:
        """A listing in a Claude session; of a sub-agent's only the names are taken."""
        kind = value.get("type")
        if kind == "skill_listing":
            names = _names(value.get("names"))
            told = _descriptions(_text(value.get("content")).splitlines(), names)
            self._list(Offered.SKILL, value, names, told, at, main=main)
        elif kind == "agent_listing_delta":
            names = _names(value.get("addedTypes"))
            told = _descriptions(_names(value.get("addedLines")), names)
            self._list(Offered.AGENT, value, names, told, at, main=main)
            self._withdraw(Offered.AGENT, _names(value.get("removedTypes")), at, main=main)
        elif kind == "deferred_tools_delta":
            # Tools that are always there aren't listed here, so the kind isn't "recorded".
            for key in ("addedNames", "readdedNames"):
                self._offer(Offered.TOOL, _names(value.get(key)), {}, at)
            self._withdraw(Offered.TOOL, _names(value.get("removedNames")), at, main=main)

    def init(self, record: JsonObject, at: int) -> None:
        """The first record of stream-json, which lists everything."""
        for kind, key in _INIT:
            if isinstance(record.get(key), list):
                self.recorded.add(kind)
                self._offer(kind, _names(record[key]), {}, at)

    def roster(self) -> Roster:
        """All of it, in order of appearance."""
        offers = sorted([*self.withdrawn, *self.standing.values()], key=lambda offer: offer.since)
        return Roster(recorded=frozenset(self.recorded), offers=tuple(offers))

    def _list(
        self,
        kind: Offered,
        value: JsonObject,
        names: list[str],
        told: dict[str, str],
        at: int,
        *,
        main: bool,
    ) -> None:
        if main:
            self.recorded.add(kind)
            if value.get("isInitial"):
                gone = [name for of, name in self.standing if of is kind and name not in names]
                self._withdraw(kind, gone, at, main=True)
        self._offer(kind, names, told, at)

    def _offer(self, kind: Offered, names: Iterable[str], told: dict[str, str], at: int) -> None:
        for name in names:
            key = (kind, name)
            if key not in self.standing and len(self.standing) < _MOST:
                self.standing[key] = Offer(
                    kind=kind, name=name, since=at, description=told.get(name)
                )

    def _withdraw(self, kind: Offered, names: Iterable[str], at: int, *, main: bool) -> None:
        for name in names:
            offer = self.standing.pop((kind, name), None) if main else None
            if offer is not None and len(self.withdrawn) < _MOST:
                self.withdrawn.append(replace(offer, until=at))


def _names(value: Json) -> list[str]:
    """Names as texts, or as objects that have one."""
    entries = value if isinstance(value, list) else []
    named = (entry.get("name") if isinstance(entry, dict) else entry for entry in entries)
    return [name[:_LONGEST_NAME] for name in named if isinstance(name, str)]


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def _descriptions(lines: list[str], names: list[str]) -> dict[str, str]:
    """What a listing says of each name. A line that begins no entry belongs to the one above."""
    told: dict[str, str] = {}
    current: str | None = None
    known = frozenset(names)
    for line in lines:
        name = _entry(line, known)
        if name is not None:
            current = name
            told[name] = line[len(name) + 3 :].strip()
        elif current is not None and len(told[current]) < _LONGEST:
            told[current] = f"{told[current]} {line.strip()}".strip()
    return {name: text[:_LONGEST] for name, text in told.items() if text}


def _entry(line: str, known: frozenset[str]) -> str | None:
    """The name that a line begins with; the longest, as names may hold colons."""
    if not line.startswith("- "):
        return None
    words = line[2:].split(":", _MOST_COLONS)
    starts = (":".join(words[:count]) for count in range(len(words), 0, -1))
    return next((start for start in starts if start in known), None)
