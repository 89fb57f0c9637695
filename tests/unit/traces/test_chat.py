"""Chat messages: calls in each spelling, what is known of files, and each way to keep a list."""

import json
from pathlib import Path

import pytest

from mergebar.model.sessions import CallStatus, Capability, FileAction, lacking
from support import traces as t

SYSTEM: t.Record = {"role": "system", "content": "Be kind."}
USER: t.Record = {"role": "user", "content": "What's the weather?"}
ASK: t.Record = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {
            "id": "c1",
            "type": "function",
            "function": {"name": "weather", "arguments": '{"city": "Köln"}'},
        }
    ],
}
TOLD: t.Record = {"role": "tool", "tool_call_id": "c1", "content": "rain"}
ANSWER: t.Record = {"role": "assistant", "content": "It rains."}
MESSAGES = [SYSTEM, USER, ASK, TOLD, ANSWER]
WORDS = [
    ("system", "Be kind."),
    ("user", "What's the weather?"),
    ("tool-call", '{"city":"Köln"}'),
    ("tool-result", "rain"),
    ("assistant", "It rains."),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "messages.json"


def as_json(value: object, indent: int | None = None) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=indent).encode()


@pytest.mark.parametrize(
    "content",
    [
        as_json(MESSAGES),
        as_json(MESSAGES, indent=2),
        as_json({"messages": MESSAGES}),
        as_json({"title": "ü", "messages": MESSAGES, "note": "é"}, indent=2),
        t.lines(MESSAGES),
        b"\xef\xbb\xbf" + as_json({"messages": MESSAGES}),
        b"\xef\xbb\xbf" + t.lines(MESSAGES),
        t.lines([{"messages": MESSAGES}]),
        as_json({"conversations": [{"messages": MESSAGES}]}),
        "\n\n".join(json.dumps(each, indent=2) for each in MESSAGES).encode(),
        b"\r\n".join(json.dumps(each).encode() for each in MESSAGES),
    ],
)
def test_a_conversation_is_the_same_however_it_is_kept(path: Path, content: bytes) -> None:
    session = t.read(path, content)

    assert session.format == "chat"
    assert t.words(session, path) == WORDS
    assert list(session.turns) == [1]
    assert session.final_message == 4
    assert session.complete
    assert not [note for note in session.notes if note.rule != "trace/joined"]


def test_a_conversation_in_yaml_is_read_too(path: Path) -> None:
    content = """\
models: [test]
conversations:
  - messages:
      - {role: user, content: "Old."}
  - messages:
      - role: user
        content: Grüße.
      - role: assistant
        content: >-
          Guten
          Tag.
"""
    session = t.read(path, content.encode())

    assert t.words(session, path) == [("user", "Grüße."), ("assistant", "Guten Tag.")]
    assert [note.rule for note in session.notes] == ["trace/several"]
    assert "2 conversations" in session.notes[0].message


def test_a_call_and_its_result_are_paired_and_nobody_says_how_it_ended(path: Path) -> None:
    session = t.read(path, as_json(MESSAGES))

    (call,) = session.calls
    assert (call.name, call.event, call.result) == ("weather", 2, 3)
    assert call.status is CallStatus.UNKNOWN
    assert Capability.TOOL_STATUS not in session.capabilities


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        (
            {"role": "assistant", "function_call": {"name": "weather", "arguments": "{}"}},
            {"role": "function", "name": "weather", "content": "rain"},
        ),
        (
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [
                    {"id": "c", "type": "custom", "custom": {"name": "weather", "input": "{}"}}
                ],
            },
            {"role": "tool", "tool_call_id": "c", "content": [{"type": "text", "text": "rain"}]},
        ),
        (
            {"role": "assistant", "content": [t.call("weather", "c")]},
            {"role": "user", "content": [t.result("c", [t.text("rain")])]},
        ),
    ],
)
def test_older_custom_and_anthropic_calls_are_understood(
    path: Path, message: t.Record, answer: t.Record
) -> None:
    session = t.read(path, as_json([USER, message, answer]))

    (call,) = session.calls
    assert (call.name, call.result) == ("weather", 2)
    assert t.words(session, path)[1:] == [("tool-call", "{}"), ("tool-result", "rain")]
    assert len(session.turns) == 1


def test_arguments_that_are_no_json_stay_what_they_are(path: Path) -> None:
    call = {"id": "c", "function": {"name": "weather", "arguments": "Köln, please"}}
    session = t.read(path, as_json([{"role": "assistant", "tool_calls": [call]}]))

    assert t.words(session, path) == [("tool-call", "Köln, please")]


def test_files_are_seen_only_through_tools_that_are_known(path: Path) -> None:
    def asks(name: str, **arguments: object) -> t.Record:
        function = {"name": name, "arguments": json.dumps(arguments)}
        return {"role": "assistant", "tool_calls": [{"id": name, "function": function}]}

    known = t.read(path, as_json([asks("view", path="a.py"), asks("skill", skill="deploy")]))
    assert [(each.path, each.action) for each in known.files] == [("a.py", FileAction.READ)]
    assert [use.name for use in known.skills] == ["deploy"]
    assert {Capability.FILE_OPERATIONS, Capability.SKILLS} <= known.capabilities

    unknown = t.read(path, as_json([asks("open_the_file", path="a.py")]))
    assert not unknown.capabilities & {Capability.FILE_OPERATIONS, Capability.SKILLS}
    assert lacking(unknown, [Capability.FILE_OPERATIONS]) == (
        "a list of chat messages doesn't record file operations"
    )


def test_usage_is_what_the_response_around_the_messages_states(path: Path) -> None:
    stated = {
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "prompt_tokens_details": {"cached_tokens": 60},
    }
    session = t.read(path, as_json({"messages": MESSAGES, "usage": stated, "model": "gpt-x"}))

    assert session.usage is not None
    assert (session.usage.input_tokens, session.usage.cache_read_tokens) == (40, 60)
    assert session.usage.total == 60
    assert session.usage.cost_usd is None
    assert session.models == ("gpt-x",)
    assert Capability.USAGE not in t.read(path, as_json(MESSAGES)).capabilities


def test_a_completion_is_a_session_of_one_message(path: Path) -> None:
    reply = {"object": "chat.completion", "choices": [{"index": 0, "message": ANSWER}]}
    session = t.read(path, as_json(reply, indent=1))

    assert t.words(session, path) == [("assistant", "It rains.")]


def test_parts_refusals_pictures_and_reasoning_have_words(path: Path) -> None:
    session = t.read(
        path,
        as_json(
            [
                {"role": "developer", "content": "Be brief."},
                {
                    "role": "user",
                    "content": [t.text("Look:"), {"type": "image_url", "image_url": {"url": "x"}}],
                },
                {
                    "role": "assistant",
                    "reasoning_content": "Hm.",
                    "content": [{"type": "refusal", "refusal": "No."}],
                },
            ]
        ),
    )

    assert t.words(session, path) == [
        ("system", "Be brief."),
        ("user", "Look:\n[image]"),
        ("reasoning", "Hm."),
        ("assistant", "No."),
    ]


def test_a_refusal_beside_the_content_is_what_the_agent_said(path: Path) -> None:
    refusal = {"role": "assistant", "content": None, "refusal": "I can't help with that."}
    session = t.read(path, t.lines([{"role": "user", "content": "Go."}, refusal]))

    assert session.idle is None
    assert t.words(session, path)[-1] == ("assistant", "I can't help with that.")


def test_a_message_without_a_known_role_is_told_and_passed_over(path: Path) -> None:
    session = t.read(path, as_json([USER, {"role": "narrator", "content": "…"}, ANSWER]))

    assert len(session.events) == 2
    assert [note.rule for note in session.notes] == ["trace/odd-record"]


def test_several_conversations_one_per_line_are_several_sessions(path: Path) -> None:
    problem = t.refused(path, t.lines([{"messages": MESSAGES}, {"messages": MESSAGES}]))

    assert problem.rule == "trace/several-sessions"
