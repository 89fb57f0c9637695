"""What the run asks of sessions: who opens them, and what an open one can be asked."""

from typing import Protocol

from mergebar.model.artifacts import Artifact
from mergebar.model.conversations import Failure
from mergebar.model.judgements import Judge
from mergebar.model.plans import PlannedCheck, Withholding
from mergebar.model.results import RunResult
from mergebar.model.scenarios import Scenario


class OpenedSession(Protocol):
    """A session that was read. Evals of several artifacts may be graded on it at once."""

    async def grade(
        self, check: PlannedCheck, artifact: Artifact, /, *, judge: Judge | None
    ) -> RunResult | Withholding:
        """Hold one eval against it; a failure of the grader is a result too."""
        ...

    async def close(self) -> None:
        """Let go of its files."""
        ...


class Sessions(Protocol):
    """Opens sessions: it reads those that were recorded, and runs the others first."""

    @property
    def runs(self) -> int:
        """How many sessions were run."""
        ...

    async def open(self, scenario: Scenario, /, *, run: int) -> OpenedSession | Failure:
        """Expected trouble is a `Failure`; only a bug raises. `run` counts repeats from 0."""
        ...

    async def aclose(self) -> None:
        """Release what is held; called once, also after a failure."""
        ...
