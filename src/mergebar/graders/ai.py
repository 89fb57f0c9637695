"""`ai`: whether an assertion holds, by the votes of a judge; a divided or unsure vote waits."""

from collections.abc import Iterator, Sequence
from typing import assert_never

from mergebar.graders import claims, consensus, evidence, grades, human, preference, targets
from mergebar.model.artifacts import DeclaredEval
from mergebar.model.conversations import ErrorClass, Failure
from mergebar.model.gradings import (
    Basis,
    Consensus,
    Demands,
    Grade,
    Grader,
    Means,
    Remark,
    Seen,
    Zone,
)
from mergebar.model.judgements import Opinion
from mergebar.model.plans import Withholding
from mergebar.model.results import Outcome

RUNS = 3
"""How many votes an eval gets that doesn't say."""

_ANY = {"auto"}


def create() -> Grader:
    """The grader."""
    return Ai()


class Ai:
    """Shows the judge what the eval's target names, and settles its votes."""

    def demands(self, declared: DeclaredEval, /) -> Demands:
        """What the target needs."""
        source = declared.target.source
        return Demands(capabilities=targets.NEEDS[source], basis=targets.BASES[source])

    async def grade(
        self, declared: DeclaredEval, seen: Seen, /, *, means: Means
    ) -> Grade | Failure | Withholding:
        """Ask as often as the eval says."""
        if means.ask is None:
            return grades.misdeclared("no judge is configured: add `judge` to `mergebar.yml`")
        provider = declared.judge.provider
        if provider is not None and provider not in {means.judge_provider, *_ANY}:
            return grades.misdeclared(
                f"this eval wants the judge `{provider}`, and `{means.judge_provider}` is "
                "configured: configure that one, or leave `provider` out"
            )
        put = claims.claim(declared, seen, means)
        if isinstance(put, Failure):
            return put
        opinions = tuple(await means.ask(put.claim, declared.judge.runs or RUNS))
        settled = consensus.settle(opinions)
        if settled.errors == len(opinions):
            return _unjudged(opinions)
        notices = (*put.notices, *_bias(declared, seen, means))
        return _grade(declared, seen, means, opinions=opinions, settled=settled, notices=notices)


def _unjudged(opinions: Sequence[Opinion | Failure]) -> Failure:
    """A reviewer would have nothing to read."""
    failures = [one for one in opinions if isinstance(one, Failure)]
    if not failures:
        return Failure(error_class=ErrorClass.EVALUATOR, message="the judge gave no vote")
    first = failures[0]
    many = f"none of {len(failures)} votes came: " if len(failures) > 1 else ""
    return Failure(error_class=first.error_class, message=f"{many}{first.message}", code=first.code)


def _bias(declared: DeclaredEval, seen: Seen, means: Means) -> Iterator[str]:
    return preference.notices(
        declared.judge.model or means.judge_model,
        session=seen.session.models,
        authors=declared.provenance,
    )


def _grade(
    declared: DeclaredEval,
    seen: Seen,
    means: Means,
    *,
    opinions: tuple[Opinion | Failure, ...],
    settled: Consensus,
    notices: tuple[str, ...],
) -> Grade:
    outcome = _outcome(settled.zone)
    words = consensus.standing(opinions, settled)
    said = "" if words is None else means.redact(words.reason or words.observed)
    reason = f"{_tally(settled)}{f': {said}' if said else ''}"
    waits = outcome is Outcome.NEEDS_REVIEW
    return Grade(
        outcome=outcome,
        reason=reason,
        findings=(Remark(message=reason),) if outcome is Outcome.FAIL else (),
        notices=notices,
        opinions=opinions,
        consensus=settled,
        review=evidence.digest(declared, seen, means) if waits else None,
        look=human.look(declared, seen) if waits else "",
        quotes=True,
        basis=Basis.SEEN,
    )


def _outcome(zone: Zone) -> Outcome:
    match zone:
        case Zone.AUTO_PASS:
            return Outcome.PASS
        case Zone.AUTO_FAIL:
            return Outcome.FAIL
        case Zone.REVIEW:
            return Outcome.NEEDS_REVIEW
    assert_never(zone)


def _tally(settled: Consensus) -> str:
    counts = (
        (settled.passed, "pass"),
        (settled.partial, "partial"),
        (settled.failed, "fail"),
        (settled.errors, "no vote"),
    )
    votes = ", ".join(f"{number} {word}" for number, word in counts if number)
    return f"{votes} (confidence {settled.mean_confidence:.2f})"
