"""Suites, configuration and changes in; the checks worth running, each with its reason, out."""

from mergebar.planning.declaring import Declaring as Declaring
from mergebar.planning.document_cases import asks_judge as asks_judge
from mergebar.planning.earlier import Earlier as Earlier
from mergebar.planning.items import responses_differ as responses_differ
from mergebar.planning.narrowing import unaffected as unaffected
from mergebar.planning.options import PlanOptions as PlanOptions
from mergebar.planning.placing import relative as relative
from mergebar.planning.planner import plan as plan
from mergebar.planning.planner import widen as widen
from mergebar.planning.skipping import of_repository_code as of_repository_code
