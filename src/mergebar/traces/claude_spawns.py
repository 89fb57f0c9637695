"""Sub-agents that were started in, the branch of each of their records in the same file out."""

from mergebar.model.text import JsonObject
from mergebar.traces import prompts
from mergebar.traces.building import Building, OpenSpawn
from mergebar.traces.claude_content import flat


class Spawns:
    """Those whose events may still come, by the record of their call and by their brief."""

    def __init__(self, building: Building) -> None:
        self._building = building
        self._branch_of: dict[int, int] = {}
        self._by_record: dict[int, list[OpenSpawn]] = {}
        self._by_brief: dict[int, list[OpenSpawn]] = {}

    def add(self, spawn: OpenSpawn, record: int) -> None:
        """One that has no file of its own."""
        self._by_record.setdefault(record, []).append(spawn)
        self._by_brief.setdefault(spawn.brief, []).append(spawn)

    def branch(self, record: JsonObject, own: int, before: int) -> int:
        """The branch of a record; the first one of a sub-agent opens it."""
        number = self._branch_of.get(before)
        if number is None or self._is_brief(record, before):
            number = self._building.open_branch(self._spawn_for(record, before), source=0)
        self._branch_of[own] = number
        return number

    def _is_brief(self, record: JsonObject, before: int) -> bool:
        """Whether a sub-agent starts another one here, which goes on from its very record."""
        here = self._by_record.get(before)
        if not here or record.get("type") != "user":
            return False
        told = brief(record)
        return any(spawn.child is None and spawn.brief == told for spawn in here)

    def _spawn_for(self, record: JsonObject, before: int) -> OpenSpawn | None:
        """The call that started a branch: by the record that holds it, by its brief, by both."""
        brief_ = brief(record)
        here = [spawn for spawn in self._by_record.get(before, ()) if spawn.child is None]
        told = [spawn for spawn in self._by_brief.get(brief_, ()) if spawn.child is None]
        both = [spawn for spawn in here if spawn.brief == brief_]
        return next(iter(both or here or told), None)


def brief(record: JsonObject) -> int:
    """A hash of what a sub-agent is told, comparable with that of a call."""
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return hash(prompts.stripped(flat(content)).strip())
