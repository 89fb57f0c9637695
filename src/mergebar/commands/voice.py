"""What the action has to say in, workflow commands out: counted, as a runner shows ten a level."""

from collections import Counter
from collections.abc import Sequence

from mergebar.commands import streams
from mergebar.model.problems import Level
from mergebar.model.publishing import Annotation
from mergebar.model.reports import ReportWarning
from mergebar.report import annotations
from mergebar.untrusted import workflow


class Voice:
    """Says things at once, where a runner hears them."""

    def __init__(self) -> None:
        self._said: Counter[Level] = Counter()

    def say(self, level: Level, message: str) -> None:
        """One remark on the run as a whole."""
        self._said[level] += 1
        streams.write(workflow.command(level, message) + "\n")

    def warn(self, warning: ReportWarning | None) -> bool:
        """Say a warning, and whether there was one."""
        if warning is not None:
            self.say(Level.WARNING, warning.message)
        return warning is not None

    def point(self, remarks: Sequence[Annotation]) -> None:
        """Remarks on lines, as many as a runner still shows of this step."""
        lines = annotations.commands(remarks, said=self._said)
        streams.write("".join(f"{line}\n" for line in lines))
