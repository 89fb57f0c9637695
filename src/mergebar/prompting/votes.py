"""Several votes of a judge in, their median with the reason of a vote that stands for it out."""

import statistics
from collections.abc import Sequence

from mergebar.model.evaluations import Votes
from mergebar.model.judgements import Verdict


def median_votes(verdicts: Sequence[Verdict]) -> Votes:
    """At least one vote. An even number has the mean of the middle two as its median.

    The reason is that of the vote nearest to the median; of two as near, that of the lower one,
    since what was found wrong is worth more to the reader; of equals, that of the first.
    """
    score = float(statistics.median(verdict.score for verdict in verdicts))
    nearest = min(verdicts, key=lambda verdict: (abs(verdict.score - score), verdict.score))
    return Votes(score=score, reason=nearest.reason, votes=tuple(verdicts))
