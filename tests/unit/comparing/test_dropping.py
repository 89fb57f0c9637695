"""`gate.max_drop`: it fires on a fall that is more than chance, and says where it can't."""

import dataclasses

from mergebar import comparing
from mergebar.comparing import Circumstances
from mergebar.model.comparisons import Comparison
from mergebar.model.reports import ReportCheck
from support.comparisons import BASELINE, check, report


def outcomes(passed: int, failed: int, **more: object) -> list[ReportCheck]:
    words = ["pass"] * passed + ["fail"] * failed
    return [
        check(f"c{index}", word, **more)  # type: ignore[arg-type]
        for index, word in enumerate(words)
    ]


def compare(
    base: list[ReportCheck], head: list[ReportCheck], *, max_drop: float | None = 0.05
) -> Comparison:
    return comparing.compare(
        report(*base),
        report(*head),
        baseline=BASELINE,
        circumstances=Circumstances(max_drop=max_drop),
    )


def test_a_fall_beyond_it_and_beyond_chance_fires() -> None:
    found = compare(outcomes(20, 0), outcomes(15, 5))
    assert found.drop == (
        "the pass rate over 20 comparable checks fell by 25 points, and `gate.max_drop` allows "
        "5 points (p = 0.031)"
    )
    assert found.notes == ()


def test_a_fall_that_may_be_chance_is_noted_and_doesnt_fire() -> None:
    found = compare(outcomes(20, 0), outcomes(16, 4))
    assert found.drop is None
    (note,) = found.notes
    assert note == (
        "the pass rate over 20 comparable checks fell by 20 points, and `gate.max_drop` allows "
        "5 points, but that may be chance (p = 0.062)"
    )


def test_a_fall_within_it_says_nothing() -> None:
    found = compare(outcomes(200, 0), outcomes(190, 10))
    assert (found.drop, found.notes) == (None, ())
    assert compare(outcomes(200, 0), outcomes(189, 11)).drop is not None


def test_a_rise_never_fires() -> None:
    assert compare(outcomes(10, 10), outcomes(20, 0)).drop is None


def test_without_the_setting_there_is_no_rule() -> None:
    found = compare(outcomes(20, 0), outcomes(0, 20), max_drop=None)
    assert (found.drop, found.notes) == (None, ())


def test_where_it_can_never_fire_that_is_said() -> None:
    found = compare(outcomes(4, 30), outcomes(0, 34))
    assert found.drop is None
    (note,) = found.notes
    assert note == (
        "`gate.max_drop` can't fire here: of the cases that pass in the baseline, 4 were measured "
        "here, and it takes 5"
    )
    assert compare(outcomes(5, 1), outcomes(0, 6)).drop is not None


def test_carried_cases_cant_get_worse() -> None:
    base = outcomes(30, 0)
    head = [dataclasses.replace(one, carried=True) for one in base[:26]] + base[26:]
    (note,) = compare(base, head).notes
    assert "4 were measured here" in note


def test_carried_checks_are_in_the_rate_that_falls() -> None:
    base = outcomes(100, 0)
    head = [dataclasses.replace(one, carried=True) for one in base[:94]]
    head += [dataclasses.replace(one, outcome="fail") for one in base[94:]]
    drop = compare(base, head).drop
    assert drop is not None
    assert "fell by 6 points" in drop


def test_the_weight_decides_how_far_the_rate_fell() -> None:
    base = [*outcomes(20, 0), check("heavy", weight=1000)]
    head = [*outcomes(10, 10), check("heavy", weight=1000)]
    assert compare(base, head).drop is None
    assert compare(base, head, max_drop=0.001).drop is not None


def test_what_doesnt_gate_has_no_rate_to_fall() -> None:
    found = compare(outcomes(20, 0, severity="notice"), outcomes(0, 20, severity="notice"))
    assert found.drop is None
    assert "0 were measured here" in found.notes[0]


def test_many_checks_of_one_case_are_one_case() -> None:
    base = [check("a", name=f"E{index}") for index in range(20)]
    head = [dataclasses.replace(one, outcome="fail") for one in base]
    assert compare(base, head).drop is None


def test_without_a_baseline_it_says_that_it_cant_fire() -> None:
    found = comparing.compare(
        None, report(), baseline=None, circumstances=Circumstances(max_drop=0.1)
    )
    assert found.notes == ("`gate.max_drop` can't fire here: there is no baseline",)
