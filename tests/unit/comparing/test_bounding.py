"""Bounds of graders that a change makes wider, and those of reports from before they were told."""

import pytest

from mergebar import identity
from mergebar.catalogue import graders
from mergebar.catalogue.graders import Bound
from mergebar.comparing import bounding
from mergebar.comparing.comparability import Comparability
from mergebar.model.reports import ReportCheck
from mergebar.model.text import Json, JsonObject
from support.comparisons import JUDGE, check, measured

OTHER = "0" * 12


def side(definition: str = "d", *, prompt: str = "p", **options: Json) -> ReportCheck:
    return of({"tool": OTHER, **options}, definition, prompt=prompt)


def of(options: JsonObject, definition: str = "d", *, prompt: str = "p") -> ReportCheck:
    parts = measured(prompt=prompt, options=options)
    return check("s", name="often", definition=definition, parts=parts)


def told(base: ReportCheck, head: ReportCheck) -> list[tuple[str, str, str]]:
    return [(one.what, one.was, one.now) for one in bounding.ways(base, head)]


def test_graders_agree_on_what_a_name_bounds() -> None:
    for spec in graders.GRADERS.values():
        for option in spec.options:
            assert graders.BOUNDS.get(option.name) == option.bound, (spec.name, option.name)
    assert set(graders.BOUNDS) == {"min", "max", "maxUsd", "maxTokens"}


@pytest.mark.parametrize("name", sorted(graders.BOUNDS))
def test_every_bound_is_told_where_it_gets_wider_and_not_where_it_gets_narrower(name: str) -> None:
    low, high = of({name: 2}), of({name: 2.5})
    narrow, wide = (high, low) if graders.BOUNDS[name] is Bound.FLOOR else (low, high)
    was, now = ("2.5", "2") if narrow is high else ("2", "2.5")
    assert told(narrow, wide) == [(f"`{name}` of `often`", was, now)]
    assert told(wide, narrow) == []
    assert told(narrow, narrow) == []
    assert told(narrow, of({})) == [(f"`{name}` of `often`", was, "unset")]
    assert told(of({}), narrow) == []


@pytest.mark.parametrize(
    "head",
    [side(max=9, expect=OTHER), side(max=9, tool="1" * 12), side(max=9, prompt="another")],
    ids=["an option more", "another option", "another eval"],
)
def test_where_more_than_bounds_changed_no_direction_is_certain(head: ReportCheck) -> None:
    assert told(side(max=1), head) == []


def test_a_report_that_has_digests_for_bounds_is_as_comparable_as_it_was() -> None:
    comparable = Comparability(JUDGE, JUDGE)
    digest = identity.digest(2)[:12]
    earlier, same, other = side(max=digest), side(max=2), side("e", max=3)
    assert comparable.reason(earlier, same) == ""
    assert comparable.reason(earlier, other) == "option `max` changed"
    assert comparable.reason(same, other) == "option `max` 2 → 3"
    assert told(earlier, other) == []
