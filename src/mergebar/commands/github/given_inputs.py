"""The action's inputs in the environment in, its settings out, or why they can't be used."""

from collections.abc import Mapping

from mergebar import settings as inputs
from mergebar.commands.github.workflow_log import WorkflowLog
from mergebar.errors import StopError
from mergebar.model.problems import is_invalid
from mergebar.settings import Settings


def read(environ: Mapping[str, str], log: WorkflowLog) -> Settings:
    """The settings; what is odd about an input is said at once."""
    settings = inputs.from_inputs(environ)
    told = settings.warnings if isinstance(settings, Settings) else settings
    wrong = [problem.message for problem in told if is_invalid([problem])]
    for problem in told:
        if problem.message not in wrong:
            log.say(problem.level, problem.message)
    if isinstance(settings, Settings):
        return settings
    raise StopError("; ".join(wrong))
