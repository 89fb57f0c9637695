"""An eval, its grader and a session in; a grade, or why there is none, out.

What comes before any look at the session is here, in one order for all graders (spec, section
4.1): what is wrong with an eval is said, whether or not its artifact was used.
"""

from dataclasses import replace

from mergebar.catalogue import graders as catalogue
from mergebar.errors import StopError
from mergebar.graders import gaps, grades, when
from mergebar.model.artifacts import DeclaredEval
from mergebar.model.conversations import ErrorClass, Failure, total_usage
from mergebar.model.documents import Severity
from mergebar.model.gradings import Basis, Demands, Grade, Grader, Means, Remark, Seen
from mergebar.model.judgements import Match, Opinion
from mergebar.model.plans import Withholding
from mergebar.model.results import Outcome, RunResult
from mergebar.model.sessions import lacking

_SCORES = {Match.PASS: 1.0, Match.PARTIAL: 0.5, Match.FAIL: 0.0}
_NAMES = {
    Basis.SEEN: "it",
    Basis.CHAINS: "what was said and done",
    Basis.BRANCHES: "what was done",
    Basis.LAST: "what the session ended with",
    Basis.MAIN: "the session",
}


async def grade(
    declared: DeclaredEval, seen: Seen, *, grader: Grader, means: Means
) -> Grade | Failure | Withholding:
    """Look, unless something speaks against it. Only a bug of ours raises."""
    if seen.artifact.skip:
        return grades.declined("`eval-skip`: its artifact's evals are skipped by their author")
    if declared.skip:
        return grades.declined("`skip`: it is skipped by its author")
    if declared.fault is not None:
        return grades.misdeclared(declared.fault)
    if seen.session.idle is not None:
        return seen.session.idle
    try:
        return await _look(declared, seen, grader=grader, means=means)
    except StopError as error:  # what the session's file has to say while it is read again
        return Failure(error_class=ErrorClass.UNAVAILABLE, message=error.message)


async def _look(
    declared: DeclaredEval, seen: Seen, *, grader: Grader, means: Means
) -> Grade | Failure | Withholding:
    demands = grader.demands(declared)
    missing = _missing(declared, demands, seen, means)
    if missing is not None:
        return missing
    if declared.when:
        if demands.whole:
            return grades.misdeclared(
                f"`{declared.grader}` looks at the whole session and knows no `when`: remove it"
            )
        unarmed = await when.unmet(declared.when, seen, means.matcher)
        if unarmed is not None:
            return unarmed
    lack = lacking(seen.session, sorted(demands.capabilities))
    if lack is not None:
        return grades.withheld(lack)
    broken = gaps.missing(seen, demands.basis, sure=True)
    if broken is not None:
        return grades.withheld(f"{_NAMES[demands.basis]} can't be judged: {broken}")
    found = await grader.grade(declared, seen, means=means)
    if _is_checker(declared):
        found = _translated(found, declared)
    return gaps.held_back(found, seen) if isinstance(found, Grade) else found


def _missing(
    declared: DeclaredEval, demands: Demands, seen: Seen, means: Means
) -> Withholding | None:
    runs_code = demands.runs_code or _is_checker(declared)
    if runs_code and means.refused is not None:
        return grades.withheld(means.refused)
    if seen.excerpt.missing is not None and not demands.whole:
        return grades.withheld(seen.excerpt.missing)
    return None


def _is_checker(declared: DeclaredEval) -> bool:
    return declared.grader.startswith(catalogue.CHECKER_PREFIX)


def _translated(
    found: Grade | Failure | Withholding, declared: DeclaredEval
) -> Grade | Failure | Withholding:
    """A checker of somebody else has severities of its own; only an error is a failure."""
    if not isinstance(found, Grade) or not found.findings:
        return found
    findings = tuple(_mapped(one, declared) for one in found.findings)
    wrong = any(one.severity is Severity.ERROR for one in findings)
    notices = tuple(one.message for one in findings if one.severity is not Severity.ERROR)
    return replace(
        found,
        outcome=Outcome.FAIL if wrong else Outcome.PASS,
        findings=findings,
        notices=(*found.notices, *notices),
    )


def _mapped(remark: Remark, declared: DeclaredEval) -> Remark:
    if remark.level is None:
        return replace(remark, severity=remark.severity or Severity.ERROR)
    severity = declared.severity_map.get(remark.level, Severity.WARNING)
    return replace(remark, severity=severity)


def as_run(found: Grade | Failure, *, duration_s: float = 0.0) -> RunResult:
    """The same as a run of a check; what is withheld or declined is none."""
    if isinstance(found, Failure):
        return RunResult(
            outcome=Outcome.ERROR, reason=found.message, error=found, duration_s=duration_s
        )
    opinions = [one for one in found.opinions if isinstance(one, Opinion)]
    return RunResult(
        outcome=found.outcome,
        reason=found.reason,
        votes=tuple(_SCORES[one.match] for one in opinions),
        record=found.record,
        usage=total_usage(one.usage for one in opinions),
        duration_s=duration_s,
        cached=bool(opinions) and all(one.cached for one in opinions),
        notices=found.notices,
        review=found.review,
    )
