"""One report for every state that a gate can end in, as people will see it."""

from mergebar.model.decisions import Reason
from mergebar.model.reports import Report, ReportWarning
from support import compared_states, reports


def _failing() -> Report:
    relevance = reports.check(
        outcome="fail",
        reason="The answer names another product, and cites `pricing.md` for it.",
        quotes=True,
    )
    exact = reports.check(
        "ExactMatch",
        "fail",
        case="plan-b",
        label="What does plan B cost?",
        score=0,
        threshold=None,
        reason="the answer differs from the expected response at character 12",
        line=58,
    )
    tone = reports.check(
        "Coherence",
        "fail",
        case="plan-b",
        label="What does plan B cost?",
        turn=1,
        severity="warning",
        line=66,
        flaky=True,
    )
    passed = [
        reports.check(name, case=f"case-{number}", label=f"Question {number}", line=80 + number)
        for number in range(3)
        for name in ("Relevance", "Coherence")
    ]
    throttled = [
        reports.errored(name="Groundedness", case="plan-b"),
        reports.errored(name="Groundedness"),
    ]
    declined = reports.check(
        "Similarity", "skipped", skip="declined", reason="declined by `--no-judge`"
    )
    return reports.report(
        relevance,
        exact,
        tone,
        *passed,
        *throttled,
        declined,
        of=reports.decision(
            "failed",
            "2 checks block",
            Reason(
                rule="check-failed",
                message="2 gating checks failed",
                checks=(relevance.id, exact.id),
            ),
            Reason(
                rule="below-severity",
                message="1 failing check does not block: severity `warning` is below `error`",
                checks=(tone.id,),
            ),
            Reason(rule="declined", message="1 check declined", checks=(declined.id,)),
        ),
        suites=[
            reports.suite(reason="affected: `prompts/support.md` is a source of agent `support`"),
            reports.suite(
                "evals/old.json",
                affected=False,
                reason="not affected: `evals/old.json` didn't change",
            ),
        ],
    )


def _passed() -> Report:
    checks = [
        reports.check(name, case=f"case-{n}", label=f"Question {n}")
        for n in range(3)
        for name in ("Relevance", "ExactMatch")
    ]
    return reports.report(*checks, of=reports.decision("passed", "6 checks measured"))


def _warning_passes() -> Report:
    tone = reports.check("Coherence", "fail", severity="warning")
    return reports.report(
        reports.check(),
        tone,
        of=reports.decision(
            "passed",
            "2 checks measured",
            Reason(
                rule="below-severity",
                message="1 failing check does not block: severity `warning` is below `error`",
                checks=(tone.id,),
            ),
        ),
        warnings=[
            ReportWarning(message="the recordings were written by hand", path="recordings/a.json")
        ],
    )


def _nothing_affected() -> Report:
    untouched = reports.suite(
        affected=False, reason="not affected: `evals/support.json` didn't change"
    )
    return reports.report(of=reports.decision("passed", "nothing affected"), suites=[untouched])


def _needs_review() -> Report:
    waiting = reports.check(
        "Tone", "needs-review", score=0.5, threshold=None, reason="2 of 3 votes say yes"
    )
    return reports.report(
        reports.check(),
        waiting,
        of=reports.decision(
            "needs-review",
            "1 check needs review",
            Reason(
                rule="reviews-outstanding",
                message="1 check wait for a review",
                checks=(waiting.id,),
            ),
        ),
    )


def _could_not_evaluate() -> Report:
    checks = [reports.errored(case=f"case-{number}", line=40 + number) for number in range(5)]
    withheld = reports.check(
        "Similarity",
        "skipped",
        skip="withheld",
        reason="secrets are not given to fork pull requests",
    )
    return reports.report(
        reports.check(),
        *checks,
        withheld,
        of=reports.decision(
            "could-not-evaluate",
            "6 of 7 checks not measured: throttled",
            Reason(
                rule="unmeasured",
                message="6 of 7 gating checks not measured (throttled); `gate.unmeasured` allows 0 of them",
                checks=tuple(check.id for check in checks),
            ),
        ),
        info=reports.run(trusted=False),
    )


def _interrupted() -> Report:
    return reports.report(
        reports.check(),
        reports.errored("unavailable", "interrupted before it was measured", case="other"),
        of=reports.decision(
            "could-not-evaluate",
            "1 of 2 checks not measured: interrupted",
            Reason(rule="interrupted", message="the run was interrupted with 1 of 2 measured"),
        ),
        info=reports.run(complete=False),
    )


def _invalid() -> Report:
    problems = [
        reports.problem(),
        reports.problem(
            "`evaluators_mod` is no key of an item: did you mean `evaluators_mode`?",
            line=52,
            rule="schema/unknown-key",
        ),
    ]
    return reports.report(
        of=reports.decision(
            "invalid",
            "1 affected suite is invalid: `evals/support.json`",
            Reason(rule="suite-invalid", message="`evals/support.json` is invalid (2 errors)"),
        ),
        suites=[
            reports.suite(problems=problems),
            reports.suite(
                "evals/old.json",
                affected=False,
                reason="not affected: `evals/old.json` didn't change",
                problems=[
                    reports.problem(
                        "a legacy shape: wrap it", level="warning", path="evals/old.json", line=1
                    )
                ],
            ),
        ],
    )


def _invalid_config() -> Report:
    return reports.report(
        of=reports.decision("invalid", "the configuration is invalid: 1 problem"),
        problems=[
            reports.problem(
                "`agnt` is no key of a document group: did you mean `agent`?",
                path="mergebar.yml",
                line=9,
                rule="config/unknown-key",
            )
        ],
        info=reports.run(config_digest="", judge=None),
    )


def _advised() -> Report:
    failing = _failing()
    return reports.report(
        *failing.checks, of=failing.decision, suites=failing.suites, info=reports.run(mode="advise")
    )


STATES = {
    "passed": _passed(),
    "warning-passes": _warning_passes(),
    "nothing-affected": _nothing_affected(),
    "failed": _failing(),
    "advise": _advised(),
    "needs-review": _needs_review(),
    "could-not-evaluate": _could_not_evaluate(),
    "interrupted": _interrupted(),
    "invalid": _invalid(),
    "invalid-config": _invalid_config(),
    **compared_states.STATES,
}
