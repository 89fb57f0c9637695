"""Claude's stream-json: what it states, what it leaves out, and whose message is whose."""

import json
from pathlib import Path

import pytest

from mergebar.model.sessions import MAIN, CallStatus, Capability, Offered, Session
from mergebar.traces import sent_prompts
from support import traces as t


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "stream.jsonl"


def test_the_result_states_usage_cost_and_the_last_words(path: Path) -> None:
    session = t.read(
        path,
        t.streamed(
            [
                t.init(),
                t.replied(t.text("Half."), name="m1", usage=t.usage(999, 999)),
                t.ended("Done.", num_turns=3, terminal_reason="completed"),
            ]
        ),
    )

    assert session.format == "claude-stream"
    assert session.usage is not None
    assert (session.usage.total, session.usage.cost_usd) == (120, 0.25)
    assert session.final_message is not None
    assert t.words(session, path)[session.final_message] == ("system", "Done.")
    assert (session.api_turns, session.end_reason, session.is_error) == (3, "completed", False)
    assert session.complete
    assert (session.cwd, session.tool_version) == (t.CWD, "2.1.0")


def test_the_prompt_that_the_stream_leaves_out_is_still_a_turn(path: Path) -> None:
    session = t.read(
        path,
        t.streamed(
            [
                t.init(),
                t.replied(t.text("One.")),
                t.ended(),
                t.replied(t.text("Two.")),
                t.replied(t.text("Still two.")),
                t.ended(),
            ]
        ),
    )

    assert (list(session.turns), session.implied_turns) == ([], 2)
    assert Capability.PROMPTS not in session.capabilities
    assert Capability.TURNS in session.capabilities
    assert [note.rule for note in session.notes] == ["trace/no-prompt"]
    assert session.api_turns == 2


def test_a_prompt_that_is_in_the_stream_is_not_implied_besides(path: Path) -> None:
    session = t.read(
        path,
        t.streamed(
            [
                t.init(),
                t.said("Go."),
                t.said("The text of a skill.", isSynthetic=True),
                t.replied(t.text("One.")),
                t.ended(),
            ]
        ),
    )

    assert (list(session.turns), session.implied_turns) == ([0], 0)
    assert Capability.PROMPTS in session.capabilities


def test_messages_of_a_sub_agent_are_on_a_branch_of_their_own(path: Path) -> None:
    spawn = t.call("Task", "s1", subagent_type="reviewer", prompt="Review it.")
    session = t.read(
        path,
        t.streamed(
            [
                t.init(),
                t.replied(spawn),
                t.said([t.text("Review it.")], parent_tool_use_id="s1"),
                t.replied(t.call("Read", "x"), parent_tool_use_id="s1", usage=t.usage(3, 4)),
                t.said([t.result("s1", "fine")]),
                t.replied(t.text("Done.")),
                t.ended(None),
            ]
        ),
    )

    assert [event.branch for event in session.events] == [MAIN, 1, 1, MAIN, MAIN]
    assert (session.branches[1].agent_type, session.branches[1].spawn) == ("reviewer", 0)
    assert session.spawns[0].child == 1
    assert session.subagent_usage is not None
    assert session.subagent_usage.total == 7
    assert session.final_message == 4


def test_what_is_on_offer_stands_in_the_first_record(path: Path) -> None:
    session = t.read(
        path,
        t.streamed(
            [
                t.init(
                    skills=["deploy"],
                    agents=["reviewer"],
                    slash_commands=["clear"],
                    mcp_servers=[{"name": "git", "status": "connected"}],
                ),
                t.replied(t.text("Hi.")),
                t.ended(),
            ]
        ),
    )

    assert session.roster.offered(Offered.SKILL, ["deploy"]) is True
    assert session.roster.offered(Offered.AGENT, ["other"]) is False
    assert session.roster.offered(Offered.SERVER, ["git"]) is True
    assert session.roster.offered(Offered.TOOL, ["Bash"]) is True


def test_a_denied_call_is_told_from_a_failed_one(path: Path) -> None:
    session = t.read(
        path,
        t.streamed(
            [
                t.init(),
                t.replied(t.call("Bash", "a"), t.call("Bash", "b")),
                t.said([t.result("a", "no", error=True), t.result("b", "no", error=True)]),
                t.ended(permission_denials=[{"tool_name": "Bash", "tool_use_id": "b"}, 7]),
            ]
        ),
    )

    assert [call.status for call in session.calls] == [CallStatus.ERROR, CallStatus.DENIED]


def test_a_stream_that_was_cut_off_has_no_cost_and_says_so(path: Path) -> None:
    session = t.read(
        path, t.streamed([t.init(), t.replied(t.text("Half."), name="m", usage=t.usage(5, 6))])
    )

    assert not session.complete
    assert Capability.COST not in session.capabilities
    assert session.usage is not None
    assert session.usage.total == 11
    assert session.final_message == 0
    assert "without a `result`" in session.notes[0].message


def test_a_failed_run_says_why_it_ended(path: Path) -> None:
    session = t.read(
        path,
        t.streamed(
            [
                t.init(),
                t.replied(t.text("Half.")),
                {**t.ended(), "subtype": "error_max_turns", "is_error": True, "result": None},
            ]
        ),
    )

    assert (session.is_error, session.end_reason) == (True, "error_max_turns")
    assert session.final_message == 0


def test_a_structured_output_is_kept_as_it_is(path: Path) -> None:
    session = t.read(
        path,
        t.streamed([t.init(), t.ended('{"a": 1}', structured_output={"b": [1, "é"], "a": None})]),
    )

    assert session.structured_output is not None
    assert t.words(session, path)[session.structured_output][1] == '{"b":[1,"é"],"a":null}'


def test_partial_messages_and_the_hosts_own_records_are_no_events(path: Path) -> None:
    session = t.read(
        path,
        t.streamed(
            [
                t.init(),
                {"type": "stream_event", "event": {"type": "content_block_delta"}},
                {"type": "rate_limit_event"},
                {"type": "system", "subtype": "hook_started"},
                t.replied(t.text("Hi.")),
                t.ended(None),
            ]
        ),
    )

    assert len(session.events) == 1


@pytest.mark.parametrize("indent", [None, 2])
def test_the_same_records_as_one_list_are_the_same_session(path: Path, indent: int | None) -> None:
    records = t.streamed([t.init(), t.replied(t.text("Hé.")), t.ended()])
    session = t.read(path, json.dumps(records, indent=indent, ensure_ascii=False).encode())

    assert session.format == "claude-stream"
    assert t.words(session, path) == [("assistant", "Hé."), ("system", "Done.")]
    assert session.complete


def test_a_result_alone_is_read_too(path: Path) -> None:
    session = t.read(path, json.dumps({**t.ended(), "session_id": "x"}, indent=1).encode())

    assert t.words(session, path) == [("system", "Done.")]
    assert session.usage is not None


def test_records_between_a_host_and_its_agent_are_unwrapped(path: Path) -> None:
    records = t.streamed([t.init(), t.said("Go."), t.replied(t.text("Hi.")), t.ended()])
    wrapped = [{"direction": "recv", "message": each} for each in records]
    session = t.read(path, json.dumps({"messages": wrapped}).encode())

    assert session.format == "claude-stream"
    assert [words for _, words in t.words(session, path)] == ["Go.", "Hi.", "Done."]


ANSWERED = t.streamed([t.init(), t.replied(t.text("Done.")), t.ended()])


@pytest.mark.parametrize(
    ("records", "prompts"),
    [
        (ANSWERED, ["Mend \u201cit\u201d.\nNow."]),
        ([*ANSWERED[:1], *t.streamed([t.said("My own.")]), *ANSWERED[1:]], ["My own."]),
        ([{"role": "user", "content": "A."}, {"role": "assistant", "content": "B."}], ["A."]),
    ],
    ids=["a stream without its prompt", "a stream with it", "another format"],
)
def test_a_session_that_was_just_run_has_the_prompt_that_it_was_sent(
    path: Path, records: list[t.Record], prompts: list[str]
) -> None:
    t.write(path, records)
    session = sent_prompts.read(path, name="p.md", prompt="Mend \u201cit\u201d.\nNow.")

    assert isinstance(session, Session)
    assert [words for kind, words in t.words(session, path) if kind == "user"] == prompts
    assert (session.implied_turns, len(session.turns), session.notes) == (0, 1, ())
    assert Capability.PROMPTS in session.capabilities
    assert session.complete
