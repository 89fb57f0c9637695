"""What the step's outputs are to be in, all declared ones in the runner's file out."""

from collections.abc import Mapping

from mergebar import settings
from mergebar.commands.voice import Voice
from mergebar.edge import workflow
from mergebar.model.decisions import DecisionOutcome
from mergebar.report import outputs


class StepOutputs:
    """Written as often as more is known; the last writing counts."""

    def __init__(self, environ: Mapping[str, str], voice: Voice) -> None:
        self._environ = environ
        self._voice = voice
        self._known = False

    def write(self, values: Mapping[str, str]) -> bool:
        """Write them, and say whether they couldn't be written."""
        self._known = True
        declared = [output.name for output in settings.OUTPUTS]
        return self._voice.warn(workflow.write_outputs(self._environ, values, declared=declared))

    def settle(self, outcome: DecisionOutcome, exit_code: int) -> None:
        """For a run that measured nothing; what a report has said already stays."""
        if not self._known:
            self.write(outputs.bare(outcome, exit_code=exit_code))
