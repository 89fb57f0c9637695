"""What the action was asked for: the table of inputs and outputs, and their reader."""

from mergebar.settings.inputs import Settings as Settings
from mergebar.settings.inputs import from_inputs as from_inputs
from mergebar.settings.inputs import variable as variable
from mergebar.settings.table import INPUTS as INPUTS
from mergebar.settings.table import OUTPUTS as OUTPUTS
from mergebar.settings.table import Mode as Mode
from mergebar.settings.table import Scope as Scope
