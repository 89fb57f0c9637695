"""Results that wait for a person and the verdicts in, the results with what was decided out."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from mergebar.model.results import Outcome, RunResult
from mergebar.reviews.values import Judgement, Key, Review

_OUTCOMES = {Judgement.PASS: Outcome.PASS, Judgement.FAIL: Outcome.FAIL}


def counting(
    here: Sequence[Review], *, base: Sequence[Review], trusted: bool
) -> tuple[Review, ...]:
    """The verdicts that count. A change on an untrusted event can't add or turn one.

    `here` are those of the tree under test, `base` those of the base; locations don't matter.
    """
    if trusted:
        return tuple(here)
    known = {_content(review) for review in base}
    return tuple(review for review in here if _content(review) in known)


def apply(result: RunResult, *, key: Key, reviews: Iterable[Review]) -> RunResult:
    """The result, decided where somebody reviewed the very same thing.

    Nothing but `needs-review` is ever changed. A verdict on something older is a notice.
    """
    if result.outcome is not Outcome.NEEDS_REVIEW or result.review is None:
        return result
    about = [review for review in reviews if review.key == key]
    fitting = next((review for review in about if review.digest == result.review), None)
    if fitting is not None:
        note = f": {fitting.note}" if fitting.note else ""
        return replace(
            result,
            outcome=_OUTCOMES[fitting.verdict],
            reason=f"reviewed by {fitting.by}{note}",
        )
    if not about:
        return result
    who = about[-1].by
    notice = f"{who} reviewed another version of the artifact, eval or session: review it again"
    return replace(result, notices=(*result.notices, notice))


def _content(review: Review) -> tuple[Key, str, Judgement]:
    return (review.key, review.digest, review.verdict)
