"""The artifacts of a working directory in; what is wrong with the verdicts on them out.

Loaded by name, and only where there is a file of verdicts.
"""

from collections.abc import Sequence

from mergebar import plugins, reviews
from mergebar.commands.workspace import Place
from mergebar.model.artifacts import Artifact
from mergebar.model.problems import Problem

_LIMIT = 4 * 1024 * 1024


def check(
    place: Place, artifacts: Sequence[Artifact] | None = None, sessions: Sequence[str] = ()
) -> tuple[Problem, ...]:
    """All problems of the file; with `artifacts`, which are all there are, of its names too."""
    path = place.reported(reviews.FILE)
    data = place.read(path, rule="config/unreadable", limit=_LIMIT)
    if isinstance(data, Problem):
        return (data,)
    parsed = reviews.parse(data, path=path, explain=plugins.explain)
    if artifacts is None:
        return parsed.problems
    known = {
        one.path: reviews.Names(evals=[each.key for each in one.evals], sessions=sessions)
        for one in artifacts
        if one.is_suite
    }
    return (*parsed.problems, *reviews.misnamed(parsed.reviews, known))
