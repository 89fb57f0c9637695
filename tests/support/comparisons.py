"""Reports to compare, and what a comparison of them looks like: builders for tests."""

import dataclasses
from collections.abc import Sequence

from mergebar.model.comparisons import (
    Baseline,
    ChangeKind,
    CheckChange,
    Comparison,
    Edited,
    EvidenceKind,
    Interval,
    Loosened,
    Loosening,
    Mark,
    Renamed,
    Scores,
    Standing,
    Tally,
)
from mergebar.model.definitions import Measured
from mergebar.model.reports import Report, ReportCheck, ReportJudge
from mergebar.model.text import JsonObject
from support import reports

BASELINE = Baseline(commit="b" * 40, age_s=172_800.0, source="artifact")
JUDGE = ReportJudge(
    provider="openai", model="gpt-5-mini", parameters={"temperature": 0, "prompt_version": "1"}
)


def measured(
    *,
    prompt: str = "p",
    expected: str | None = "e",
    context: str | None = None,
    options: JsonObject | None = None,
    judged: bool = False,
    runs: int = 1,
    votes: int = 1,
    confirm: int = 0,
    judge_prompt: str | None = "relevance/1",
) -> Measured:
    """The parts of a definition; without a judge, nothing that only a judge has."""
    return Measured(
        prompt=prompt,
        expected_response=expected,
        context=context,
        options=options or {},
        judged=judged,
        judge_prompt=judge_prompt if judged else None,
        runs=runs,
        votes=votes if judged else 0,
        confirm_failures=confirm if judged else 0,
    )


def check(
    case: str = "reset",
    outcome: str = "pass",
    *,
    name: str = "ExactMatch",
    suite: str = reports.SUITE,
    turn: int = 0,
    score: float | None = None,
    weight: float = 1,
    severity: str = "error",
    must_pass: bool = False,
    threshold: float | None = 3,
    agent: str = "support",
    label: str | None = None,
    definition: str | None = None,
    parts: Measured | None = None,
    skip: str | None = None,
    reason: str | None = None,
    carried: bool = False,
    stale: bool = False,
    flaky: bool = False,
    replayed: bool = False,
) -> ReportCheck:
    """A check whose definition follows from what it measures, unless one is given."""
    what = parts or measured()
    plain = reports.check(
        name,
        outcome,
        suite=suite,
        case=case,
        label=case if label is None else label,
        turn=turn,
        score=score,
        threshold=threshold,
        reason=reason,
        severity=severity,
        must_pass=must_pass,
        gating=must_pass or severity == "error",
        skip=skip or ("declined" if outcome == "skipped" else None),
        flaky=flaky,
        replayed=replayed,
    )
    content = (
        f"{what.prompt}-{what.expected_response}-{what.context}-{sorted(what.options.items())}"
    )
    return dataclasses.replace(
        plain,
        weight=float(weight),
        agent=agent,
        carried=carried,
        stale=stale,
        definition=definition or f"{content}-{name}-{threshold}",
        measured=what,
    )


def report(*checks: ReportCheck, judge: ReportJudge | None = JUDGE, **given: object) -> Report:
    plain = reports.report(*checks, **given)  # type: ignore[arg-type]
    return dataclasses.replace(plain, run=dataclasses.replace(plain.run, judge=judge))


def tally(name: str | None = None, **given: object) -> Tally:
    """A fall of five points over forty cases."""
    plain = Tally(
        name=name,
        base=0.95,
        head=0.9,
        delta=-0.05,
        checks=40,
        n=40,
        carried=0,
        regressed=3,
        improved=1,
        p=0.625,
        interval=Interval(low=-0.17, high=0.06),
        base_interval=Interval(low=0.83, high=0.99),
        head_interval=Interval(low=0.77, high=0.96),
        scores=None,
        detectable=0.15,
        verdict=Standing.WITHIN_NOISE,
        note="3 of 40 cases regressed and 1 improved: chance alone can do that",
    )
    return dataclasses.replace(plain, **given)  # type: ignore[arg-type]


def comparison(
    *changes: CheckChange,
    loosened: Sequence[Loosened] = (),
    edited: Sequence[Edited] = (),
    evaluators: Sequence[Tally] = (),
    total: Tally | None = None,
    baseline: Baseline | None = BASELINE,
) -> Comparison:
    return Comparison(
        baseline=baseline,
        changes=changes,
        loosened=tuple(loosened),
        edited=tuple(edited),
        evaluators=tuple(evaluators),
        total=total or tally(),
    )


def full() -> Comparison:
    """A comparison with something in every field."""
    gone = f"{reports.SUITE}::gone::0::ExactMatch"
    plain = comparison(
        CheckChange(
            check=f"{reports.SUITE}::reset::0::ExactMatch",
            change=ChangeKind.REGRESSED,
            comparable=True,
            reason="",
            was="evals/old.json::reset::0::ExactMatch",
            base_outcome="pass",
            base_score=4.0,
            marks=(Mark.FLAKY, Mark.REPLAYED),
        ),
        CheckChange(
            check=gone,
            change=ChangeKind.REMOVED,
            comparable=False,
            reason="its case is gone",
            label="How do I go?",
            base_outcome="fail",
            known=True,
        ),
        loosened=[
            Loosened(
                kind=Loosening.CHECK,
                suite=reports.SUITE,
                what="case `How do I go?`",
                was="1 check",
                now="removed",
                checks=(gone,),
                failing=(gone,),
            )
        ],
        edited=[Edited(kind=EvidenceKind.TRACE, path="traces/a.jsonl", status="modified")],
        evaluators=[
            tally(
                "Relevance",
                scores=Scores(
                    base=4.5, head=4.25, delta=-0.25, n=40, interval=Interval(low=-0.5, high=0.0)
                ),
            )
        ],
    )
    return dataclasses.replace(
        plain,
        renamed=(Renamed(was="evals/old.json", now=reports.SUITE),),
        drop="the pass rate fell by 5 points",
        notes=("nothing else can be told",),
    )
