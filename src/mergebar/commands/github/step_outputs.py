"""What the step's outputs and summary are to be in, both in the runner's files out."""

from collections.abc import Mapping

from mergebar import settings
from mergebar.commands.github.workflow_log import WorkflowLog
from mergebar.edge import workflow
from mergebar.model.decisions import DecisionOutcome
from mergebar.report import outputs
from mergebar.untrusted import markdown

_LONGEST = 4_000


class StepOutputs:
    """Written as often as more is known; the last writing counts."""

    def __init__(self, environ: Mapping[str, str], log: WorkflowLog) -> None:
        self._environ = environ
        self._log = log
        self._known: Mapping[str, str] = {}

    def write(self, values: Mapping[str, str]) -> bool:
        """Write every declared output, and say whether they couldn't be written."""
        self._known = values
        declared = [output.name for output in settings.OUTPUTS]
        return self._log.warn(workflow.write_outputs(self._environ, values, declared=declared))

    def settle(self, outcome: DecisionOutcome, exit_code: int) -> None:
        """For a run that measured nothing; what a report has said already stays."""
        if not self._known:
            self.write(outputs.bare(outcome, exit_code=exit_code))

    def exit_with(self, exit_code: int) -> None:
        """Only the exit code is another one: it says nothing of the change."""
        self.write({**self._known, "exit-code": str(exit_code)})

    def summarise(self, drawn: str) -> bool:
        """Append Markdown to the job summary, and say whether it couldn't be."""
        return self._log.warn(workflow.append_summary(self._environ, drawn))

    def note(self, heading: str, text: str) -> None:
        """For a run that ends without a report: a heading of our own, and anybody's words."""
        self.summarise(f"## {heading}\n\n{markdown.inline(text, limit=_LONGEST)}\n")
