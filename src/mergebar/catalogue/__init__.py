"""The built-in evaluators and graders as tables, so that a file is checked without loading any."""

from mergebar.catalogue.blanks import is_blank as is_blank
from mergebar.catalogue.evaluators import EVALUATORS as EVALUATORS
from mergebar.catalogue.evaluators import EXPECTED_RESPONSE as EXPECTED_RESPONSE
from mergebar.catalogue.evaluators import RETRIEVAL as RETRIEVAL
from mergebar.catalogue.evaluators import SYSTEM_DEFAULTS as SYSTEM_DEFAULTS
from mergebar.catalogue.evaluators import EvaluatorSpec as EvaluatorSpec
from mergebar.catalogue.evaluators import find as find
