"""What changed in, and where reports go; the changes that mergebar didn't make itself out."""

from dataclasses import replace

from mergebar import recordings
from mergebar.commands.workspace import Place
from mergebar.model.changes import Changes


def only(changes: Changes, place: Place, *, output: str) -> Changes:
    """A report of an earlier run is nobody's source; recordings are evidence, and stay."""
    own, recorded = place.reported(output), place.reported(recordings.FOLDER)
    if own in {".", place.prefix}:
        return changes
    files = tuple(
        change
        for change in changes.files
        if not change.path.startswith(f"{own}/") or change.path.startswith(f"{recorded}/")
    )
    return replace(changes, files=files)
