"""Reviews: what people decided on checks that wait for a person, and what still waits."""

from mergebar.reviews.applying import apply as apply
from mergebar.reviews.applying import counting as counting
from mergebar.reviews.fitting import Names as Names
from mergebar.reviews.fitting import misnamed as misnamed
from mergebar.reviews.fitting import outdated as outdated
from mergebar.reviews.fitting import uncounted as uncounted
from mergebar.reviews.parsing import Parsed as Parsed
from mergebar.reviews.parsing import parse as parse
from mergebar.reviews.queue import Waiting as Waiting
from mergebar.reviews.queue import entry as entry
from mergebar.reviews.queue import instructions as instructions
from mergebar.reviews.queue import sentence as sentence
from mergebar.reviews.values import FILE as FILE
from mergebar.reviews.values import Judgement as Judgement
from mergebar.reviews.values import Review as Review
