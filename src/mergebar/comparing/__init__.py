"""Two reports in; the diff, what is loosened, the statistics, and what can be carried, out."""

from mergebar.comparing.carrying import Affects as Affects
from mergebar.comparing.carrying import Carrying as Carrying
from mergebar.comparing.carrying import Refusal as Refusal
from mergebar.comparing.carrying import carry as carry
from mergebar.comparing.comparer import Circumstances as Circumstances
from mergebar.comparing.comparer import compare as compare
from mergebar.comparing.comparer import renames_of as renames_of
from mergebar.comparing.evidence import Evidence as Evidence
from mergebar.comparing.gate_inputs import known as known
from mergebar.comparing.gate_inputs import loosened as loosened
from mergebar.comparing.gate_inputs import new as new
from mergebar.comparing.policies import Policies as Policies
