"""What the action has to say in, workflow commands out: counted, as a runner shows ten a level."""

import contextlib
from collections import Counter
from collections.abc import Sequence

from mergebar.commands import streams
from mergebar.errors import StopError
from mergebar.model.problems import Level
from mergebar.model.publishing import Annotation
from mergebar.model.reports import ReportWarning
from mergebar.report import annotations
from mergebar.untrusted import workflow


class WorkflowLog:
    """Says things at once, where a runner hears them.

    A log that can't be written changes nothing: the verdict is in the outputs and the exit code.
    """

    def __init__(self) -> None:
        self._said: Counter[Level] = Counter()

    def say(self, level: Level, message: str) -> None:
        """One remark on the run as a whole."""
        self._said[level] += 1
        self.show(workflow.command(level, message) + "\n")

    def show(self, text: str) -> None:
        """Finished text for the log."""
        with contextlib.suppress(StopError):
            streams.write(text)

    def warn(self, warning: ReportWarning | None) -> bool:
        """Say a warning, and whether there was one."""
        if warning is not None:
            self.say(Level.WARNING, warning.message)
        return warning is not None

    def point(self, remarks: Sequence[Annotation]) -> None:
        """Remarks on lines, as many as a runner still shows of this step."""
        lines = annotations.commands(remarks, said=self._said)
        self.show("".join(f"{line}\n" for line in lines))
