"""The stages in their order, what comes next and never how: effects in, a plan or a report out."""

from mergebar.pipeline.executing import execute as execute
from mergebar.pipeline.preparing import Prepared as Prepared
from mergebar.pipeline.preparing import prepare as prepare
from mergebar.pipeline.values import Compared as Compared
from mergebar.pipeline.values import Effects as Effects
from mergebar.pipeline.values import Finished as Finished
from mergebar.pipeline.values import Inputs as Inputs
from mergebar.pipeline.values import Origin as Origin
