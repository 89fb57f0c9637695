"""A report that isn't green in, the one thing to do about it out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from mergebar.model.configuration import REVIEWS
from mergebar.model.decisions import DecisionOutcome
from mergebar.model.plans import CheckKind
from mergebar.model.reports import Report, ReportCheck, ReportProblem
from mergebar.report import repeating
from mergebar.report.selecting import Selection

_ASKED_FOR: Mapping[str, str] = {
    "config/unknown-agent": "`--agent`",
    "config/unknown-tag": "`--tag`",
    "config/base": "`--base`",
    "config/changed": "`--changed`",
    "document/none-found": "the paths",
}
"""Problems without a place: what they are about was typed, not written down."""

_AS_INPUTS: Mapping[str, str] = {
    "`--agent`": "the input `agent` (`--agent` on a command line)",
    "`--base`": "the input `base` (`--base` on a command line)",
    "the paths": "the input `paths` (the paths on a command line)",
}
"""What they are called in a workflow."""

_STATIC = frozenset({"no-match", "two-groups", "misnamed", "second", "unreadable"})
"""What `mergebar check` finds in a configuration that can be read."""

_BASELINE = "--baseline"
_OF_MANY = frozenset({"rate-below-floor", "rate-dropped"})

_ANEW = frozenset({"--no-cache"})
_GO_ON = "Run it again: where the journal of this run is kept, it goes on from there."
_MORE_MINUTES = "Raise `budget.minutes`, or let the change affect fewer cases. "

_BY_CLASS: Mapping[str, str] = {
    "auth": "Let whoever keeps the secrets see to how the run is let in, as the message says",
    "throttled": "Lower `concurrency` for the endpoint that throttles, or run it again later",
    "timeout": "Find out why it is slow, or raise the bound that the message names",
    "unavailable": "See that what the message names starts, and can be reached from here",
    "bad-response": "Mend what could not be understood, as the message says",
    "refused": "Look at the content that the provider refused",
    "budget": "Raise `budget`, or let the change affect fewer cases",
    "evaluator": "Mend the evaluator, or what it needs",
    "config": "Mend the file or the setting that the message names",
}


_UNTRUSTED = (
    "An untrusted run gets no secrets, and runs no code of the repository. A maintainer has to "
    "look at the change and start the full run "
    "(https://github.com/mergebar/mergebar/blob/main/docs/guides/forks.md), or measure it by hand:"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """A sentence, and the command that goes with it, if there is one."""

    sentence: str
    command: str | None = None


def remedy(report: Report, selection: Selection) -> Remedy | None:
    """What to do; `None` when the gate passed."""
    outcome = report.decision.outcome
    if outcome is DecisionOutcome.INVALID:
        return _correct(report, selection)
    if outcome is DecisionOutcome.FAILED:
        return Remedy(
            sentence=_improving(selection.blocking),
            command=repeating.run(report, _blocking(report, selection)),
        )
    if outcome is DecisionOutcome.COULD_NOT_EVALUATE:
        return _measure(report, selection)
    if outcome is DecisionOutcome.NEEDS_REVIEW:
        return _review(report)
    return None


def _improving(blocking: Sequence[ReportCheck]) -> str:
    """What fails on a session is not asked again: a recorded one stays what it is."""
    graded = [check for check in blocking if check.kind == CheckKind.GRADER]
    if not graded:
        return "Improve the agent, or correct the expectation; this asks the same again:"
    recorded = "(a recorded session has to be recorded again)"
    if len(graded) == len(blocking):
        return f"Improve the artifact {recorded}, or correct the eval; this grades it again:"
    return (
        f"Improve the agent or the artifact {recorded}, or correct the expectation; this measures "
        "them again:"
    )


def _correct(report: Report, selection: Selection) -> Remedy:
    """Who mistyped an option has no line to mend, and `check` doesn't see what it doesn't do."""
    mistyped = [_option(one, report) for one in selection.invalid]
    if mistyped and all(mistyped):
        names = " and ".join(dict.fromkeys(filter(None, mistyped)))
        return Remedy(sentence=f"Correct {names}, and start it again.")
    of_suites = {suite.path for suite in report.suites if suite.affected}
    paths = [one.path for one in selection.invalid if one.path in of_suites]
    if any(_is_seen_by_check(one, report) for one in selection.invalid):
        whole = len(paths) < len(selection.invalid)
        return Remedy(
            sentence="Mend the lines named above; this says whether they are right:",
            command=repeating.check(report, () if whole else filter(None, paths)),
        )
    return Remedy(
        sentence="Supply what is missing, as the message above says; then start it again:",
        command=repeating.run(report),
    )


def _option(problem: ReportProblem, report: Report) -> str | None:
    """What was mistyped, if it wasn't a file."""
    named = problem.rule.endswith("/unreadable") and problem.path in repeating.typed(report)
    if problem.path is None or named:
        option = _ASKED_FOR.get("document/none-found" if named else problem.rule)
        if option is None or report.run.event is None:
            return option
        return _AS_INPUTS.get(option, option)
    of_baseline = problem.rule == "config/baseline" or problem.rule.startswith("report/")
    return "`--baseline`" if of_baseline and _BASELINE in report.run.command.options else None


def _is_seen_by_check(problem: ReportProblem, report: Report) -> bool:
    """Whether it is a fault of a file: what only a run needs, `check` doesn't ask for."""
    area, _, rule = problem.rule.partition("/")
    if problem.path is not None and PurePosixPath(problem.path).name == REVIEWS:
        return True
    if area != "config":
        return area in {"schema", "document", "artifact"} and problem.path is not None
    return not report.run.config_digest or rule in _STATIC


def _blocking(report: Report, selection: Selection) -> Sequence[str]:
    """The suites that fail by themselves; none where a rate of many has to be measured again."""
    rules = {reason.rule for reason in report.decision.reasons}
    if not rules.isdisjoint(_OF_MANY):
        return ()
    return [check.suite for check in selection.blocking]


def _review(report: Report) -> Remedy | None:
    """Who has to act, for every rule that waits for somebody."""
    sentences = {
        "reviews-outstanding": "A person has to record verdicts in `mergebar.reviews.yml`; the "
        "entries to paste are in the comment (`comment.md` among the reports).",
        "loosened": "Take back what is loosened, or let whoever answers for the bar accept it.",
    }
    rules = {reason.rule for reason in report.decision.reasons}
    said = " ".join(text for rule, text in sentences.items() if rule in rules)
    return Remedy(sentence=said) if said else None


def _measure(report: Report, selection: Selection) -> Remedy:
    command = repeating.run(report, _unmeasured(report, selection))
    if not report.run.complete:
        return Remedy(sentence=_more_minutes(report) + _GO_ON, command=_resuming(report))
    main = next((cause.example for cause in selection.unmeasured), None)
    if main is not None and main.skip == "withheld" and not report.run.trusted:
        return Remedy(sentence=_UNTRUSTED, command=command)
    classes = [cause.name for cause in selection.unmeasured if cause.example.error is not None]
    if not classes:
        return Remedy(sentence="Supply what was missing, then measure again:", command=command)
    advice = _BY_CLASS.get(classes[0], "See to what the message says")
    return Remedy(sentence=f"{advice}; then measure again:", command=command)


def _more_minutes(report: Report) -> str:
    """What has to be done before, if the minutes were too few."""
    rules = {reason.rule for reason in report.decision.reasons}
    return _MORE_MINUTES if "budget-used-up" in rules and "interrupted" not in rules else ""


def _resuming(report: Report) -> str:
    """The same run, without what would begin it anew."""
    command = report.run.command
    kept = tuple(one for one in command.options if one not in _ANEW)
    resumed = replace(report.run, command=replace(command, options=kept))
    return repeating.run(replace(report, run=resumed))


def _unmeasured(report: Report, selection: Selection) -> Sequence[str]:
    """The suites with something unmeasured; none where a part of the run may fit the budget."""
    rules = {reason.rule for reason in report.decision.reasons}
    if not report.run.complete or "budget-used-up" in rules:
        return ()
    return [check.suite for cause in selection.unmeasured for check in cause.checks]
