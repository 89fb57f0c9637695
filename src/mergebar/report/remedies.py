"""A report that isn't green in, the one thing to do about it out."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mergebar.model.decisions import DecisionOutcome
from mergebar.model.reports import Report
from mergebar.report.selecting import Selection

_NAMED = 5

_BY_CLASS: Mapping[str, str] = {
    "auth": "Whoever keeps the secrets has to renew the key that was refused",
    "throttled": "Lower `concurrency` for the endpoint that throttles, or run it again later",
    "timeout": "Find out why it is slow, or raise `timeout`",
    "unavailable": "See that what the message names starts, and can be reached from here",
    "bad-response": "Mend the reply that could not be understood",
    "refused": "Look at the content that the provider refused",
    "budget": "Raise `budget`, or let the change affect fewer cases",
    "evaluator": "Mend the evaluator, or what it needs",
    "config": "Mend the configuration that the message names",
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
        return Remedy(
            sentence="Mend the lines named above; this says whether they are right:",
            command=_command("check", [one.path for one in selection.invalid]),
        )
    if outcome is DecisionOutcome.FAILED:
        return Remedy(
            sentence="Improve the agent, or correct the expectation; this asks the same again:",
            command=_command("run", [check.suite for check in selection.blocking]),
        )
    if outcome is DecisionOutcome.COULD_NOT_EVALUATE:
        return _measure(report, selection)
    if outcome is DecisionOutcome.NEEDS_REVIEW:
        return _review(report)
    return None


def _review(report: Report) -> Remedy | None:
    """Who has to act, for every rule that waits for somebody."""
    sentences = {
        "reviews-outstanding": "A person has to record verdicts in `mergebar.reviews.yml`.",
        "loosened": "Take back what is loosened, or let whoever answers for the bar accept it.",
    }
    rules = {reason.rule for reason in report.decision.reasons}
    said = " ".join(text for rule, text in sentences.items() if rule in rules)
    return Remedy(sentence=said) if said else None


def _measure(report: Report, selection: Selection) -> Remedy:
    suites = [check.suite for cause in selection.unmeasured for check in cause.checks]
    command = _command("run", suites)
    if not report.run.complete:
        return Remedy(sentence="Run it again: it was interrupted.", command=command)
    main = next((cause.example for cause in selection.unmeasured), None)
    if main is not None and main.skip == "withheld" and not report.run.trusted:
        return Remedy(sentence=_UNTRUSTED, command=command)
    classes = [cause.name for cause in selection.unmeasured if cause.example.error is not None]
    if not classes:
        return Remedy(sentence="Supply what was missing, then measure again:", command=command)
    advice = _BY_CLASS.get(classes[0], "See to what the message says")
    return Remedy(sentence=f"{advice}; then measure again:", command=command)


def _command(name: str, paths: Sequence[str | None]) -> str:
    """The command for these suites, or for all where they are too many to write down."""
    known = list(dict.fromkeys(path for path in paths if path))
    if len(known) > _NAMED:
        known = []
    return " ".join(["mergebar", name, *(_quoted(path) for path in known)])


def _quoted(path: str) -> str:
    """For a shell, and not an option."""
    return shlex.quote(f"./{path}" if path.startswith("-") else path)
