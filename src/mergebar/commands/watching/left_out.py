"""What changed and a configuration in; an error for each changed suite or trace not on disk out.

A sparse checkout, or one of another commit, has no such file, so that nothing would measure it.
"""

import os
from collections.abc import Iterator

from mergebar.commands.workspace import Place
from mergebar.model.changes import Changes, Status
from mergebar.model.configuration import Config
from mergebar.model.problems import Level, Problem
from mergebar.patterns import GlobSet
from mergebar.planning import relative


def changed(config: Config, place: Place, changes: Changes) -> Iterator[Problem]:
    """Those that the configuration selects, and that the change didn't delete."""
    named = [group for group in config.artifacts if not group.implied]
    selected = [group.paths for group in config.documents]
    selected += [paths for group in named for paths in (group.paths, group.traces)]
    globs = [GlobSet(paths) for paths in selected]
    for change in changes.files:
        local = relative(change.path, prefix=place.prefix)
        if change.status is Status.DELETED or local is None:
            continue
        if any(one.matches(local) for one in globs) and not os.path.lexists(
            place.top / change.path
        ):
            yield Problem(
                level=Level.ERROR,
                rule="config/not-checked-out",
                message=(
                    "this file changed, and isn't in this checkout, so nothing would measure it: "
                    "check out the commit that is tested, with all that `mergebar.yml` selects"
                ),
                path=change.path,
            )
