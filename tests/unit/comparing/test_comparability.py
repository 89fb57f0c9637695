"""When two checks measured the same, and what people are told when they didn't."""

import dataclasses
from collections.abc import Mapping

import pytest

from mergebar import identity
from mergebar.catalogue import defaults
from mergebar.comparing.comparability import Comparability
from mergebar.model.reports import ReportCheck, ReportJudge
from support.comparisons import JUDGE, check, measured

JUDGED = check("a", name="Relevance", parts=measured(judged=True))
COMPUTED = check("a")


def reason(base: ReportCheck, head: ReportCheck, judge: ReportJudge | None = JUDGE) -> str:
    return Comparability(JUDGE, judge).reason(base, head)


def test_the_same_is_comparable() -> None:
    assert reason(JUDGED, JUDGED) == ""
    assert reason(COMPUTED, COMPUTED) == ""


@pytest.mark.parametrize(
    "irrelevant",
    [
        {"outcome": "fail"},
        {"score": 1.0},
        {"severity": "warning"},
        {"weight": 7.0},
        {"must_pass": True},
        {"label": "another"},
        {"reason": "another"},
        {"flaky": True},
        {"carried": True},
        {"id": "elsewhere"},
    ],
    ids=str,
)
def test_what_only_decides_doesnt_matter(irrelevant: dict[str, object]) -> None:
    assert reason(COMPUTED, dataclasses.replace(COMPUTED, **irrelevant)) == ""  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("head", "said"),
    [
        (check("a", parts=measured(prompt="q")), "the prompt changed"),
        (check("a", parts=measured(expected="f")), "the expected response changed"),
        (check("a", parts=measured(expected=None)), "the expected response was removed"),
        (check("a", parts=measured(context="c")), "the context was added"),
        (
            check("a", parts=measured(options={"case_sensitive": "1"})),
            "option `case_sensitive` was added",
        ),
        (check("a", threshold=4), "threshold 3 → 4"),
        (check("a", threshold=2.5), "threshold 3 → 2.5"),
        (check("a", threshold=None), "threshold 3 → none"),
        (check("a", agent="sales"), "agent `support` → `sales`"),
        (check("a", parts=measured(runs=3)), "runs 1 → 3"),
        (check("a", definition="other"), "what it measures changed"),
        (
            check("a", threshold=4, parts=measured(prompt="q", runs=5)),
            "the prompt changed; threshold 3 → 4; runs 1 → 5",
        ),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_people_are_told_what_differs(head: ReportCheck, said: str) -> None:
    assert reason(COMPUTED, head) == said


def test_each_option_is_named_once() -> None:
    old = check("a", parts=measured(options={"a": "1", "b": "1", "c": "1"}))
    new = check("a", parts=measured(options={"b": "2", "c": "1", "d": "1"}))
    assert reason(old, new) == ("option `a` was removed; option `b` changed; option `d` was added")


def test_in_a_thread_an_earlier_prompt_may_be_what_changed() -> None:
    old, new = check("a", turn=1), check("a", turn=1, parts=measured(prompt="q"))
    assert reason(old, new) == "the prompt, or one before it, changed"


@pytest.mark.parametrize(
    ("judge", "said"),
    [
        (dataclasses.replace(JUDGE, model="gpt-5"), "judge `gpt-5-mini` → `gpt-5`"),
        (dataclasses.replace(JUDGE, provider="azure"), "judge provider `openai` → `azure`"),
        (
            dataclasses.replace(JUDGE, parameters={"temperature": 1, "prompt_version": "1"}),
            "judge parameter `temperature` 0 → 1",
        ),
        (
            dataclasses.replace(JUDGE, parameters={"prompt_version": "1"}),
            "judge parameter `temperature` 0 → unset",
        ),
        (
            dataclasses.replace(JUDGE, parameters={"temperature": 0, "prompt_version": "2"}),
            "the judge's prompt 1 → 2",
        ),
        (None, "judge `gpt-5-mini` → unknown"),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_another_judge_matters_where_a_judge_scores(judge: ReportJudge | None, said: str) -> None:
    assert reason(JUDGED, JUDGED, judge) == said
    assert reason(COMPUTED, COMPUTED, judge) == ""


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (
            measured(judged=True, judge_prompt="relevance/2"),
            "what the judge is asked `relevance/1` → `relevance/2`",
        ),
        (measured(judged=True, votes=3), "votes 1 → 3"),
        (measured(judged=True, confirm=2), "votes that confirm a failure 0 → 2"),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_how_the_judge_is_asked_matters(parts: object, said: str) -> None:
    head = dataclasses.replace(JUDGED, measured=parts)  # type: ignore[arg-type]
    assert reason(JUDGED, head) == said


def test_reports_of_old_are_compared_by_what_they_say() -> None:
    old = dataclasses.replace(JUDGED, measured=None)
    assert reason(old, old) == ""
    assert reason(old, dataclasses.replace(old, definition="f" * 64)) == "what it measures changed"
    assert reason(old, JUDGED) == "only one of the reports says what was measured"
    assert "`gpt-5`" in reason(old, old, dataclasses.replace(JUDGE, model="gpt-5"))


def spelled(name: str, options: Mapping[str, object]) -> ReportCheck:
    """As a report of old has it, each option with its digest."""
    digests = {key: identity.digest(one)[:12] for key, one in options.items()}  # type: ignore[arg-type]
    return check("a", name=name, parts=measured(options=digests))


@pytest.mark.parametrize(("name", "options"), defaults.EVALUATORS.items())
def test_a_report_of_old_that_spells_a_default_out_is_comparable_with_one_that_doesnt(
    name: str, options: Mapping[str, object]
) -> None:
    plain, full = spelled(name, {}), spelled(name, options)
    assert (reason(plain, full), reason(full, plain)) == ("", "")

    (key,) = options
    other = spelled(name, {key: "another"})
    assert reason(full, other) == f"option `{key}` was added"
    assert reason(full, dataclasses.replace(other, name="custom")) != ""


def test_what_else_differs_beside_a_spelled_default_is_told() -> None:
    full = spelled("ExactMatch", {"case_sensitive": False})
    changed = check("a", name="ExactMatch", parts=measured(prompt="q"))
    assert reason(full, changed) == "the prompt changed"


def test_an_edited_option_of_an_eval_isnt_another_question() -> None:
    """What an eval asks is told apart from its options, as far as both reports do so."""
    old = dataclasses.replace(check("a", parts=measured(options={"max": "1"})), turn=None)
    new = dataclasses.replace(check("a", parts=measured(options={"max": "2"})), turn=None)
    asks = dataclasses.replace(check("a", parts=measured(prompt="q")), turn=None)
    assert reason(old, new) == "option `max` changed"
    assert reason(old, asks) == "what it asks changed; option `max` was removed"


def test_what_an_earlier_version_wrote_of_the_same_definition_doesnt_matter() -> None:
    old = dataclasses.replace(check("a", definition="d", parts=measured(prompt="d")), turn=None)
    new = dataclasses.replace(check("a", definition="d", parts=measured(prompt="e")), turn=None)
    assert reason(old, new) == ""


def test_recordings_are_called_replayed_verdicts_and_not_no_model() -> None:
    replay = dataclasses.replace(JUDGE, provider="replay", model=None)
    said = Comparability(replay, JUDGE).reason(JUDGED, JUDGED)
    assert "judge replayed verdicts → `gpt-5-mini`" in said
    assert "none" not in said
    assert Comparability(replay, replay).reason(JUDGED, JUDGED) == ""
