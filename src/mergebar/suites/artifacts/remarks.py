"""An artifact that somebody configured in, what is worth a warning although it is valid out."""

from collections.abc import Iterator

from mergebar.model.artifacts import Artifact
from mergebar.model.problems import Level, Problem

_JUDGED = "ai"


def of(artifact: Artifact) -> Iterator[Problem]:
    """Nothing is ever measured of an artifact without evals, and a gate says so."""
    if not artifact.is_suite:
        yield Problem(
            level=Level.WARNING,
            rule="artifact/without-evals",
            message=(
                "this artifact declares no evals, so nothing is measured of it: add "
                "`metadata.evals`, or leave it out of `artifacts`"
            ),
            path=artifact.path,
        )
        yield from (one for one in artifact.problems if one.level is Level.WARNING)


def asks_judge(artifact: Artifact) -> bool:
    """Whether any of its evals is put to the judge."""
    return any(each.grader == _JUDGED and not each.skip for each in artifact.evals)
