"""`turn-count` and `cost`: what a trace counts, and what it can't say."""

from pathlib import Path

import pytest

from support import graded, traces
from support.graded import notices, one, outcome, words

STREAM = traces.streamed([
    traces.init(),
    traces.replied(traces.text("done"), name="m1", usage=traces.usage(100, 20, read=5000)),
    traces.ended("done"),
])  # fmt: skip
TWO_TURNS = traces.chained([
    traces.said("first"),
    traces.replied(traces.text("one"), name="m1", usage=traces.usage(10, 5)),
    traces.replied(traces.text("one more"), name="m1", usage=traces.usage(10, 5)),
    traces.said("<system-reminder>be brief</system-reminder>", isMeta=True),
    traces.said("second"),
    traces.replied(traces.text("two"), name="m2", usage=traces.usage(20, 10, read=900)),
])  # fmt: skip


@pytest.mark.parametrize(
    ("options", "expected", "said"),
    [
        ("min: 2, max: 2", "pass", "2 turns in the session"),
        ("max: 1", "fail", "2 turns in the session, and at most 1 are allowed"),
        ("min: 3", "fail", "at least 3 are wanted"),
    ],
)
def test_turns_are_what_a_person_typed(
    tmp_path: Path, options: str, expected: str, said: str
) -> None:
    found = one(tmp_path, TWO_TURNS, f"grader: turn-count, options: {{{options}}}")

    assert (outcome(found), said in words(found)) == (expected, True)


@pytest.mark.parametrize(
    ("options", "expected", "said"),
    [
        ("maxUsd: 0.25", "pass", "$0.2500"),
        ("maxUsd: 0.2499", "fail", "at most $0.2499"),
        ("maxUsd: 1, maxTokens: 119", "fail", "120 tokens"),
        ("maxUsd: 0.1, maxTokens: 120", "fail", "$0.2500"),
        ("maxTokens: 120", "pass", "120 tokens"),
    ],
)
def test_the_cost_is_what_the_trace_states_and_exactly_the_bound_passes(
    tmp_path: Path, options: str, expected: str, said: str
) -> None:
    found = one(tmp_path, STREAM, f"grader: cost, options: {{{options}}}")

    assert (outcome(found), said in words(found)) == (expected, True)


def test_usage_that_several_records_repeat_counts_once(tmp_path: Path) -> None:
    assert outcome(one(tmp_path, TWO_TURNS, "grader: cost, options: {maxTokens: 45}")) == "pass"
    assert outcome(one(tmp_path, TWO_TURNS, "grader: cost, options: {maxTokens: 44}")) == "fail"


def test_a_bound_that_can_not_be_checked_is_withheld_and_names_what_is_missing(
    tmp_path: Path,
) -> None:
    found = one(tmp_path, TWO_TURNS, "grader: cost, options: {maxUsd: 1}")

    assert outcome(found) == "withheld"
    assert words(found) == (
        "`maxUsd` couldn't be checked: a Claude Code session doesn't record cost"
    )


def test_one_bound_is_checked_without_the_other_and_says_so(tmp_path: Path) -> None:
    within = one(tmp_path, TWO_TURNS, "grader: cost, options: {maxUsd: 1, maxTokens: 45}")
    over = one(tmp_path, TWO_TURNS, "grader: cost, options: {maxUsd: 1, maxTokens: 1}")

    assert (outcome(within), outcome(over)) == ("pass", "fail")
    assert any("`maxUsd` couldn't be checked" in note for note in notices(within))


def test_a_format_without_usage_withholds(tmp_path: Path) -> None:
    chat = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]

    found = one(tmp_path, chat, "grader: cost, options: {maxTokens: 5}")

    assert outcome(found) == "withheld"
    assert "doesn't record token usage" in words(found)


def test_the_cost_of_a_session_that_never_used_the_artifact_is_still_held_to_its_bound(
    tmp_path: Path,
) -> None:
    found = graded.grade(
        tmp_path,
        TWO_TURNS,
        "- {id: a, grader: cost, options: {maxTokens: 1}}\n"
        "- {id: b, grader: turn-count, options: {max: 0}}",
        path=graded.SKILL,
    )

    assert [outcome(found[name]) for name in "ab"] == ["fail", "withheld"]


CALLED = traces.replied(traces.call("Skill", "s", skill="mend"))
TYPED = traces.said("<command-name>/mend</command-name>")
OTHER = traces.replied(traces.call("Skill", "o", skill="paint"))
FIRST, LATER = traces.said("Mend it."), traces.said("And the other.")
ANSWER = traces.replied(traces.text("Dry."))
WORK = traces.replied(traces.call("Bash", "b", command="ls"))


@pytest.mark.parametrize(
    ("records", "turns"),
    [
        ([TYPED, WORK, ANSWER], 1),
        ([FIRST, CALLED, WORK, ANSWER], 1),
        ([FIRST, CALLED, ANSWER, LATER, WORK, ANSWER], 2),
        ([FIRST, ANSWER, LATER, CALLED, ANSWER], 1),
        ([FIRST, CALLED, WORK, CALLED, ANSWER], 1),
        ([FIRST, CALLED, OTHER, LATER, CALLED, ANSWER], 2),
        ([FIRST, CALLED, OTHER, WORK, CALLED, ANSWER], 1),
        ([FIRST, CALLED, ANSWER, OTHER, LATER, ANSWER], 1),
        ([ANSWER, CALLED, ANSWER], 1),
    ],
)
@pytest.mark.parametrize("streamed", [False, True])
def test_a_skill_has_the_turns_in_which_it_worked_whoever_called_it(
    tmp_path: Path, records: list[traces.Record], turns: int, *, streamed: bool
) -> None:
    made = traces.streamed if streamed else traces.chained
    held = made([*records, traces.ended("Dry.")] if streamed else records)
    evals = (
        f"- {{id: all, grader: turn-count, options: {{min: {turns}, max: {turns}}}}}\n"
        f"- {{id: less, grader: turn-count, options: {{max: {turns - 1}}}}}"
    )

    found = graded.grade(tmp_path, held, evals, path=graded.SKILL)

    assert {name: outcome(one) for name, one in found.items()} == {"all": "pass", "less": "fail"}


ASIDE = ("tokens of sub-agents aren't counted; they used 11 tokens",)


@pytest.mark.parametrize(
    ("bound", "streamed", "told"),
    [("maxUsd: 1", True, ()), ("maxTokens: 999", True, ASIDE), ("maxTokens: 999", False, ASIDE)],
)
def test_what_sub_agents_used_is_told_where_it_isnt_in_the_sum(
    tmp_path: Path, bound: str, told: tuple[str, ...], *, streamed: bool
) -> None:
    call = traces.call("Agent", "t", subagent_type="Explore", prompt="Look.")
    main = traces.replied(call, name="m1", usage=traces.usage(5, 5))
    aside = traces.replied(traces.text("It is wet."), name="m2", usage=traces.usage(8, 3))
    done = [traces.said([traces.result("t")]), traces.replied(traces.text("Dry."), name="m1")]
    if streamed:
        inside = {**aside, "parent_tool_use_id": "t"}
        records = traces.streamed([main, inside, *done, traces.ended("Dry.")])
    else:
        records = traces.chained([traces.said("Go."), main, *done])
        brief = traces.said("Look.")
        traces.write(
            tmp_path / "trace/subagents/agent-1.jsonl", traces.chained([brief, aside], start=50)
        )

    found = one(tmp_path, records, f"grader: cost, options: {{{bound}}}")

    assert (outcome(found), notices(found)) == ("pass", told)


@pytest.mark.parametrize("told", [True, False])
def test_a_sub_agent_has_the_turn_of_its_brief_even_if_a_stream_lacks_it(
    tmp_path: Path, *, told: bool
) -> None:
    inside = {"parent_tool_use_id": "t"}
    call = traces.call("Agent", "t", subagent_type="Explore", prompt="Look.")
    brief = [{**traces.said("Look."), **inside}] if told else []
    records = [traces.replied(call), *brief, {**WORK, **inside}, traces.ended("Dry.")]
    evals = "- {id: all, grader: turn-count, options: {min: 1, max: 1}}"

    found = graded.grade(
        tmp_path, traces.streamed(records), evals, path=".claude/agents/Explore.md"
    )

    assert outcome(found["all"]) == "pass"


@pytest.mark.parametrize("replies", [1, 3])
def test_a_stream_without_its_prompts_has_the_turn_in_which_a_skill_was_called(
    tmp_path: Path, replies: int
) -> None:
    calls = [traces.replied(traces.call("Skill", f"s{n}", skill="mend")) for n in range(replies)]
    records = [each for call in calls for each in (call, traces.ended("Dry."))]
    evals = f"- {{id: all, grader: turn-count, options: {{min: {replies}, max: {replies}}}}}"

    found = graded.grade(tmp_path, traces.streamed(records), evals, path=graded.SKILL)

    assert outcome(found["all"]) == "pass"
