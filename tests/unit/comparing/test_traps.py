"""What comparisons elsewhere got wrong, each as a test of its own."""

import dataclasses
from collections.abc import Sequence

import pytest

from mergebar import comparing
from mergebar.comparing import Circumstances, Evidence, Policies
from mergebar.model.changes import Change, Status
from mergebar.model.comparisons import ChangeKind, Comparison, Loosening, Mark, Standing
from mergebar.model.configuration import GatePolicy, Mode
from mergebar.model.plans import PlannedCase
from mergebar.model.reports import Report, ReportCheck
from support import builders
from support.comparisons import BASELINE, JUDGE, check, measured, report


def compare(
    base: Report | Sequence[ReportCheck], head: Report | Sequence[ReportCheck], **more: object
) -> Comparison:
    there, here = (one if isinstance(one, Report) else report(*one) for one in (base, head))
    circumstances = Circumstances(**more)  # type: ignore[arg-type]
    return comparing.compare(there, here, baseline=BASELINE, circumstances=circumstances)


def kinds(found: Comparison) -> dict[str, ChangeKind]:
    return {one.check.split("::")[1]: one.change for one in found.changes}


def carried(checks: Sequence[ReportCheck]) -> list[ReportCheck]:
    return [dataclasses.replace(one, carried=True) for one in checks]


def test_a_swap_of_failures_isnt_hidden_by_their_number() -> None:
    found = compare([check("a", "fail"), check("b")], [check("a"), check("b", "fail")])
    assert kinds(found) == {"a": ChangeKind.IMPROVED, "b": ChangeKind.REGRESSED}
    assert found.total.delta == 0


def test_a_case_that_errors_doesnt_raise_the_rate() -> None:
    base = [check("a", score=1), check("b", "fail", score=0)]
    found = compare(base, [base[0], check("b", "error")])
    assert (found.total.base, found.total.head) == (1, 1)
    assert kinds(found)["b"] is ChangeKind.NOT_COMPARABLE
    scores = found.evaluators[0].scores
    assert scores is not None
    assert scores.delta == 0


def test_a_removed_failing_check_isnt_fixed() -> None:
    found = compare([check("a"), check("b", "fail")], [check("a")])
    assert kinds(found)["b"] is ChangeKind.REMOVED
    assert (found.total.delta, found.total.improved) == (0, 0)


def test_a_failing_case_that_is_deleted_is_loosened_and_fails_on_the_base() -> None:
    (entry,) = compare([check("a"), check("b", "fail")], [check("a")]).loosened
    assert entry.kind is Loosening.CHECK
    assert entry.failing == (check("b").id,)
    found = compare([check("a"), check("b", "fail")], [check("a")])
    assert comparing.loosened(found) == "1 loosened, 1 of them failing on the base"


def test_a_renamed_prompt_is_removed_and_new_and_likened() -> None:
    old = check("0a1b", "fail", label="How do I reset my pasword?", parts=measured(expected=None))
    new = check("2c3d", label="How do I reset my password?", parts=measured(expected=None))
    found = compare([check("x"), old], [check("x"), new])
    assert kinds(found) == {
        "x": ChangeKind.STILL_PASSING,
        "2c3d": ChangeKind.NEW,
        "0a1b": ChangeKind.REMOVED,
    }
    assert found.changes[-1].reason == "its case is gone; the new case `2c3d` looks like it"
    assert found.loosened[0].failing == (old.id,)


def test_a_prompt_that_was_rewritten_is_likened_by_what_it_expects() -> None:
    old = check("a", label="Where?", parts=measured(prompt="1", expected="the same"))
    new = check("b", label="Tell me the place", parts=measured(prompt="2", expected="the same"))
    found = compare([check("x"), old], [check("x"), new])
    assert found.changes[-1].reason.endswith("the new case `b` looks like it")


def test_of_several_that_expect_the_same_the_most_similar_is_likened() -> None:
    """And the one with the same prompt before all: then only its id is another."""
    gone = [
        check(name, label=f"Is {name} shut?", parts=measured(prompt=prompt))
        for name, prompt in (("a", "1"), ("b", "2"))
    ]
    here = [
        check(f"{name}{name}", label=label, parts=measured(prompt=prompt))
        for name, label, prompt in (("a", "Is a shut", "3"), ("b", "Shut?", "2"))
    ]
    found = compare([check("x"), *gone], [check("x"), *here])
    assert [one.reason for one in found.changes[-2:]] == [
        f"its case is gone; the new case `{name}` looks like it" for name in ("aa", "bb")
    ]


def test_another_prompt_isnt_likened() -> None:
    old = check("a", label="Where is it?", parts=measured(prompt="1", expected="here"))
    new = check("b", label="Who are you?", parts=measured(prompt="2", expected="me"))
    found = compare([check("x"), old], [check("x"), new])
    assert found.changes[-1].reason == "its case is gone"


def test_duplicate_prompts_keep_their_own_outcomes() -> None:
    one, two = measured(expected="one"), measured(expected="two")
    base = [check("k", "fail", parts=one), check("k~2", parts=two)]
    head = [check("k", parts=two), check("k~2", "fail", parts=one)]
    found = compare(base, head)
    assert kinds(found) == {"k": ChangeKind.STILL_PASSING, "k~2": ChangeKind.STILL_FAILING}


def noisy() -> Report:
    """A baseline in which one noisy run failed a check that used to pass."""
    failed = report(check("a", "fail"))
    return dataclasses.replace(failed, comparison=compare([check("a")], failed))


def test_one_noisy_run_on_the_base_makes_no_known_failure() -> None:
    assert comparing.known(compare(noisy(), [check("a", "fail")])) == frozenset()
    assert kinds(compare(noisy(), [check("a")])) == {"a": ChangeKind.IMPROVED}


def test_a_regression_of_main_isnt_excused_on_a_branch() -> None:
    found = compare(noisy(), [check("a", "fail")])
    assert found.changes[0].change is ChangeKind.STILL_FAILING
    assert not found.changes[0].known


def test_a_readme_only_change_while_main_is_red_shows_nothing_new() -> None:
    base = [check("a", "fail"), check("b")]
    found = compare(base, carried(base))
    assert set(kinds(found).values()) == {ChangeKind.CARRIED}
    assert found.loosened == ()
    assert found.total.verdict is Standing.TOO_FEW


def test_main_changed_the_agents_sources_after_the_baselines_commit() -> None:
    old = check("a")
    planned = dataclasses.replace(
        builders.check(old.name, suite=old.suite, case=old.case, threshold=old.threshold),
        definition=old.definition,
        measured=old.measured,
    )
    case = PlannedCase(
        suite=old.suite, case=builders.case("a"), agent="support", runs=1, checks=(planned,)
    )
    found = comparing.carry(
        [case],
        baseline=report(old),
        judge=JUDGE,
        affects=lambda _: "`agents/support/agent.py` changed since the baseline",
        renames={},
    )
    assert found.carried == ()
    assert found.refused[0].reason == "`agents/support/agent.py` changed since the baseline"


def test_a_first_change_without_a_baseline_knows_nothing() -> None:
    found = comparing.compare(None, report(check("a", "fail")), baseline=None)
    assert comparing.new(found) is None
    assert comparing.known(found) == frozenset()
    assert found.total.base is None


@pytest.mark.parametrize(
    ("base", "head", "kind", "change"),
    [
        (
            check("a", "fail", threshold=4),
            check("a", threshold=2),
            Loosening.THRESHOLD,
            ChangeKind.NOT_COMPARABLE,
        ),
        (
            check("a", "fail"),
            check("a", "fail", severity="notice"),
            Loosening.SEVERITY,
            ChangeKind.STILL_FAILING,
        ),
        (
            check("a", "fail", weight=1),
            check("a", "fail", weight=1e-9),
            Loosening.WEIGHT,
            ChangeKind.STILL_FAILING,
        ),
        (
            check("a", "fail"),
            check("a", "skipped", reason="skipped by its author"),
            Loosening.SKIP,
            ChangeKind.NOT_COMPARABLE,
        ),
    ],
    ids=["threshold", "severity", "weight", "skip"],
)
def test_a_failing_check_that_is_let_off_is_told(
    base: ReportCheck, head: ReportCheck, kind: Loosening, change: ChangeKind
) -> None:
    found = compare([base], [head])
    assert [(one.kind, one.failing) for one in found.loosened] == [(kind, (head.id,))]
    assert kinds(found) == {"a": change}
    assert found.total.improved == 0


def test_the_gate_loosened_in_mergebar_yml_is_told() -> None:
    loose = builders.config(gate=GatePolicy(mode=Mode.ADVISE, new_failures_block=False))
    policies = Policies(base=builders.config(), head=loose)
    found = compare([check("a")], [check("a")], policies=policies)
    assert [one.what for one in found.loosened] == ["`gate.mode`", "`gate.new_failures`"]


def test_a_trace_edited_by_hand_is_named() -> None:
    found = compare(
        [check("a", "fail")],
        [check("a")],
        files=(Change(path="traces/a.jsonl"),),
        evidence=Evidence(traces=("traces/**",)),
    )
    assert [one.path for one in found.edited] == ["traces/a.jsonl"]


def test_evidence_that_only_main_touched_since_isnt_edited_here() -> None:
    found = compare(
        [check("a")],
        [check("a")],
        files=(Change(path="traces/a.jsonl"),),
        touched=(),
        evidence=Evidence(traces=("traces/**",)),
    )
    assert found.edited == ()


def test_another_threshold_is_no_improvement() -> None:
    found = compare([check("a", "fail", threshold=4)], [check("a", threshold=3)])
    assert (found.changes[0].change, found.changes[0].reason) == (
        ChangeKind.NOT_COMPARABLE,
        "threshold 4 → 3",
    )


def test_another_judge_is_no_regression() -> None:
    judged = check("a", name="Relevance", parts=measured(judged=True))
    head = report(
        dataclasses.replace(judged, outcome="fail"), judge=dataclasses.replace(JUDGE, model="gpt-5")
    )
    found = compare([judged], head)
    assert found.changes[0].change is ChangeKind.NOT_COMPARABLE
    assert found.changes[0].reason == "judge `gpt-5-mini` → `gpt-5`"


def test_a_suite_that_is_renamed_and_edited_is_compared_where_it_can_be() -> None:
    moved = Change(path="evals/y.json", old_path="evals/x.json", status=Status.RENAMED)
    base = [check(case, "fail", suite="evals/x.json") for case in ("same", "edited", "gone")]
    head = [
        check("same", suite="evals/y.json"),
        check("edited", suite="evals/y.json", parts=measured(expected="else")),
        check("added", suite="evals/y.json", label="something else"),
    ]
    found = compare(base, head, files=(moved,))
    assert kinds(found) == {
        "same": ChangeKind.IMPROVED,
        "edited": ChangeKind.NOT_COMPARABLE,
        "added": ChangeKind.NEW,
        "gone": ChangeKind.REMOVED,
    }


def test_a_baseline_with_other_weights_is_weighed_anew() -> None:
    base = [check("a", "fail", weight=100), check("b", weight=1)]
    head = [check("a", "fail", weight=1), check("b", weight=1)]
    found = compare(base, head)
    assert (found.total.base, found.total.head, found.total.delta) == (0.5, 0.5, 0)


def test_a_suite_of_one_case_never_shows_a_difference() -> None:
    found = compare([check("a")], [check("a", "fail")])
    assert kinds(found) == {"a": ChangeKind.REGRESSED}
    assert found.total.verdict is Standing.TOO_FEW
    assert found.total.detectable is None


def test_everything_carried_shows_how_little_was_measured() -> None:
    base = [check(f"c{index}") for index in range(50)]
    total = compare(base, carried(base), max_drop=0.1).total
    assert (total.n, total.carried, total.verdict) == (0, 50, Standing.TOO_FEW)


def test_nothing_comparable_has_no_rates() -> None:
    found = compare([check("a")], [check("a", agent="other")])
    assert (found.total.base, found.total.head, found.evaluators) == (None, None, ())
    assert found.notes == ("nothing is comparable with the baseline",)


def test_very_small_and_very_large_weights_keep_their_meaning() -> None:
    base = [check("a", weight=1e-9), check("b", weight=1e9)]
    head = [check("a", "fail", weight=1e-9), check("b", weight=1e9)]
    total = compare(base, head).total
    assert total.base == 1
    assert total.head == pytest.approx(1, abs=1e-12)
    assert total.regressed == 1


def test_a_flaky_failure_of_the_base_is_neither_known_nor_hidden() -> None:
    found = compare([check("a", "fail", flaky=True)], [check("a", "fail")])
    assert found.changes[0].marks == (Mark.FLAKY,)
    assert comparing.known(found) == frozenset()


def test_a_report_against_itself_shows_nothing() -> None:
    both = report(
        check("a"),
        check("b", "fail", flaky=True),
        check("c", "error"),
        check("d", "skipped"),
        check("e", "needs-review"),
        check("e~2", name="Relevance", parts=measured(judged=True), weight=3),
    )
    found = compare(both, both)
    assert set(kinds(found).values()) == {ChangeKind.STILL_PASSING, ChangeKind.STILL_FAILING}
    assert (found.loosened, found.edited, found.renamed, found.notes) == ((), (), (), ())
    assert found.total.delta == 0


LINKED = (
    Change(path="real/a.json", status=Status.RENAMED, old_path="evals/a.json"),
    Change(path="evals/a.json", status=Status.MODIFIED),
)
DELETED = (
    Change(path="evals/a.json", status=Status.DELETED),
    Change(path="real/a.json", status=Status.ADDED),
)


@pytest.mark.parametrize("files", [LINKED, DELETED], ids=["renamed", "deleted"])
def test_a_suite_that_a_link_leads_to_now_is_the_same_suite(files: tuple[Change, ...]) -> None:
    """Git tells of the file, and the path is that of the suite."""
    sides = [[check("a", outcome, suite="evals/a.json")] for outcome in ("pass", "fail")]
    found = compare(*(report(*checks) for checks in sides), files=files)
    assert kinds(found) == {"a": ChangeKind.REGRESSED}
    assert (found.renamed, found.loosened) == ((), ())


def test_a_suite_that_gave_its_name_to_another_moved() -> None:
    files = (
        Change(path="c.json", status=Status.RENAMED, old_path="a.json"),
        Change(path="a.json", status=Status.RENAMED, old_path="b.json"),
    )
    base = [check("a", suite="a.json"), check("b", suite="b.json")]
    head = [check("a", suite="c.json"), check("b", suite="a.json")]
    assert set(kinds(compare(base, head, files=files)).values()) == {ChangeKind.STILL_PASSING}


def test_an_exchanged_evaluator_is_no_removed_case() -> None:
    found = compare([check("a", "fail", name="ExactMatch")], [check("a", name="PartialMatch")])
    assert [one.reason for one in found.changes] == [
        "the baseline doesn't have it",
        "`ExactMatch` is gone from its case",
    ]
    (entry,) = found.loosened
    assert (entry.kind, entry.what) == (Loosening.EVALUATOR, "`ExactMatch`")


def test_so_it_is_in_a_suite_that_was_renamed() -> None:
    files = (Change(path="b.json", status=Status.RENAMED, old_path="a.json"),)
    base = [check("a", name="ExactMatch", suite="a.json")]
    head = [check("a", name="PartialMatch", suite="b.json")]
    gone = compare(base, head, files=files).changes[-1]
    assert gone.reason == "`ExactMatch` is gone from its case"


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ((Change(path="evals/a.json", status=Status.DELETED),), "its suite is gone"),
        ((Change(path="mergebar.yml"),), "its suite is in no group any more"),
        ((), "its suite is gone"),
    ],
    ids=["deleted", "narrowed", "unknown"],
)
def test_a_suite_that_nobody_asks_for_any_more_isnt_gone(
    files: tuple[Change, ...], said: str
) -> None:
    found = compare([check("a", suite="evals/a.json"), check("b")], [check("b")], files=files)
    assert [one.reason for one in found.changes if one.change is ChangeKind.REMOVED] == [said]
