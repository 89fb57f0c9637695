"""`tool-usage`, `tool-order` and `skill-invoked` over sessions that were really read."""

from pathlib import Path

import pytest

from support import graded, traces
from support.graded import notices, one, outcome, words

CALLS = traces.chained([
    traces.said("mend it"),
    traces.replied(traces.call("Bash", "k1", command="make build")),
    traces.said([traces.result("k1")]),
    traces.replied(traces.call("Bash", "k2", command="make test")),
    traces.said([traces.result("k2", "boom", error=True)]),
    traces.replied(traces.call("Read", "k3", file_path="a.md")),
    traces.said([traces.result("k3")]),
    traces.replied(traces.call("Skill", "k4", skill="p:mend")),
    traces.said([traces.result("k4")]),
    traces.replied(traces.text("done")),
])  # fmt: skip

USAGE = [
    ("tool: Bash", "pass", "called twice"),
    ("tool: Write", "fail", "`Write` was never called"),
    ("tool: bash", "fail", "never called"),
    ("tool: Bash, expect: not-used", "fail", "must not be used"),
    ("tool: Write, expect: not-used", "pass", "was never called"),
    ("tool: Bash, min: 2", "pass", ""),
    ("tool: Bash, min: 3", "fail", "2 calls of `Bash`, and at least 3 are wanted"),
    ("tool: Bash, max: 1", "fail", "at most 1 are allowed"),
    ("tool: Bash, min: 1, max: 2", "pass", ""),
    ("tool: Write, min: 0", "pass", ""),
    ("tool: Write, min: 0, max: 1", "pass", ""),
    ("tool: Write, max: 3", "fail", "never called"),
    ("tool: Bash, min: 2.0", "pass", ""),
]


@pytest.mark.parametrize(("options", "expected", "said"), USAGE)
def test_how_often_a_tool_was_called(
    tmp_path: Path, options: str, expected: str, said: str
) -> None:
    found = one(tmp_path, CALLS, f"grader: tool-usage, options: {{{options}}}")

    assert outcome(found) == expected
    assert said in words(found)


@pytest.mark.parametrize("wanted", ["bash", "' Bash '", "'Bash(rm:*)'", "'Ba*'", "'*'"])
@pytest.mark.parametrize(
    "eval_",
    [
        "grader: tool-usage, options: {{tool: {}, expect: not-used}}",
        "grader: tool-usage, options: {{tool: {}, min: 0}}",
        "grader: tool-order, options: {{before: {}, after: Gone}}",
        "grader: tool-order, options: {{before: Gone, after: {}}}",
    ],
)
def test_a_tool_that_was_called_by_almost_the_name_is_named(
    tmp_path: Path, eval_: str, wanted: str
) -> None:
    found = one(tmp_path, CALLS, eval_.format(wanted))

    near = [note for note in notices(found) if note.startswith("`Bash` was called twice")]
    assert len(near) == 1
    assert "names are compared as they stand" in near[0]


@pytest.mark.parametrize("wanted", ["Bash", "Shell", "Bas", "'B?sh'"])
def test_other_names_bring_nothing_to_mind(tmp_path: Path, wanted: str) -> None:
    found = one(tmp_path, CALLS, f"grader: tool-usage, options: {{tool: {wanted}, max: 9, min: 0}}")

    assert [note for note in notices(found) if "as they stand" in note] == []


def test_an_unmet_trigger_names_it_too(tmp_path: Path) -> None:
    eval_ = "grader: tool-usage, options: {tool: Read, when: {tool-used: bash}}"

    assert "`Bash` was called twice, and is not `bash`" in words(one(tmp_path, CALLS, eval_))


ORDER = [
    ("before: Bash, after: Read", "pass", "was called before"),
    ("before: Read, after: Bash", "fail", "every call of `Bash` came before"),
    ("before: Bash, after: Write", "fail", "`Write` never was"),
    ("before: Write, after: Bash", "fail", "`Write` never was"),
    ("before: Write, after: Edit", "pass", "neither"),
    ("before: Bash, after: Bash", "pass", ""),
    ("before: Bash, after: Bash, beforeInputMatch: build, afterInputMatch: test", "pass", ""),
    ("before: Bash, after: Bash, beforeInputMatch: test, afterInputMatch: build", "fail", "every"),
    ("""before: Bash, after: Read, beforeInputMatch: '"command":"make build"'""", "pass", ""),
    ("before: Bash, after: Read, beforeInputMatch: deploy", "fail", "input that matches `deploy`"),
]


@pytest.mark.parametrize(("options", "expected", "said"), ORDER)
def test_whether_one_tool_came_before_another(
    tmp_path: Path, options: str, expected: str, said: str
) -> None:
    found = one(tmp_path, CALLS, f"grader: tool-order, options: {{{options}}}")

    assert outcome(found) == expected
    assert said in words(found)


SKILLS = [
    ('skill: "p:mend"', "pass", "invoked once"),
    ("skill: mend", "fail", "never invoked"),
    ('skill: "p:mend", expect: not-used', "fail", "must not be"),
    ("skill: other, expect: not-used", "pass", "was never invoked"),
]


@pytest.mark.parametrize(("options", "expected", "said"), SKILLS)
def test_whether_a_skill_was_invoked(
    tmp_path: Path, options: str, expected: str, said: str
) -> None:
    found = one(tmp_path, CALLS, f"grader: skill-invoked, options: {{{options}}}")

    assert outcome(found) == expected
    assert said in words(found)


def test_a_typed_command_counts_as_an_invocation(tmp_path: Path) -> None:
    typed = "<command-message>mend</command-message><command-name>/mend</command-name>"
    records = traces.chained([traces.said(typed), traces.replied(traces.text("done"))])

    found = one(tmp_path, records, "grader: skill-invoked, options: {skill: mend}")

    assert outcome(found) == "pass"


def test_a_skill_of_the_same_name_elsewhere_is_pointed_out(tmp_path: Path) -> None:
    found = one(tmp_path, CALLS, "grader: skill-invoked, options: {skill: mend}")

    assert "`p:mend` was invoked: is that the skill that is meant?" in notices(found)


def test_a_tool_that_has_another_name_now_is_pointed_out(tmp_path: Path) -> None:
    records = traces.chained([
        traces.said("go"),
        traces.replied(traces.call("Agent", subagent_type="Explore", prompt="look")),
    ])  # fmt: skip

    found = one(tmp_path, records, "grader: tool-usage, options: {tool: Task}")

    assert outcome(found) == "fail"
    assert "`Agent` was called once: is that the tool that is meant?" in notices(found)


def test_a_sub_agent_whose_work_is_lost_is_said_where_nothing_was_found(tmp_path: Path) -> None:
    records = traces.chained([
        traces.said("go"),
        traces.replied(traces.call("Agent", subagent_type="Explore", prompt="look")),
        traces.said([traces.result()]),
    ])  # fmt: skip

    found = one(tmp_path, records, "grader: tool-usage, options: {tool: Bash, expect: not-used}")

    assert outcome(found) == "pass"
    assert "what a sub-agent did isn't in the trace" in notices(found)


def sub_agent() -> list[traces.Record]:
    side = traces.chained(
        [
            traces.said("look", isMeta=False),
            traces.replied(traces.call("Bash", "s1", command="rm -rf build")),
            traces.replied(traces.call("Write", "s2", file_path=f"{traces.CWD}/out.md")),
        ],
        start=50,
        side=True,
    )
    main = traces.chained([
        traces.said("go"),
        traces.replied(traces.call("Agent", "a1", subagent_type="Explore", prompt="look")),
        traces.said([traces.result("a1")]),
        traces.replied(traces.text("done")),
    ])  # fmt: skip
    side[0]["parentUuid"] = main[1]["uuid"]
    return [*main[:2], *side, *main[2:]]


@pytest.mark.parametrize(
    ("eval_", "expected"),
    [
        ("grader: tool-usage, options: {tool: Bash, expect: not-used}", "pass"),
        (
            "grader: tool-usage, options: {tool: Bash, expect: not-used, includeSidechains: true}",
            "fail",
        ),
        ("grader: tool-order, options: {before: Agent, after: Bash}", "fail"),
        (
            "grader: tool-order, options: {before: Agent, after: Bash, includeSidechains: true}",
            "pass",
        ),
        ("grader: file-access, options: {path: out.md, expect: not-accessed}", "fail"),
        ("grader: turn-count, options: {max: 1}", "pass"),
    ],
)
def test_what_a_sub_agent_does_counts_where_the_grader_says_so(
    tmp_path: Path, eval_: str, expected: str
) -> None:
    assert outcome(one(tmp_path, sub_agent(), eval_)) == expected


def test_an_agent_answers_for_all_that_it_does(tmp_path: Path) -> None:
    found = graded.grade(
        tmp_path,
        sub_agent(),
        "- {id: a, grader: tool-usage, options: {tool: Bash}}\n"
        "- {id: b, grader: turn-count, options: {min: 1, max: 1}}\n"
        "- {id: c, grader: tool-usage, options: {tool: Agent}}",
        path=".claude/agents/Explore.md",
    )

    assert [outcome(found[name]) for name in "abc"] == ["pass", "pass", "fail"]


def test_an_option_that_is_missing_at_run_time_is_an_error_of_that_eval_alone(
    tmp_path: Path,
) -> None:
    found = graded.grade(
        tmp_path,
        CALLS,
        "- {id: a, grader: tool-usage}\n- {id: b, grader: tool-usage, options: {tool: Bash}}",
    )

    assert [outcome(found[name]) for name in "ab"] == ["error", "pass"]
    assert "tool" in words(found["a"])


@pytest.mark.parametrize("said", ["Unknown skill: mend", "The user doesn't want to proceed."])
def test_a_skill_that_the_host_refused_was_not_invoked_and_was_tried(
    tmp_path: Path, said: str
) -> None:
    called = traces.replied(traces.call("Skill", "s", skill="mend"))
    refused = [called, traces.said([traces.result("s", said, error=True)])]
    done = traces.replied(traces.text("Done."))
    records = traces.chained([traces.said("Go."), *refused, done])
    wanted = "grader: skill-invoked, options: {skill: mend}"

    assert words(one(tmp_path, records, wanted)) == (
        "the skill `mend` was never invoked: 1 call of it came to nothing"
    )
    unwanted = "grader: skill-invoked, options: {skill: mend, expect: not-used}"
    assert outcome(one(tmp_path, records, unwanted)) == "fail"
    again = [called, traces.said([traces.result("s")]), done]
    assert outcome(
        one(tmp_path, traces.chained([traces.said("Go."), *refused, *again]), wanted)
    ) == ("pass")
