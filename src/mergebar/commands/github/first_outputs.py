"""The runner's environment in; outputs of a step that was stopped before it knew better, out.

They count if nothing more is heard of it; whatever is known later is written after them.
"""

from collections.abc import Mapping

from mergebar import settings
from mergebar.edge import workflow
from mergebar.errors import ExitCode
from mergebar.model.decisions import DecisionOutcome
from mergebar.report import outputs


def write(environ: Mapping[str, str]) -> None:
    """Write them where that is possible; that it isn't is said with the next ones."""
    declared = [output.name for output in settings.OUTPUTS]
    stopped = outputs.bare(DecisionOutcome.COULD_NOT_EVALUATE, exit_code=ExitCode.INTERRUPTED)
    workflow.write_outputs(environ, stopped, declared=declared)
