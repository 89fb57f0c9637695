"""The behavioural ladder of the spec (section 8.3), row by row, in the words of mergebar."""

from collections.abc import Callable
from pathlib import Path

import pytest

from mergebar.model.conversations import ErrorClass, Failure
from mergebar.model.gradings import Grade
from support import traces
from support.graded import (
    RULES,
    SKILL,
    Arbiter,
    Bench,
    Found,
    grade,
    notices,
    opinion,
    outcome,
    words,
)

AGENT = ".claude/agents/Explore.md"
LATE = Failure(error_class=ErrorClass.THROTTLED, message="the judge takes no more calls")


def invoked(key: str, skill: str = "mend") -> list[traces.Record]:
    return [
        traces.replied(traces.call("Skill", key, skill=skill)),
        traces.said([traces.result(key)]),
    ]


def bash(key: str) -> list[traces.Record]:
    return [
        traces.replied(traces.call("Bash", key, command="rm x")),
        traces.said([traces.result(key)]),
    ]


def session(*parts: list[traces.Record]) -> list[traces.Record]:
    """A session of these parts; it ends in a word of the agent."""
    inner = [record for part in parts for record in part]
    return traces.chained([traces.said("go"), *inner, traces.replied(traces.text("done"))])


def of(
    root: Path,
    records: list[traces.Record],
    eval_: str,
    *,
    path: str = RULES,
    votes: list[object] | None = None,
) -> Found:
    judge = None if votes is None else Arbiter(script=votes)  # type: ignore[arg-type]
    found = grade(root, records, f"- {{id: one, {eval_}}}", path=path, bench=Bench(judge=judge))
    return found["one"]


NO_BASH = "grader: tool-usage, options: {tool: Bash, expect: not-used}"
IS_NICE = "assertion: It is nice."


def test_an_artifact_that_the_session_never_used_is_withheld(tmp_path: Path) -> None:
    found = of(tmp_path, session(bash("b")), NO_BASH, path=SKILL)

    assert (outcome(found), words(found)) == (
        "withheld",
        "`mend` was never invoked in this session",
    )


def test_that_it_should_have_been_used_is_a_matter_of_the_rules(tmp_path: Path) -> None:
    eval_ = "grader: skill-invoked, options: {skill: mend, when: {tool-used: Bash}}"

    assert outcome(of(tmp_path, session(bash("b")), eval_)) == "fail"
    assert outcome(of(tmp_path, session(), eval_)) == "declined"


def test_a_second_invocation_that_violates_fails(tmp_path: Path) -> None:
    records = session(invoked("i1"), invoked("i2", "other"), invoked("i3"), bash("b"))

    assert outcome(of(tmp_path, records, NO_BASH, path=SKILL)) == "fail"


@pytest.mark.parametrize("typed", ["context", "mend-of-others"])
def test_a_command_of_the_host_is_never_a_missing_skill(tmp_path: Path, typed: str) -> None:
    records = session([traces.said(f"<command-name>/{typed}</command-name>")], bash("b"))

    found = of(tmp_path, records, "grader: tool-usage, options: {tool: Bash}")

    assert outcome(found) == "pass"
    assert typed not in notices(found)


PLUGIN = "plugins/pipes/skills/mend/SKILL.md"


@pytest.mark.parametrize(
    ("called", "path", "expected"),
    [("pipes:mend", PLUGIN, "fail"), ("pipes:mend", SKILL, "withheld"), ("mend", SKILL, "fail")],
)
def test_a_skill_called_with_its_plug_in_is_not_one_of_the_same_name(
    tmp_path: Path, called: str, path: str, expected: str
) -> None:
    assert outcome(of(tmp_path, session(invoked("i", called), bash("b")), NO_BASH, path=path)) == (
        expected
    )


def test_what_happened_before_the_invocation_is_not_its_fault(tmp_path: Path) -> None:
    assert outcome(of(tmp_path, session(bash("b"), invoked("i")), NO_BASH, path=SKILL)) == "pass"


def test_what_happened_after_the_next_skill_is_not_its_fault(tmp_path: Path) -> None:
    said = [traces.replied(traces.text("It is dry."))]
    records = session(invoked("i1"), said, invoked("i2", "other"), bash("b"))

    assert outcome(of(tmp_path, records, NO_BASH, path=SKILL)) == "pass"


@pytest.mark.parametrize("eval_", [NO_BASH, IS_NICE, "grader: human, assertion: It is nice."])
@pytest.mark.parametrize(
    "called",
    [
        invoked("i1"),
        [traces.said("<command-name>/mend</command-name>")],
        [traces.said("<command-name>/mend</command-name>"), traces.said("[Request interrupted by")],
    ],
)
def test_a_skill_under_which_nothing_happened_at_all_is_withheld(
    tmp_path: Path, called: list[traces.Record], eval_: str
) -> None:
    records = session(called, invoked("i2", "other"), bash("b"))
    cost = "grader: cost, options: {maxTokens: 0}"

    found = of(tmp_path, records, eval_, path=SKILL, votes=[opinion()])
    assert (outcome(found), words(found)) == (
        "withheld",
        "`mend` was invoked, and the agent neither did nor said anything in its part",
    )
    assert "in its part" not in words(of(tmp_path, records, cost, path=SKILL))
    twice = session(called, invoked("i2", "other"), called, bash("b"))
    assert outcome(of(tmp_path, twice, NO_BASH, path=SKILL)) == "fail"


def with_sub_agent() -> list[traces.Record]:
    side = traces.chained(
        [
            traces.said("look"),
            traces.replied(traces.call("Bash", "s1", command="rm x")),
            traces.replied(traces.call("Write", "s2", file_path=f"{traces.CWD}/out.md")),
        ],
        start=50,
        side=True,
    )
    main = traces.chained([
        traces.said("go"),
        *invoked("i1"),
        traces.replied(traces.call("Agent", "a1", subagent_type="Explore", prompt="look")),
        traces.said([traces.result("a1")]),
        traces.replied(traces.text("done")),
    ])  # fmt: skip
    side[0]["parentUuid"] = main[3]["uuid"]
    return [*main[:4], *side, *main[4:]]


@pytest.mark.parametrize(
    ("eval_", "path", "expected"),
    [
        (NO_BASH, SKILL, "pass"),
        (NO_BASH.replace("not-used", "not-used, includeSidechains: true"), SKILL, "fail"),
        ("grader: file-access, options: {path: out.md, expect: not-accessed}", SKILL, "fail"),
        (NO_BASH, AGENT, "fail"),
    ],
)
def test_what_a_sub_agent_did_counts_by_grader_and_option(
    tmp_path: Path, eval_: str, path: str, expected: str
) -> None:
    assert outcome(of(tmp_path, with_sub_agent(), eval_, path=path)) == expected


def test_a_missing_sub_agent_leaves_a_notice_where_it_does_not_count(tmp_path: Path) -> None:
    call = traces.call("Agent", "a1", subagent_type="Explore", prompt="look")
    records = session([traces.replied(call), traces.said([traces.result("a1")])])

    found = of(tmp_path, records, NO_BASH)

    assert outcome(found) == "pass"
    assert "what a sub-agent did isn't in the trace" in notices(found)


def test_usage_on_three_records_of_one_message_counts_once(tmp_path: Path) -> None:
    split = [
        traces.replied(traces.text(part), name="m1", usage=traces.usage(100, 10)) for part in "abc"
    ]
    records = traces.chained([traces.said("go"), *split])

    assert outcome(of(tmp_path, records, "grader: cost, options: {maxTokens: 110}")) == "pass"
    assert outcome(of(tmp_path, records, "grader: cost, options: {maxTokens: 109}")) == "fail"


def test_a_trace_cut_in_the_middle_of_a_line_is_graded_as_far_as_it_goes(tmp_path: Path) -> None:
    data = traces.lines(session(bash("b")))
    artifact_eval = "- {id: one, grader: tool-usage, options: {tool: Bash}}\n"
    evals = (
        artifact_eval + "- {id: two, grader: tool-usage, options: {tool: Edit, expect: not-used}}"
    )

    found = grade(tmp_path, data[:-40], evals)

    assert [outcome(one) for one in found.values()] == ["pass", "withheld"]


VOTES: list[tuple[list[object], str]] = [
    ([LATE], "error"),
    ([LATE, opinion("pass", 0.95), opinion("pass", 0.95)], "needs-review"),
    ([opinion("pass", 0.97), opinion("pass", 0.97), opinion("fail", 0.9)], "needs-review"),
    ([opinion("pass", 0.8)], "pass"),
    ([opinion("pass", 0.7), opinion("pass", 0.8), opinion("pass", 0.9)], "pass"),
]


@pytest.mark.parametrize(("votes", "expected"), VOTES)
def test_what_votes_come_to(tmp_path: Path, votes: list[object], expected: str) -> None:
    assert outcome(of(tmp_path, session(), IS_NICE, votes=votes)) == expected


def test_one_against_one_waits(tmp_path: Path) -> None:
    votes: list[object] = [opinion("pass", 0.9), opinion("fail", 0.9)]

    found = of(tmp_path, session(), f"{IS_NICE}, runs: 2", votes=votes)

    assert outcome(found) == "needs-review"
    assert isinstance(found, Grade)
    assert found.consensus is not None
    assert (found.consensus.passed, found.consensus.failed) == (1, 1)


def test_a_judged_failure_at_severity_warning_is_a_failure_at_that_level(tmp_path: Path) -> None:
    found = of(tmp_path, session(), f"{IS_NICE}, severity: warning", votes=[opinion("fail")])

    assert outcome(found) == "fail"


def test_a_human_eval_waits_without_any_judge(tmp_path: Path) -> None:
    assert outcome(of(tmp_path, session(), f"grader: human, {IS_NICE}")) == "needs-review"


def test_a_command_without_a_grant_is_withheld(tmp_path: Path) -> None:
    bench = Bench(refused="untrusted events run no code of the repository")

    found = grade(
        tmp_path, session(), "- {id: one, grader: command, command: ['true']}", bench=bench
    )["one"]

    assert (outcome(found), words(found)) == ("withheld", bench.refused)


CHAT: list[traces.Record] = [
    {"role": "user", "content": "hi"},
    {"role": "assistant", "content": '```json\n{"a": 1}\n```'},
]


def test_cost_without_usage_is_withheld(tmp_path: Path) -> None:
    found = of(tmp_path, CHAT, "grader: cost, options: {maxTokens: 1}")

    assert outcome(found) == "withheld"


def test_json_in_a_fence_fails(tmp_path: Path) -> None:
    found = of(tmp_path, CHAT, "grader: json-output, options: {schema: {type: object}}")

    assert outcome(found) == "fail"


def ends_on_a_call(*before: traces.Record) -> list[traces.Record]:
    return traces.chained([
        traces.said("go"), *before, traces.replied(traces.call("Bash", command="ls"))
    ])  # fmt: skip


LAST: list[tuple[Callable[[], list[traces.Record]], str]] = [
    (lambda: ends_on_a_call(traces.replied(traces.text("earlier"))), "^earlier$"),
    (ends_on_a_call, "^$"),
]


@pytest.mark.parametrize(("records", "pattern"), LAST)
def test_the_last_message_is_the_last_that_was_said(
    tmp_path: Path, records: Callable[[], list[traces.Record]], pattern: str
) -> None:
    eval_ = f"grader: regex, target: last-message, options: {{pattern: '{pattern}'}}"

    assert outcome(of(tmp_path, records(), eval_)) == "pass"
