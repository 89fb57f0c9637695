"""What changed in, and where reports go; the changes that mergebar didn't make itself out."""

from dataclasses import replace
from pathlib import PurePosixPath

from mergebar.commands.workspace import Place
from mergebar.edge import links
from mergebar.model.changes import Change, Changes

_FILES = frozenset({"report.json", "report.html", "comment.md", "summary.md"})
_JOURNAL = "journal."
_FOLDERS = frozenset({"documents", "sessions", "cache"})


def excluded(changes: Changes, place: Place, *, output: str) -> Changes:
    """A report of an earlier run is nobody's source; whatever else is in its folder may be one.

    What git knows was committed by somebody, and is theirs. What changed is listed under all names
    that links give it.
    """
    own = place.reported(output)
    files = tuple(change for change in changes.files if not _is_report(change, own))
    return links.followed(replace(changes, files=files), place.top)


def _is_report(change: Change, own: str) -> bool:
    """By what `mergebar run` writes, and nothing but that."""
    if not change.untracked or not change.path.startswith(f"{own}/"):
        return False
    name, *inner = PurePosixPath(change.path).relative_to(own).parts
    return name in _FOLDERS if inner else name in _FILES or name.startswith(_JOURNAL)
