"""Suites of two reports that may be one under two names, where nobody can ask git."""

from collections.abc import Iterable

import pytest

from mergebar.comparing.renamed_suites import remarks
from mergebar.model.reports import Report
from support import reports


def measured(**suites: Iterable[str]) -> Report:
    """A report with these cases of each suite."""
    return reports.report(
        *(
            reports.check(suite=suite, case=case, label=case)
            for suite, cases in suites.items()
            for case in cases
        )
    )


def test_it_is_the_suite_that_measures_most_of_the_same() -> None:
    (said,) = remarks(measured(old="abcd"), measured(few="ab", most="abc"), renames={})
    assert said.startswith("`old` may be `most` now: 3 of its 4 checks")


def test_of_two_that_measure_as_much_it_is_the_first_by_name() -> None:
    (said,) = remarks(measured(old="abcd"), measured(two="abc", one="bcd"), renames={})
    assert said.startswith("`old` may be `one` now")


@pytest.mark.parametrize(("kept", "told"), [("ab", True), ("a", False)])
def test_half_of_the_checks_are_enough(kept: str, told: bool) -> None:  # noqa: FBT001 - a table
    said = remarks(measured(old="abcd", same="x"), measured(new=kept, same="x"), renames={})
    assert bool(said) is told


def test_what_is_measured_in_many_places_tells_none_of_them() -> None:
    many = {f"many{number}": "ab" for number in range(9)}
    (said,) = remarks(measured(old="ab"), measured(**many), renames={})
    assert said.startswith("`old` may be `many0` now")


def test_only_suites_that_are_new_take_over() -> None:
    assert remarks(measured(old="ab", same="ab"), measured(same="ab"), renames={}) == ()


def test_what_git_calls_renamed_is_no_guess() -> None:
    assert remarks(measured(old="ab"), measured(new="ab"), renames={"old": "new"}) == ()


def test_reports_of_two_repositories_are_asked_about() -> None:
    (said,) = remarks(measured(old="ab"), measured(new="xy"), renames={})
    assert said.startswith("the reports have no suite in common")
    assert remarks(measured(), measured(new="xy"), renames={}) == ()


@pytest.mark.parametrize(
    ("count", "more"),
    [
        (3, ()),
        (4, ("1 more suite may be renamed",)),
        (7, ("4 more suites may be renamed",)),
    ],
)
def test_three_are_told_and_the_others_counted(count: int, more: tuple[str, ...]) -> None:
    old = {f"old{number}": [f"case {number}"] for number in range(count)}
    new = {f"new{number}": [f"case {number}"] for number in range(count)}
    said = remarks(measured(**old), measured(**new), renames={})
    assert (len(said[:3]), said[3:]) == (3, more)
