"""Claude Code's session files: turns, calls, usage, chains, and what was lost."""

import json
from pathlib import Path

import pytest

from mergebar.model.sessions import CallStatus, Capability, EventKind, FileAction, How, Offered
from support import traces as t


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "session.jsonl"


def rules(session: object) -> list[str]:
    return [note.rule for note in session.notes]  # type: ignore[attr-defined]


def test_a_session_has_its_prompts_messages_and_calls_in_order(path: Path) -> None:
    session = t.read(
        path,
        t.chained(
            [
                t.said("Fix the price."),
                t.replied({"type": "thinking", "thinking": "Look first."}),
                t.replied(t.text("I look."), t.call("Read", file_path=f"{t.CWD}/price.py")),
                t.said([t.result(content="price = 1")]),
                t.replied(t.text("Fixed.")),
            ]
        ),
    )

    assert t.words(session, path) == [
        ("user", "Fix the price."),
        ("reasoning", "Look first."),
        ("assistant", "I look."),
        ("tool-call", '{"file_path":"/home/dev/shop/price.py"}'),
        ("tool-result", "price = 1"),
        ("assistant", "Fixed."),
    ]
    assert session.final_message == 5
    assert (session.cwd, session.git_branch, session.session_id) == (t.CWD, "main", t.SESSION_ID)
    assert session.models == ("claude-test-1",)
    assert session.complete
    assert session.notes == ()


def test_one_reply_in_several_records_counts_its_usage_once_and_the_last_one(path: Path) -> None:
    session = t.read(
        path,
        t.chained(
            [
                t.said("Go."),
                t.replied(t.text("a"), name="m1", usage=t.usage(10, 1, read=7)),
                t.replied(t.call("Bash", "x"), name="m1", usage=t.usage(10, 5, read=7)),
                t.said([t.result("x")]),
                t.replied(t.text("b"), name="m2", usage=t.usage(20, 2, written=3)),
                t.replied(t.text("c"), name="m1", usage=t.usage(10, 9, read=7)),
            ]
        ),
    )

    assert session.usage is not None
    assert (session.usage.input_tokens, session.usage.output_tokens) == (30, 11)
    assert (session.usage.cache_read_tokens, session.usage.cache_write_tokens) == (7, 3)
    assert session.usage.total == 41
    assert session.api_turns == 2
    assert session.usage.cost_usd is None
    assert Capability.COST not in session.capabilities


def test_older_versions_state_a_cost(path: Path) -> None:
    session = t.read(
        path,
        t.chained(
            [
                t.said("Go."),
                t.replied(t.text("a"), name="m1", usage=t.usage(1, 1), costUSD=0.25),
                t.replied(t.text("b"), name="m2", usage=t.usage(1, 1), costUSD=0.5),
            ]
        ),
    )

    assert session.usage is not None
    assert session.usage.cost_usd == 0.75
    assert Capability.COST in session.capabilities


def queued(prompt: object, **more: object) -> t.Record:
    """What was typed while the agent was at work."""
    return {
        "type": "attachment",
        "attachment": {"type": "queued_command", "prompt": prompt, **more},
    }


@pytest.mark.parametrize(
    "record",
    [
        t.said("Caveat text", isMeta=True),
        t.said("A summary of it all.", isCompactSummary=True),
        t.said("<system-reminder>Mind the gap.</system-reminder>"),
        t.said("<local-command-stdout>ok</local-command-stdout>"),
        t.said([t.text("[Request interrupted by user for tool use]")]),
        t.said("Stop hook feedback:\n- tests fail"),
        t.said("A build failed.", origin={"kind": "task-notification"}),
        t.said("A build failed.", turnOrigin="peer"),
        t.said([t.result("unknown"), t.text("no, do it otherwise")]),
        t.said("   "),
        t.said("<user-memory-input>We use tabs.</user-memory-input>"),
        t.said("<user-prompt-submit-hook>Mind the gap.</user-prompt-submit-hook>"),
        t.said([t.text("Base directory for this skill: /home/dev/shop\n\nMend.")]),
        queued("A build failed.", commandMode="task-notification"),
        queued("A build failed.", origin={"kind": "task-notification"}),
        queued(["?", {"type": "text"}]),
        queued(None),
    ],
)
def test_what_the_host_writes_opens_no_turn(path: Path, record: t.Record) -> None:
    session = t.read(path, t.chained([t.said("Go."), record, t.replied(t.text("Done."))]))

    assert len(session.turns) == 1
    assert EventKind.USER not in [event.kind for event in session.events][1:]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("Add a test.", "Add a test."),
        ([t.text("Add a test.")], "Add a test."),
        ("<system-reminder>Mind.</system-reminder>Add a test.", "Add a test."),
        ([t.text("<ide_opened_file>a.py</ide_opened_file>"), t.text("Add a test.")], "Add a test."),
        ("1 < 2 and <b>bold</b>", "1 < 2 and <b>bold</b>"),
    ],
)
def test_what_a_person_typed_is_one_turn_without_what_the_host_put_in(
    path: Path, content: object, words: str
) -> None:
    session = t.read(path, t.chained([t.said(content, origin={"kind": "human"})]))

    assert len(session.turns) == 1
    assert ("user", words) in t.words(session, path)


@pytest.mark.parametrize("prompt", ["Never push.", [t.text("Never push.")]])
@pytest.mark.parametrize("more", [{}, {"commandMode": "prompt"}, {"origin": {"kind": "human"}}])
def test_what_was_typed_while_the_agent_was_at_work_is_a_prompt(
    path: Path, prompt: object, more: t.Record
) -> None:
    at_work = [t.said("Go."), t.replied(t.call("Bash", "b")), t.said([t.result("b")])]
    session = t.read(
        path, t.chained([*at_work, queued(prompt, **more), t.replied(t.text("Done."))])
    )

    assert len(session.turns) == 2
    assert ("user", "Never push.") in t.words(session, path)
    assert session.gaps == ()


OUTPUT = "<local-command-stdout>Set.</local-command-stdout>"


@pytest.mark.parametrize(
    "output",
    [OUTPUT, "<local-command-stdout></local-command-stdout>", OUTPUT.replace("out", "err")],
)
def test_a_command_that_the_host_answers_itself_asks_nothing_of_the_agent(
    path: Path, output: str
) -> None:
    typed = t.said("<command-name>/model</command-name>")
    note = {"type": "system", "subtype": "informational", "content": "Mind."}
    records = [t.said("Go."), t.replied(t.text("a")), typed, note, t.said(output)]
    session = t.read(path, t.chained([*records, t.said("On."), t.replied(t.text("b"))]))

    assert len(session.turns) == 2
    assert session.skills == ()
    assert [words for kind, words in t.words(session, path) if kind == "user"] == ["Go.", "On."]


def test_a_command_that_the_agent_got_stays_one_whatever_the_host_prints_later(path: Path) -> None:
    typed = t.said("<command-name>/mend</command-name>")
    for behind in ([t.replied(t.text("a"))], [t.said("Quick.")]):
        session = t.read(path, t.chained([t.said("Go."), typed, *behind, t.said(OUTPUT)]))

        assert [use.name for use in session.skills] == ["mend"]
        assert len(session.turns) == (2 if behind[0]["type"] == "assistant" else 3)


def test_a_slash_command_is_a_turn_and_names_what_was_typed(path: Path) -> None:
    typed = "<command-message>d</command-message>\n<command-name>/shop:deploy</command-name>"
    session = t.read(path, t.chained([t.said(typed), t.said([t.text(typed)])]))

    assert len(session.turns) == 2
    assert [(use.name, use.how) for use in session.skills] == [("shop:deploy", How.TYPED)] * 2


@pytest.mark.parametrize(
    ("block", "outcome", "status"),
    [
        (t.result("c"), None, CallStatus.OK),
        (t.result("c", "boom", error=True), "Error: boom", CallStatus.ERROR),
        (
            t.result("c", "The user doesn't want to proceed with this tool use.", error=True),
            "User rejected tool use",
            CallStatus.DENIED,
        ),
        (
            t.result("c", [t.text("[Request interrupted by user for tool use]")], error=True),
            None,
            CallStatus.CANCELLED,
        ),
        (t.result("c", "half"), {"stdout": "half", "interrupted": True}, CallStatus.CANCELLED),
        (t.result("other"), None, CallStatus.UNKNOWN),
    ],
)
def test_a_result_is_paired_with_its_call_and_says_how_it_ended(
    path: Path, block: t.Record, outcome: object, status: CallStatus
) -> None:
    session = t.read(
        path,
        t.chained(
            [
                t.said("Go."),
                t.replied(t.call("Bash", "c", command="ls")),
                t.said([block], toolUseResult=outcome),
            ]
        ),
    )

    (call,) = session.calls
    assert call.status is status
    assert call.result == (None if status is CallStatus.UNKNOWN else 2)
    assert (call.name, call.canonical, call.event) == ("Bash", "shell", 1)


def test_parallel_calls_get_their_results_in_any_order(path: Path) -> None:
    session = t.read(
        path,
        t.chained(
            [
                t.replied(t.call("Read", "a", file_path="a"), t.call("Read", "b", file_path="b")),
                t.said([t.result("b", "second"), t.result("a", "first", error=True)]),
            ]
        ),
    )

    assert [(call.result, call.status.value) for call in session.calls] == [(3, "error"), (2, "ok")]


@pytest.mark.parametrize(
    ("name", "key", "action"),
    [
        ("Read", "file_path", FileAction.READ),
        ("Write", "file_path", FileAction.WRITE),
        ("Edit", "file_path", FileAction.EDIT),
        ("MultiEdit", "file_path", FileAction.EDIT),
        ("NotebookEdit", "notebook_path", FileAction.EDIT),
        ("NotebookRead", "notebook_path", FileAction.READ),
    ],
)
def test_file_tools_tell_what_they_touch(
    path: Path, name: str, key: str, action: FileAction
) -> None:
    session = t.read(path, t.chained([t.replied(t.call(name, **{key: "C:\\shop\\a.py"}))]))

    (operation,) = session.files
    assert (operation.path, operation.action) == ("C:\\shop\\a.py", action)
    assert (operation.call, operation.event, operation.branch) == (0, 0, 0)


@pytest.mark.parametrize(
    ("call", "name", "how"),
    [
        (t.call("Skill", skill="deploy", args="now"), "deploy", How.TOOL),
        (t.call("Skill", command="deploy"), "deploy", How.TOOL),
        (t.call("SlashCommand", command="/deploy now"), "deploy", How.COMMAND_TOOL),
    ],
)
def test_a_called_skill_is_named(path: Path, call: t.Record, name: str, how: How) -> None:
    session = t.read(path, t.chained([t.replied(call)]))

    (use,) = session.skills
    assert (use.name, use.how, use.event, use.call) == (name, how, 0, 0)


def test_a_prompt_that_was_taken_back_is_left_out_with_all_that_followed(path: Path) -> None:
    session = t.read(
        path,
        t.chained(
            [
                t.said("Start.", uuid="u1"),
                t.replied(t.text("Ready."), uuid="r1"),
                t.said("Delete it all.", uuid="u2"),
                t.replied(t.call("Bash", command="rm -r ."), uuid="r2"),
                t.said("Only the cache.", uuid="u3", parentUuid="r1"),
                t.replied(t.text("Done."), uuid="r3"),
            ]
        ),
    )

    assert [words for _, words in t.words(session, path)] == [
        "Start.", "Ready.", "Only the cache.", "Done.",
    ]  # fmt: skip
    assert len(session.calls) == 0
    assert rules(session) == ["trace/left-out"]
    assert "2 records were left out" in session.notes[0].message


def test_who_goes_back_to_the_very_beginning_takes_the_first_prompt_back(path: Path) -> None:
    session = t.read(
        path,
        t.chained(
            [
                t.said("Delete it all."),
                t.replied(t.call("Bash", "b", command="rm -r .")),
                t.said([t.result("b")]),
                t.said("Only the cache.", parentUuid=None),
                t.replied(t.text("Done.")),
            ]
        ),
    )

    assert [words for _, words in t.words(session, path)] == ["Only the cache.", "Done."]
    assert "3 records were left out" in session.notes[0].message


def test_the_branch_that_was_gone_back_to_is_the_active_one(path: Path) -> None:
    session = t.read(
        path,
        t.chained(
            [
                t.said("Start.", uuid="u1"),
                t.replied(t.text("Ready."), uuid="r1"),
                t.said("First.", uuid="u2", parentUuid="r1"),
                t.replied(t.text("One."), uuid="r2"),
                t.said("Second.", uuid="u3", parentUuid="r1"),
                t.replied(t.text("Two."), uuid="r3"),
                t.said("More of the first.", uuid="u4", parentUuid="r2"),
            ]
        ),
    )

    assert [words for _, words in t.words(session, path)] == [
        "Start.", "Ready.", "First.", "One.", "More of the first.",
    ]  # fmt: skip


def test_records_that_follow_the_same_one_without_a_prompt_are_no_fork(path: Path) -> None:
    session = t.read(
        path,
        t.chained(
            [
                t.said("Go.", uuid="u1"),
                t.replied(t.call("Read", "a"), uuid="r1"),
                t.replied(t.call("Read", "b"), uuid="r2"),
                t.said([t.result("a")], uuid="s1", parentUuid="r1"),
                t.said([t.result("b")], uuid="s2", parentUuid="r2"),
                t.replied(t.text("Done."), uuid="r3"),
            ]
        ),
    )

    assert len(session.calls) == 2
    assert all(call.status is CallStatus.OK for call in session.calls)
    assert session.notes == ()


def test_a_record_that_stands_twice_counts_once(path: Path) -> None:
    records = t.chained(
        [
            t.said("Go."),
            t.replied(t.call("Bash", "a"), usage=t.usage(5, 5)),
            t.said([t.result("a")]),
        ]
    )
    on = t.said("On.", parentUuid=records[-1]["uuid"])
    session = t.read(path, [*records, *records, *t.chained([on], start=9)])

    assert len(session.calls) == 1
    assert len(session.turns) == 2
    assert session.usage is not None
    assert session.usage.total == 10
    assert "3 records were left out" in session.notes[0].message


def test_a_compaction_is_said_with_its_line_and_what_came_before_stays(path: Path) -> None:
    session = t.read(
        path,
        t.chained(
            [
                t.said("Go."),
                t.replied(t.text("Long work.")),
                {
                    "type": "system",
                    "subtype": "compact_boundary",
                    "content": "Conversation compacted",
                },
                t.said("What was done so far.", isCompactSummary=True),
                t.said("Go on."),
                t.replied(t.text("Short work.")),
            ]
        ),
    )

    assert rules(session) == ["trace/compacted"]
    assert session.notes[0].line == 3
    assert len(session.turns) == 2
    assert session.complete


def test_a_session_that_goes_on_from_an_earlier_file_is_a_fragment(path: Path) -> None:
    summary: t.Record = {"type": "summary", "summary": "Earlier work", "leafUuid": "elsewhere"}
    here: t.Record = {"type": "summary", "summary": "This work", "leafUuid": "00000001"}
    records = t.chained([t.said("Go.")])

    assert t.read(path, [summary, *records]).fragment
    assert not t.read(path, [here, *records]).fragment
    orphan = t.read(path, t.chained([t.said("Go.", parentUuid="elsewhere")]))
    assert orphan.fragment
    assert not orphan.complete
    assert rules(orphan) == ["trace/fragment"]


def test_an_api_error_is_no_message_of_the_agent(path: Path) -> None:
    session = t.read(
        path,
        t.chained(
            [
                t.said("Go."),
                t.replied(t.text("Half.")),
                t.replied(t.text("API Error: 500"), isApiErrorMessage=True),
            ]
        ),
    )

    assert session.is_error
    assert session.final_message == 1
    assert session.events[2].kind is EventKind.SYSTEM


def test_a_synthetic_reply_is_no_model(path: Path) -> None:
    synthetic = t.replied(t.text("No response requested."))
    synthetic["message"]["model"] = "<synthetic>"
    session = t.read(path, t.chained([t.said("Go."), synthetic, t.replied(t.text("Done."))]))

    assert session.models == ("claude-test-1",)
    assert not session.is_error


def test_records_need_not_stand_in_the_order_of_time(path: Path) -> None:
    session = t.read(
        path,
        t.chained(
            [
                t.said("Go.", timestamp="2026-01-01T10:00:05Z"),
                t.replied(t.text("a"), timestamp="2026-01-01T10:00:09Z"),
                t.replied(t.text("b"), timestamp="2026-01-01T10:00:01Z"),
            ]
        ),
    )

    assert (session.started_at, session.ended_at) == (
        "2026-01-01T10:00:01Z", "2026-01-01T10:00:09Z",
    )  # fmt: skip


def test_the_first_folder_is_the_sessions_own(path: Path) -> None:
    session = t.read(
        path, t.chained([t.said("Go.", cwd="/a"), t.replied(t.text("b"), cwd="/a/worktree")])
    )

    assert session.cwd == "/a"


def test_unknown_and_misshapen_records_lose_nothing_but_themselves(path: Path) -> None:
    session = t.read(
        path,
        t.chained(
            [
                t.said("Go."),
                {"type": "wholly-new", "payload": [1, 2]},
                {"type": "user", "message": "error"},
                {"type": "assistant", "message": {"role": "assistant", "content": 42}},
                {"type": ["odd"], "message": {"role": {"odd": 1}}},
                t.said(["a bare text"]),
                t.replied(t.text("Done.")),
            ]
        ),
    )

    assert [words for _, words in t.words(session, path)] == ["Go.", "Done."]
    (note,) = session.notes
    assert (note.rule, note.line) == ("trace/odd-record", 3)
    assert "and 2 more" in note.message
    assert session.complete


def test_what_was_on_offer_is_an_interval_and_silence_is_unknown(path: Path) -> None:
    def listing(names: list[str], content: str, *, first: bool) -> t.Record:
        value = {"type": "skill_listing", "names": names, "content": content, "isInitial": first}
        return {"type": "attachment", "attachment": value}

    session = t.read(
        path,
        t.chained(
            [
                listing(
                    ["deploy", "shop:tell", "shop"],
                    "- deploy: Ship it.\n  With care.\n- shop:tell: Say: it.\n- shop",
                    first=True,
                ),
                t.said("Go."),
                listing(["review"], "- review: Look.", first=False),
                t.replied(t.text("Done.")),
                listing(["deploy"], "- deploy: Ship it.", first=True),
            ]
        ),
    )

    offers = {offer.name: offer for offer in session.roster.offers}
    assert (offers["deploy"].since, offers["deploy"].until) == (0, None)
    assert offers["deploy"].description == "Ship it. With care."
    assert offers["shop:tell"].description == "Say: it."
    assert offers["shop"].description is None
    assert (offers["review"].since, offers["review"].until) == (1, 2)
    assert session.roster.offered(Offered.SKILL, ["deploy"]) is True
    assert session.roster.offered(Offered.SKILL, ["nothing"]) is False
    assert session.roster.offered(Offered.AGENT, ["deploy"]) is None


def test_without_any_listing_the_roster_is_no_capability(path: Path) -> None:
    assert Capability.ROSTER not in t.read(path, t.chained([t.said("Go.")])).capabilities


def test_an_export_of_a_session_as_one_value_is_read(path: Path) -> None:
    records = [t.said("Grüße 👋"), t.replied(t.text("Hallo 👋"))]
    session = t.read(path, json.dumps({"loglines": records}, ensure_ascii=False, indent=1).encode())

    assert session.format == "claude-session"
    assert t.words(session, path) == [("user", "Grüße 👋"), ("assistant", "Hallo 👋")]


@pytest.mark.parametrize(
    ("stop", "after", "complete"),
    [
        ("tool_use", [], False),
        ("pause_turn", [], False),
        ("tool_use", [t.said([t.result("k")])], False),
        ("end_turn", [], True),
        (None, [], True),
        ("tool_use", [t.said("[Request interrupted by user]")], True),
        ("tool_use", [t.said("Go on."), t.replied(t.text("Well."))], True),
    ],
)
def test_a_last_reply_that_waits_for_a_tool_shows_that_the_session_went_on(
    path: Path, stop: str | None, after: list[t.Record], *, complete: bool
) -> None:
    last = t.replied(t.text("I look."), t.call("Read", "k", file_path="a"))
    last["message"]["stop_reason"] = stop

    session = t.read(path, t.chained([t.said("Go."), last, *after]))

    assert session.complete is complete
    assert ("trace/unfinished" in rules(session)) is not complete


def test_a_run_that_ends_with_its_structured_output_is_complete(path: Path) -> None:
    last = t.replied(t.call("StructuredOutput", "k", answer=1))
    last["message"]["stop_reason"] = "tool_use"

    assert t.read(path, t.chained([t.said("Go."), last, t.said([t.result("k")])])).complete
