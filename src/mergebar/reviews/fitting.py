"""Verdicts and what there is to review in; each verdict that doesn't count out, with its place."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from mergebar.model.problems import Level, Problem
from mergebar.model.results import CheckResult
from mergebar.reading.nearest import nearest
from mergebar.reviews.values import Key, Review


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """What verdicts on one suite may name: keys of evals, and of sessions."""

    evals: Collection[str]
    sessions: Collection[str]


def misnamed(reviews: Iterable[Review], known: Mapping[str, Names]) -> Iterator[Problem]:
    """Verdicts on something that doesn't exist; only the outermost wrong name is said."""
    for review in reviews:
        names = known.get(review.suite)
        if names is None:
            yield _unknown(review, "suite", review.suite, known)
        elif review.eval not in names.evals:
            yield _unknown(review, "eval", review.eval, names.evals)
        elif review.session not in names.sessions:
            yield _unknown(review, "session", review.session, names.sessions)


def outdated(reviews: Sequence[Review], results: Iterable[CheckResult]) -> Iterator[Problem]:
    """Verdicts on another version of what waits, or waited, here."""
    waiting: dict[Key, set[str]] = {}
    for one in results if reviews else ():
        digests = {run.review for run in one.runs if run.review is not None}
        if digests and not one.carried:
            waiting[one.check.suite, one.check.name, one.check.case] = digests
    for review in reviews:
        digests = waiting.get(review.key, set())
        if digests and review.digest not in digests:
            yield _warning(
                review,
                "outdated-review",
                "the artifact, the eval or the session is another one than was reviewed; look "
                "again, and replace the entry",
            )


def uncounted(here: Iterable[Review], counting: Collection[Review]) -> Iterator[Problem]:
    """Verdicts that an untrusted change brings along."""
    for review in here:
        if review not in counting:
            yield _warning(
                review,
                "untrusted-review",
                "this change adds or turns it, and its event isn't trusted; somebody who may push "
                "here has to record it on the base",
            )


def _unknown(review: Review, what: str, name: str, known: Iterable[str]) -> Problem:
    near = nearest(name, known)
    hint = f"did you mean `{near}`?" if near is not None else "correct it, or remove the entry"
    return _warning(review, "misnamed-review", f"there is no {what} `{name}`: {hint}")


def _warning(review: Review, rule: str, why: str) -> Problem:
    at = review.location
    return Problem(
        level=Level.WARNING,
        rule=f"config/{rule}",
        message=f"the verdict of {review.by} on `{review.eval}` doesn't count: {why}",
        path=at.path,
        line=at.line,
        column=at.column,
    )
