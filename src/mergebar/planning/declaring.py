"""What the plan is told about one artifact: its text then and now, and the sessions that it has."""

from collections.abc import Iterator
from dataclasses import dataclass

from mergebar.model.artifacts import Artifact, DeclaredEval
from mergebar.model.configuration import ArtifactGroup
from mergebar.model.scenarios import Scenario, Tie
from mergebar.planning import named_files

JUDGED = "ai"
"""The grader that asks the judge."""

WAITING = frozenset({JUDGED, "human"})
"""The graders that may wait for a person."""

VOTES = 3
"""How many votes an `ai` eval gets that doesn't say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaring:
    """An artifact that declares evals, or seems to.

    `before` is the artifact as of the base, `None` where there is none or it isn't known.
    `scenarios` are the sessions that it is evaluated on, in order. `unused` are the traces
    that are known to have nothing to do with it, and `repeated` those that show what sessions of
    the base do. `tie` is what it is made of now, where anybody asks.
    """

    artifact: Artifact
    group: ArtifactGroup
    before: Artifact | None = None
    scenarios: tuple[Scenario, ...] = ()
    unused: frozenset[str] = frozenset()
    repeated: frozenset[str] = frozenset()
    tie: Tie | None = None

    @property
    def path(self) -> str:
        """The suite's path."""
        return self.artifact.path

    def files_of(self, declared: DeclaredEval) -> Iterator[str]:
        """What an eval may name as files of the repository: its command's words, its target."""
        yield from named_files.find(declared.command.argv) if declared.command is not None else ()
        if declared.target.path is not None:
            yield declared.target.path


def votes(declared: DeclaredEval) -> int:
    """How often the judge is asked about an eval on one session."""
    return (declared.judge.runs or VOTES) if declared.grader == JUDGED else 0
