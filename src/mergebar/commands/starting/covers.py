"""What was found in, the globs of each group of the first configuration out."""

from dataclasses import dataclass

from mergebar.commands.starting import covering
from mergebar.commands.starting.covering import Cover
from mergebar.commands.starting.looking import Found
from mergebar.commands.workspace import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Covers:
    """Of documents that an agent answers, documents with answers, artifacts, and sessions."""

    asked: Cover
    stored: Cover
    artifacts: Cover
    traces: Cover


def of(found: Found, place: Place) -> Covers:
    """New documents of a folder with both kinds go to the agent: no file may be in two groups."""
    root = place.cwd
    asked = covering.cover(root, found.asked, covering.documents)
    return Covers(
        asked=asked,
        stored=covering.cover(root, found.stored, covering.documents, taken=asked.new),
        artifacts=covering.cover(root, found.artifacts, covering.artifacts, free=found.bare),
        traces=covering.cover(root, found.traces, covering.traces),
    )
