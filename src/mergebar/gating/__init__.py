"""Results and policy in; the decision, its exit code and its check-run conclusion out."""

from mergebar.gating.deciding import decide as decide
from mergebar.gating.exits import conclusion as conclusion
from mergebar.gating.exits import process_exit_code as process_exit_code
from mergebar.gating.facts import Facts as Facts
from mergebar.gating.facts import floor as floor
from mergebar.gating.rates import pass_rate as pass_rate
