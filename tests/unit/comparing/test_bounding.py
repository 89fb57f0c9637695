"""Options that a change eases, and those of reports from before that was told."""

import dataclasses

import pytest

from mergebar import identity
from mergebar.catalogue import easing, evaluators, graders
from mergebar.catalogue.graders import Bound
from mergebar.comparing import bounding
from mergebar.comparing.comparability import Comparability
from mergebar.model.plans import CheckKind
from mergebar.model.reports import ReportCheck
from mergebar.model.text import Json, JsonObject
from mergebar.planning import measuring
from support import builders
from support.comparisons import JUDGE, check, measured

OTHER = "0" * 12


def side(definition: str = "d", *, prompt: str = "p", **options: Json) -> ReportCheck:
    return of({"tool": OTHER, **options}, definition, prompt=prompt)


def of(options: JsonObject, definition: str = "d", *, prompt: str = "p") -> ReportCheck:
    parts = measured(prompt=prompt, options=options)
    made = check("s", name="often", definition=definition, parts=parts)
    return dataclasses.replace(made, kind=CheckKind.GRADER.value)


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


# --- the options of evaluators, as a plan has them

HITS: JsonObject = {"capability": "Pages"}
QUERY: JsonObject = {"capability": "Pages", "selector": "s"}
ITEM, OTHERS = ({"retrievalExtract_contains": text} for text in ("a", "b"))


def planned(name: str, options: JsonObject) -> ReportCheck:
    use = builders.use(name, options=options)
    parts = measuring.parts(builders.turn(), use, prompts=["p"], runs=1, judge=None)
    return check("s", name=name, parts=parts)


@pytest.mark.parametrize(
    ("name", "strict", "mild", "says"),
    [
        (
            "RetrievalResult",
            {**HITS, "max_rank": 3},
            {**HITS, "max_rank": 4},
            ("max_rank", "3", "4"),
        ),
        ("RetrievalResult", {**HITS, "max_rank": 3}, HITS, ("max_rank", "3", "10")),
        ("RetrievalResult", HITS, {**HITS, "max_rank": 20}, ("max_rank", "10", "20")),
        (
            "RetrievalResult",
            {**HITS, "min_expected_count": 3},
            {**HITS, "min_expected_count": 2},
            ("min_expected_count", "3", "2"),
        ),
        (
            "RetrievalResult",
            {**HITS, "expected_items": [ITEM, OTHERS]},
            {**HITS, "expected_items": [OTHERS]},
            ("expected_items", "2 texts", "1 text"),
        ),
        (
            "RetrievalQuery",
            {**QUERY, "includes": ["a", "b"]},
            {**QUERY, "includes": ["b"]},
            ("includes", "2 texts", "1 text"),
        ),
        ("RetrievalQuery", {**QUERY, "excludes": ["a"]}, QUERY, ("excludes", "1 text", "unset")),
        ("ExactMatch", {"case_sensitive": True}, {}, ("case_sensitive", "true", "false")),
        (
            "PartialMatch",
            {"case_sensitive": True},
            {"case_sensitive": False},
            ("case_sensitive", "true", "false"),
        ),
        (
            "Citations",
            {"citation_format": "bracket"},
            {"citation_format": "mixed"},
            ("citation_format", "`bracket`", "`mixed`"),
        ),
        (
            "Citations",
            {},
            {"citation_format": "inline"},
            ("citation_format", "`oai_unicode`", "`inline`"),
        ),
    ],
)
def test_an_option_of_an_evaluator_is_told_where_it_asks_for_less(
    name: str, strict: JsonObject, mild: JsonObject, says: tuple[str, str, str]
) -> None:
    option, was, now = says
    assert told(planned(name, strict), planned(name, mild)) == [
        (f"`{option}` of `{name}`", was, now)
    ]
    assert told(planned(name, mild), planned(name, strict)) == []
    reason = Comparability(JUDGE, JUDGE).reason(planned(name, strict), planned(name, mild))
    assert f"option `{option}`" in reason or reason == ""


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("RetrievalQuery", {**QUERY, "includes": ["a", "b"]}, {**QUERY, "includes": ["c"]}),
        ("RetrievalQuery", {**QUERY, "includes": ["a", "b"]}, {**QUERY, "includes": ["b", "a"]}),
        ("RetrievalQuery", {**QUERY, "includes": ["a"]}, {**QUERY, "selector": "t"}),
        ("Citations", {"citation_format": "bracket"}, {"citation_format": "markdown"}),
        ("Citations", {"citation_format": "mixed"}, {"citation_format": "inline"}),
        ("custom:case", {"case_sensitive": True, "max_rank": 1}, {"max_rank": 9}),
    ],
)
def test_what_has_no_certain_direction_is_not_told(
    name: str, before: JsonObject, after: JsonObject
) -> None:
    assert told(planned(name, before), planned(name, after)) == []


def test_every_option_with_a_direction_is_one_of_a_built_in_evaluator() -> None:
    assert set(easing.EVALUATORS) <= set(evaluators.EVALUATORS)


def test_a_report_with_one_digest_for_a_list_tells_nothing_of_it() -> None:
    earlier = check("s", name="RetrievalQuery", parts=measured(options={"includes": OTHER}))
    assert told(earlier, planned("RetrievalQuery", {"includes": ["a"]})) == []
