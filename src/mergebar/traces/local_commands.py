"""A host's own answer to what was typed in; a slash command that asked nothing of the agent out.

`/context` or `/model` look like a skill that is typed. Only the answer tells them apart: a list of
the host's own commands would be out of date with its next version.
"""

from mergebar.model.sessions import How
from mergebar.traces.building import META, SYSTEM, Building

_OUTPUT = "<local-command-std"


def answered(building: Building, event: int, text: str) -> None:
    """Nobody waits for the agent any more; a command right before its output never reached it."""
    building.host_spoke = event
    if _OUTPUT not in text or not building.skills or not building.turns:
        return
    use = building.skills[-1]
    typed = use.how is How.TYPED and use.branch == building.branch
    between = building.kinds[use.event + 1 : event]
    if typed and building.turns[-1] == use.event and not between.strip(bytes((META, SYSTEM))):
        building.kinds[use.event] = META
        building.skills.pop()
        building.turns.pop()
