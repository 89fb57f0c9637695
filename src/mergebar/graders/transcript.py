"""An artifact's part of a session in, what a judge reads of it out: redacted, then cut.

Results of tools aren't in it, but for the beginning of those that failed. Hidden characters are
spelled out. Only our own lines begin at the margin: what goes on over several lines is marked.
"""

import json
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from mergebar.graders import framing, views
from mergebar.model.gradings import Seen
from mergebar.model.sessions import MAIN, EventKind, ToolCall
from mergebar.reading.sentences import counted
from mergebar.sessions.invocations import WITHOUT_EFFECT
from mergebar.untrusted import characters

Redact = Callable[[str], str]

_SPEAKERS = {EventKind.USER: "user", EventKind.ASSISTANT: "agent"}
_GOES_ON = "\n  | "
_PLAIN = re.compile(r"[\w.:/@+-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """The most characters of each part."""

    message: int = 2_000
    arguments: int = 500
    failure: int = 200
    total: int = 150_000


def render(seen: Seen, *, redact: Redact, caps: Caps | None = None) -> str:
    """A header, then what was said and called, in order; a middle that doesn't fit is left out."""
    renderer = _Renderer(seen, redact, caps or Caps())
    return framing.frame(
        renderer.header(),
        renderer.lines(views.events(seen)),
        renderer.lines(views.events(seen, backwards=True)),
        renderer.caps.total,
    )


class _Renderer:
    def __init__(self, seen: Seen, redact: Redact, caps: Caps) -> None:
        self.caps = caps
        self._seen = seen
        self._redact = redact
        self._calls = _lookup(seen.session.calls.column("event"))

    def header(self) -> str:
        seen, session = self._seen, self._seen.session
        skills = sorted({self._name(use.name) for use in views.skills(seen)})
        agents = sorted({self._name(branch.agent_type) for branch in session.branches[1:]})
        part = f"{sum(1 for _ in views.events(seen)):,} of {len(session.events):,} events"
        parts = [
            f"trace: {session.title}",
            f"models: {', '.join(map(self._name, session.models)) or 'unknown'}",
            f"folder: {session.cwd or 'unknown'}",
            f"git branch: {session.git_branch or 'unknown'}",
            f"part: {seen.excerpt.label}, {part}, {counted(views.turns(seen), 'turn')}",
            f"skills used: {', '.join(skills) or 'none'}",
            f"sub-agents started: {', '.join(agents) or 'none'}",
        ]
        return "\n".join(self._shown(part, self.caps.message) for part in parts)

    def lines(self, events: Iterable[int]) -> Iterator[tuple[int, str]]:
        """Each with the number of its event."""
        for index in events:
            line = self._line(index)
            if line is not None:
                yield index, line

    def _line(self, index: int) -> str | None:
        event = self._seen.session.events[index]
        who = self._chain(event.branch)
        if event.kind in _SPEAKERS:
            text = self._shown(self._seen.contents.text(index), self.caps.message)
            return f"{who}{_SPEAKERS[event.kind]}: {text}"
        if event.kind is not EventKind.TOOL_CALL:
            return None
        place = self._calls(index)
        if place is None:
            return None
        return who + self._call(self._seen.session.calls[place])

    def _chain(self, branch: int) -> str:
        if branch == MAIN:
            return ""
        kind = self._name(self._seen.session.branches[branch].agent_type)
        return f"[sub-agent {branch}, {kind}] "

    def _call(self, call: ToolCall) -> str:
        arguments = self._shown(
            self._seen.contents.text(call.event), min(self.caps.arguments, self.caps.message)
        )
        line = f"tool {self._name(call.name)}: {arguments}"
        if call.status not in WITHOUT_EFFECT:
            return line
        said = "" if call.result is None else self._seen.contents.text(call.result)
        return f"{line}\n  {call.status.value}: {self._shown(said, self.caps.failure)}"

    def _shown(self, text: str, limit: int) -> str:
        """Redacted before it is cut: a secret that is cut in half is no longer found."""
        shown = framing.shorten(characters.reveal(self._redact(text)), limit)
        return shown.replace("\n", _GOES_ON)

    def _name(self, name: str | None) -> str:
        """A name that isn't one word is quoted: it could read as more than a name."""
        shown = framing.shorten(self._redact(name or "unnamed"), self.caps.failure)
        if _PLAIN.fullmatch(shown):
            return shown
        return json.dumps(characters.reveal(shown), ensure_ascii=False)


def _lookup(column: Sequence[int]) -> Callable[[int], int | None]:
    """Finds the call of an event; the events of calls mostly stand in order."""
    if all(one <= other for one, other in pairwise(column)):

        def search(event: int) -> int | None:
            place = bisect_left(column, event)
            return place if place < len(column) and column[place] == event else None

        return search
    return {event: place for place, event in enumerate(column)}.get
