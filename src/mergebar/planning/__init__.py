"""Documents, configuration and changes in; the checks worth running, each with its reason, out."""

from mergebar.planning.options import PlanOptions as PlanOptions
from mergebar.planning.planner import plan as plan
