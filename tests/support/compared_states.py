"""Reports that were compared with a baseline, as people will see them: every kind of change."""

import dataclasses
from collections.abc import Sequence

from mergebar import comparing
from mergebar.comparing import Circumstances, Evidence
from mergebar.model.changes import Change, Status
from mergebar.model.comparisons import Baseline, Loosened, Loosening
from mergebar.model.decisions import Decision, Reason
from mergebar.model.reports import Report, ReportCheck, ReportJudge, ReportRun, ReportSuite
from support import comparisons, reports
from support.comparisons import check, measured

BASELINE = Baseline(commit="b" * 40, age_s=2 * 86_400.0, source="artifact")
PLANS = "evals/plans.json"
_EDITED = (
    Change(path="traces/deploy.jsonl"),
    Change(path="recordings/support.json", status=Status.ADDED),
    Change(path="evals/plans.json", old_path="evals/prices.json", status=Status.RENAMED),
)
_EVIDENCE = Evidence(traces=("traces/*.jsonl",), recordings=("recordings",))


def compared(
    base: Sequence[ReportCheck],
    head: Sequence[ReportCheck],
    decision: Decision,
    *,
    files: Sequence[Change] = (),
    judge: ReportJudge = comparisons.JUDGE,
    max_drop: float | None = None,
) -> Report:
    """The report of `head` beside a baseline of `base`, compared by the program."""
    suites = {one.suite: reports.suite(one.suite) for one in (*base, *head)}
    before = comparisons.report(*base, suites=list(suites.values()))
    after = comparisons.report(*head, of=decision, judge=judge, suites=_suites(head))
    comparison = comparing.compare(
        before,
        after,
        baseline=BASELINE,
        circumstances=Circumstances(files=tuple(files), evidence=_EVIDENCE, max_drop=max_drop),
    )
    totals = dataclasses.replace(
        after.totals,
        carried=sum(one.carried for one in head),
        base_pass_rate=before.totals.pass_rate,
    )
    return dataclasses.replace(after, comparison=comparison, totals=totals)


def _suites(checks: Sequence[ReportCheck]) -> list[ReportSuite]:
    here = {one.suite: False for one in checks}
    for one in checks:
        here[one.suite] = here[one.suite] or not one.carried
    why = {
        True: "affected: `prompts/support.md` is a source of agent `support`",
        False: "not affected",
    }
    return [reports.suite(path, affected=runs, reason=why[runs]) for path, runs in here.items()]


def _repeated(plain: ReportCheck, *scores: float) -> ReportCheck:
    runs = tuple(
        ReportRun(outcome="pass" if score >= 3 else "fail", score=score, reason="", votes=())
        for score in scores
    )
    return dataclasses.replace(plain, runs=runs, flaky=True)


def _failed() -> Report:
    judged = measured(judged=True)
    steady = [(f"q{n}", f"Question {n}") for n in range(8)]
    base = [
        *(check(case, name="Relevance", label=label, parts=judged) for case, label in steady),
        check("reset", name="Relevance", label="How do I reset it?", parts=judged),
        check("plan-b", suite="evals/prices.json", label="What does plan B cost?"),
        check("bill", "fail", label="Where is my bill?"),
        check("cancel", "fail", label="How do I cancel?", threshold=4),
        check("old", "fail", label="Is it still sold?"),
        check("slow", label="Why is it slow?", parts=measured(prompt="other")),
        check("busy", label="Are you there?"),
        *(check(f"c{n}", suite="evals/faq.json", label=f"FAQ {n}") for n in range(3)),
        check("c9", "fail", suite="evals/faq.json", label="FAQ 9"),
    ]
    regressed = check(
        "reset", "fail", name="Relevance", label="How do I reset it?", parts=judged,
        reason="names another product", must_pass=True,
    )  # fmt: skip
    new = check("refund", "fail", label="Can I have a refund?", reason="no word about the 30 days")
    known = check("bill", "fail", label="Where is my bill?", reason="an old address")
    head = [
        *(check(case, name="Relevance", label=label, parts=judged) for case, label in steady[:7]),
        _repeated(check("q7", name="Relevance", label="Question 7", parts=judged), 4, 2, 5),
        known,
        regressed,
        new,
        check("plan-b", suite=PLANS, label="What does plan B cost?"),
        check("cancel", label="How do I cancel?", threshold=3),
        check("slow", label="Why is it slow?", parts=measured(prompt="this")),
        dataclasses.replace(
            reports.errored(name="ExactMatch", case="busy", label="Are you there?"),
            measured=measured(),
            definition=check("busy").definition,
        ),
        *(check(f"c{n}", suite="evals/faq.json", label=f"FAQ {n}", carried=True) for n in range(3)),
        check("c9", "fail", suite="evals/faq.json", label="FAQ 9", carried=True),
    ]
    return compared(
        base,
        head,
        reports.decision(
            "failed",
            "2 checks block (1 regressed, 1 new) · 2 loosened, 2 of them failing on main",
            Reason(
                rule="check-failed", message="2 gating checks failed", checks=(regressed.id, new.id)
            ),
            Reason(
                rule="failure-allowed",
                message="1 failing check does not block: known failures, "
                "and `gate.known_failures` is `allow`",
                checks=(known.id,),
            ),
            Reason(
                rule="carried-failures",
                message="1 failing check does not block: this change doesn't affect them",
                checks=(head[-1].id,),
            ),
        ),
        files=_EDITED,
        max_drop=0.05,
    )


def _improved() -> Report:
    cases = [(f"q{n}", f"Question {n}") for n in range(12)]
    base = [
        check(case, "fail" if n < 7 else "pass", name="Relevance", label=label)
        for n, (case, label) in enumerate(cases)
    ]
    head = [check(case, name="Relevance", label=label) for case, label in cases]
    return compared(base, head, reports.decision("passed", "12 checks measured"))


def _carried() -> Report:
    base = [check(f"q{n}", "fail" if n == 3 else "pass", label=f"Question {n}") for n in range(18)]
    head = [dataclasses.replace(one, carried=True) for one in base]
    return compared(
        base,
        head,
        reports.decision("passed", "nothing affected, 18 carried from `bbbbbbb` (2 days)"),
    )


def _other_judge() -> Report:
    parts = measured(judged=True)
    base = [check(f"q{n}", name="Relevance", label=f"Question {n}", parts=parts) for n in range(4)]
    judge = dataclasses.replace(comparisons.JUDGE, model="gpt-5")
    decision = reports.decision("passed", "4 checks measured · 1 loosened")
    return compared(base, base, decision, judge=judge)


def _loosened_review() -> Report:
    """Without a baseline, of which the policy is all that can be compared."""
    looser = Loosened(
        kind=Loosening.POLICY, suite=None, what="`gate.severity`", was="warning", now="error"
    )
    plain = reports.report(
        reports.check(),
        of=reports.decision(
            "needs-review",
            "1 loosened",
            Reason(rule="loosened", message="1 loosened, and `gate.loosened` is `review`"),
        ),
    )
    note = "`gate.max_drop` can't fire here: there is no baseline"
    alone = dataclasses.replace(
        comparing.compare(None, plain, baseline=None), loosened=(looser,), notes=(note,)
    )
    return dataclasses.replace(plain, comparison=alone)


WITHOUT_A_LINE = frozenset({"compared-improved", "compared-other-judge", "loosened-review"})
"""Nothing in these is about a line of a file."""

STATES = {
    "compared-failed": _failed(),
    "compared-improved": _improved(),
    "compared-all-carried": _carried(),
    "compared-other-judge": _other_judge(),
    "loosened-review": _loosened_review(),
}
