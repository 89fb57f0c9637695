"""Windows: which part of a session an artifact answers for, and why there is none."""

from pathlib import Path

import pytest

from mergebar import sessions
from mergebar.model.artifacts import Artifact
from mergebar.model.gradings import Excerpt
from mergebar.model.sessions import Session
from support import artifacts
from support import traces as t

DEPLOY = artifacts.read(path=".claude/skills/deploy/SKILL.md")
REVIEWER = artifacts.read(path=".claude/agents/reviewer.md")
SHIP = artifacts.read(path=".claude/commands/ship.md")
RULES = artifacts.read(path="AGENTS.md")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "trace.jsonl"


def skill(name: str) -> t.Record:
    return t.replied(t.call("Skill", f"skill-{name}", skill=name))


def typed(name: str) -> t.Record:
    return t.said(f"<command-name>/{name}</command-name>")


def tool(name: str) -> t.Record:
    return t.replied(t.call("Bash", name, command=name))


def spawn(kind: str, key: str, prompt: str) -> t.Record:
    return t.replied(t.call("Agent", key, subagent_type=kind, prompt=prompt))


def commands(session: Session, path: Path, found: Excerpt) -> list[str]:
    """The shell commands that count in a window, nested ones too."""
    spoken = t.words(session, path)
    return [
        spoken[call.event][1][12:-2]
        for call in session.calls
        if call.name == "Bash" and within(session, found, call.event)
    ]


def within(session: Session, found: Excerpt, event: int) -> bool:
    branch = session.events[event].branch
    return branch in found.nested or any(event in span for span in found.own.get(branch, ()))


def window(path: Path, artifact: Artifact, *records: t.Record) -> list[str]:
    session = t.read(path, t.chained(records))
    return commands(session, path, sessions.excerpt(session, artifact))


REFUSALS = {
    "error": lambda key: t.result(key, "Unknown skill: deploy", error=True),
    "denied": lambda key: t.result(key, "The user doesn't want to proceed.", error=True),
}


@pytest.mark.parametrize("kind", REFUSALS)
@pytest.mark.parametrize(
    ("tool_name", "argument", "artifact"),
    [("Skill", "skill", DEPLOY), ("SlashCommand", "command", SHIP)],
)
def test_a_call_that_the_host_refused_opens_no_window_and_closes_none(
    path: Path, kind: str, tool_name: str, argument: str, artifact: Artifact
) -> None:
    def called(key: str, name: str) -> t.Record:
        said = f"/{name}" if argument == "command" else name
        return t.replied(t.call(tool_name, key, **{argument: said}))

    def refused(key: str) -> t.Record:
        return t.said([REFUSALS[kind](key)])

    alone = [called("c1", artifact.name), refused("c1"), tool("a")]
    session = t.read(path, t.chained(alone))
    found = sessions.excerpt(session, artifact)
    assert found.missing is not None
    assert found.missing.endswith("was called in this session, and no call of it succeeded")
    assert not sessions.link(session, artifact).used

    again = [*alone, called("c2", artifact.name), t.said([t.result("c2")]), tool("b")]
    other = [called("c3", "other"), refused("c3"), tool("c")]
    assert window(path, artifact, *again, *other) == ["b", "c"]


@pytest.mark.parametrize("opening", [skill("deploy"), typed("deploy")])
def test_a_skill_answers_from_its_call_to_the_next_one(path: Path, opening: t.Record) -> None:
    assert window(
        path, DEPLOY, t.said("Go."), tool("before"), opening, tool("own"), skill("other"), tool("x")
    ) == ["own"]


def test_a_command_that_the_host_answers_itself_ends_nothing(path: Path) -> None:
    answer = t.said("<local-command-stdout>Set.</local-command-stdout>")
    assert window(
        path, DEPLOY, skill("deploy"), tool("a"), typed("model"), answer, tool("b"), typed("x"),
        tool("c"),
    ) == ["a", "b"]  # fmt: skip


@pytest.mark.parametrize("names", [("deploy", "review"), ("review", "deploy")])
@pytest.mark.parametrize("records", [1, 2])
def test_skills_that_are_called_in_one_go_are_in_force_together(
    path: Path, names: tuple[str, str], records: int
) -> None:
    calls = [t.call("Skill", f"skill-{name}", skill=name) for name in names]
    asked = [t.replied(*calls)] if records == 1 else [t.replied(call) for call in calls]
    answers = [t.said([t.result(f"skill-{name}")]) for name in names]
    both = [*asked, *answers, tool("a"), tool("b")]

    assert window(path, DEPLOY, t.said("Go."), *both, skill("other"), tool("x")) == ["a", "b"]
    called = [t.replied(calls[0]), answers[0], t.replied(calls[1]), answers[1], tool("a")]
    assert window(path, DEPLOY, *called) == (["a"] if names[1] == "deploy" else [])


def test_called_again_a_skill_answers_again(path: Path) -> None:
    assert window(
        path,
        DEPLOY,
        skill("deploy"), tool("a"), skill("deploy"), tool("b"), typed("clear"), tool("x"),
        skill("deploy"), tool("c"),
    ) == ["a", "b", "c"]  # fmt: skip


def test_a_plugins_skill_is_called_by_its_full_name(path: Path) -> None:
    plugged = artifacts.read(path="plugins/shop/skills/deploy/SKILL.md")

    assert window(path, plugged, skill("shop:deploy"), tool("a")) == ["a"]
    assert window(path, DEPLOY, skill("shop:deploy"), tool("a")) == []


def test_a_command_is_opened_by_typing_it_and_closed_by_a_skill(path: Path) -> None:
    assert window(
        path, SHIP, tool("x"), typed("ship"), tool("own"), skill("deploy"), tool("y")
    ) == ["own"]
    called = t.replied(t.call("SlashCommand", "c", command="/ship now"))
    assert window(path, SHIP, called, tool("own")) == ["own"]
    assert window(path, SHIP, skill("ship"), tool("x")) == []


def test_what_a_skill_started_is_its_doing_wherever_it_is_recorded(path: Path) -> None:
    inside = {"isSidechain": True}
    assert window(
        path,
        DEPLOY,
        {**spawn("a", "s0", "Early."), "uuid": "r0"},
        skill("deploy"),
        {**spawn("b", "s1", "Own."), "uuid": "r1"},
        {**t.said("Early."), "parentUuid": "r0", "uuid": "e1", **inside},
        {**tool("early"), "parentUuid": "e1", **inside},
        {**skill("other"), "parentUuid": "r1"},
        {**t.said("Own."), "parentUuid": "r1", "uuid": "o1", **inside},
        {**tool("late"), "parentUuid": "o1", **inside},
        {**tool("not mine"), "parentUuid": "r1"},
    ) == ["late"]


def test_a_skill_that_a_sub_agent_called_answers_on_that_branch_only(path: Path) -> None:
    inside = {"isSidechain": True}
    session = t.read(
        path,
        t.chained(
            [
                {**spawn("a", "s", "Go."), "uuid": "r"},
                {**t.said("Go."), "parentUuid": "r", "uuid": "i1", **inside},
                {**skill("deploy"), "parentUuid": "i1", "uuid": "i2", **inside},
                {**tool("main"), "parentUuid": "r"},
                {**tool("own"), "parentUuid": "i2", **inside},
            ]
        ),
    )
    found = sessions.excerpt(session, DEPLOY)

    assert list(found.own) == [1]
    assert commands(session, path, found) == ["own"]


def test_an_agent_answers_for_its_branches_and_all_that_is_nested_in_them(path: Path) -> None:
    inside = {"isSidechain": True}
    session = t.read(
        path,
        t.chained(
            [
                tool("main"),
                {**spawn("reviewer", "s1", "One."), "uuid": "r1"},
                {**t.said("One."), "parentUuid": "r1", "uuid": "a1", **inside},
                {**spawn("helper", "s2", "Two."), "parentUuid": "a1", "uuid": "a2", **inside},
                {**t.said("Two."), "parentUuid": "a2", "uuid": "b1", **inside},
                {**tool("nested"), "parentUuid": "b1", **inside},
                {**tool("own"), "parentUuid": "a2", **inside},
            ]
        ),
    )
    found = sessions.excerpt(session, REVIEWER)

    assert (list(found.own), found.nested) == ([1], frozenset({2}))
    assert commands(session, path, found) == ["nested", "own"]
    assert found.label == "the work of `reviewer`"


def test_an_agent_within_an_agent_of_its_kind_is_its_own(path: Path) -> None:
    inside = {"isSidechain": True}
    session = t.read(
        path,
        t.chained(
            [
                {**spawn("reviewer", "s1", "One."), "uuid": "r1"},
                {**t.said("One."), "parentUuid": "r1", "uuid": "a1", **inside},
                {**spawn("reviewer", "s2", "Two."), "parentUuid": "a1", "uuid": "a2", **inside},
                {**t.said("Two."), "parentUuid": "a2", **inside},
            ]
        ),
    )
    found = sessions.excerpt(session, REVIEWER)

    assert (list(found.own), found.nested) == ([1, 2], frozenset())


def test_rules_answer_for_everything(path: Path) -> None:
    assert window(path, RULES, tool("a"), skill("deploy"), tool("b")) == ["a", "b"]


@pytest.mark.parametrize(
    ("artifact", "reason"),
    [
        (DEPLOY, "`deploy` was never invoked in this session"),
        (SHIP, "`/ship` was never invoked in this session"),
        (REVIEWER, "`reviewer` was never started in this session"),
    ],
)
def test_an_empty_window_says_why(path: Path, artifact: Artifact, reason: str) -> None:
    session = t.read(path, t.chained([t.said("Go."), tool("a")]))
    found = sessions.excerpt(session, artifact)

    assert found.missing == reason
    assert not found.own


def test_an_agent_whose_work_is_not_in_the_trace_says_so(path: Path) -> None:
    session = t.read(path, t.chained([spawn("reviewer", "s", "One.")]))

    missing = sessions.excerpt(session, REVIEWER).missing
    assert missing == "`reviewer` was started, and nothing of what it did is in the trace"
    assert sessions.link(session, REVIEWER).used


@pytest.mark.parametrize(
    ("artifact", "lacks"),
    [(DEPLOY, "skills"), (SHIP, "slash commands"), (REVIEWER, "sub-agents")],
)
def test_what_the_format_does_not_record_is_not_called_unused(
    path: Path, artifact: Artifact, lacks: str
) -> None:
    session = t.read(path, [{"role": "user", "content": "Go."}])

    missing = sessions.excerpt(session, artifact).missing
    assert missing == f"a list of chat messages doesn't record {lacks}"


def view(file: str) -> t.Record:
    function = {"name": "view", "arguments": f'{{"path": "{file}"}}'}
    return {"role": "assistant", "tool_calls": [{"id": "v", "function": function}]}


def test_where_skills_are_not_recorded_reading_the_file_is_using_it(path: Path) -> None:
    messages = [
        {"role": "user", "content": "Go."},
        view("/repo/.claude/skills/deploy/SKILL.md"),
        {"role": "assistant", "content": "Read."},
    ]
    session = t.read(path, messages)

    assert sessions.excerpt(session, DEPLOY).own == {0: (range(1, 3),)}
    assert sessions.link(session, DEPLOY).how == ("file-read",)
    other = t.read(path, [messages[0], view("/repo/xdeploy/SKILL.md")])
    assert sessions.excerpt(other, DEPLOY).missing is not None


def test_where_skills_are_recorded_reading_the_file_is_no_use_of_it(path: Path) -> None:
    reading = t.call("Read", "r", file_path=f"{t.CWD}/.claude/skills/deploy/SKILL.md")

    assert window(path, DEPLOY, t.replied(reading), tool("edit it")) == []


def link_of(path: Path, artifact: Artifact, *records: t.Record) -> sessions.Link:
    return sessions.link(t.read(path, t.chained(records)), artifact)


def test_used_and_offered_are_two_facts_and_each_may_be_unknown(path: Path) -> None:
    def listing(*names: str) -> t.Record:
        value = {"type": "skill_listing", "names": list(names), "content": "", "isInitial": True}
        return {"type": "attachment", "attachment": value}

    used = link_of(path, DEPLOY, listing("deploy"), t.said("Go."), skill("deploy"))
    assert (used.used, used.offered, used.how) == (True, True, ("tool",))
    unused = link_of(path, DEPLOY, listing("deploy"), t.said("Go."))
    assert (unused.used, unused.offered) == (False, True)
    unlisted = link_of(path, DEPLOY, listing("other"), t.said("Go."))
    assert (unlisted.used, unlisted.offered) == (False, False)
    silent = link_of(path, DEPLOY, t.said("Go."))
    assert (silent.used, silent.offered) == (False, None)
    assert silent.reason == "`deploy` was never invoked in this session"


def test_rules_are_in_force_and_never_offered(path: Path) -> None:
    found = link_of(path, RULES, t.said("Go."))

    assert (found.used, found.offered, found.how) == (True, None, ("in force",))
