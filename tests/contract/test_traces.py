"""The same questions to every trace parser, by its registered name."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mergebar import traces
from mergebar.commands import trace_account
from mergebar.model.problems import Problem
from mergebar.model.sessions import Capability, EventKind, Session, lacking
from mergebar.traces import PARSERS, formats
from support import traces as t

NAMES = sorted(PARSERS)
ODD = {
    "nul and escapes": "a\x00b\x1b[31m\x07",
    "half a character": "\ud83d broken",
    "right to left": "\u202eabc\u202c",
    "markup": "<script>alert(1)</script> </details> ```\n::error::x\n##[group]x",
    "a megabyte": "Hold the button. " * 65_000,
    "unclosed": "<system-reminder>" * 20_000,
    "unclosed in many ways": "".join(
        f"<ide_{a}{b}{c}{d}>" for a, b, c, d in product("abcdefghijklmnopq", repeat=4)
    ),
    "command": "<command-name>/" + "x" * 5000 + "</command-name>",
}


def _chat(prompt: str, answer: str) -> list[t.Record]:
    function = {"name": "Read", "arguments": json.dumps({"file_path": "a.py"})}
    return [
        {"role": "user", "content": prompt},
        {"role": "assistant", "content": "I look.", "tool_calls": [
            {"id": "c1", "type": "function", "function": function},
        ]},
        {"role": "tool", "tool_call_id": "c1", "content": answer},
        {"role": "assistant", "content": answer},
    ]  # fmt: skip


def _claude(prompt: str, answer: str) -> list[t.Record]:
    return [
        t.said(prompt),
        t.replied(t.text("I look."), t.call("Read", "c1", file_path="a.py")),
        t.said([t.result("c1", answer)]),
        t.replied(t.text(answer)),
    ]


def example(name: str, prompt: str = "Look.", answer: str = "Done.") -> list[t.Record]:
    """The same small session in each format: a prompt, a call, its result, an answer."""
    if name == formats.CHAT:
        return _chat(prompt, answer)
    if name == formats.CLAUDE_STREAM:
        return t.streamed([t.init(), *_claude(prompt, answer), t.ended(answer)])
    return t.chained(_claude(prompt, answer))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "trace"


def sound(session: Session, path: Path) -> None:
    """What holds for every session of every format."""
    events = list(session.events)
    assert [event.index for event in events] == list(range(len(events)))
    assert all(0 <= event.branch < len(session.branches) for event in events)
    assert session.capabilities <= PARSERS[session.format].capabilities | {Capability.COST}
    for index, call in enumerate(session.calls):
        assert call.index == index
        assert events[call.event].kind is EventKind.TOOL_CALL
        assert call.branch == events[call.event].branch
        if call.result is not None:
            assert events[call.result].kind is EventKind.TOOL_RESULT
    for operation in session.files:
        assert operation.event == session.calls[operation.call].event
    assert list(session.turns) == sorted(session.turns)
    assert all(events[turn].kind is EventKind.USER for turn in session.turns)
    for name, rows in (("branch", session.events), ("event", session.calls)):
        assert list(rows.column(name)) == [getattr(row, name) for row in rows]
    for _, words in t.words(session, path):
        words.encode()
    json.dumps(trace_account.account(session, None), allow_nan=False, ensure_ascii=False).encode()


def seen(session: Session) -> tuple[object, ...]:
    account = trace_account.account(session, None)
    return json.dumps(account), list(session.events), list(session.calls), list(session.files)


def test_every_format_that_is_read_has_a_parser_of_its_name() -> None:
    assert set(PARSERS) == set(formats.READ)
    assert all(parser.name == name for name, parser in PARSERS.items())


@pytest.mark.parametrize("name", NAMES)
def test_a_small_session_is_understood_alike(name: str, path: Path) -> None:
    session = t.read(path, example(name))

    assert session.format == name
    assert session.complete
    assert t.words(session, path)[:5] == [
        ("user", "Look."),
        ("assistant", "I look."),
        ("tool-call", '{"file_path":"a.py"}'),
        ("tool-result", "Done."),
        ("assistant", "Done."),
    ]
    assert [(call.name, call.canonical, call.result) for call in session.calls] == [
        ("Read", "read", 3)
    ]
    assert [each.path for each in session.files] == ["a.py"]
    assert list(session.turns) == [0]
    assert session.final_message is not None
    assert t.words(session, path)[session.final_message][1] == "Done."
    sound(session, path)


@pytest.mark.parametrize("name", NAMES)
def test_arguments_come_back_as_they_were(name: str, path: Path) -> None:
    session = t.read(path, example(name))

    with traces.FileContents(session, path) as contents:
        assert contents.arguments(0) == {"file_path": "a.py"}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("odd", ODD)
def test_odd_texts_are_kept_fit_for_any_sink(name: str, odd: str, path: Path) -> None:
    session = t.read(path, example(name, prompt=f"Go. {ODD[odd]}", answer=ODD[odd]))

    assert len(session.turns) == 1
    assert len(session.calls) == 1
    sound(session, path)


@pytest.mark.parametrize("name", NAMES)
def test_reading_twice_gives_the_same(name: str, path: Path) -> None:
    assert seen(t.read(path, example(name))) == seen(t.read(path))


@pytest.mark.parametrize("name", NAMES)
def test_cut_anywhere_the_beginning_is_still_there_and_marked(name: str, path: Path) -> None:
    whole = t.lines(example(name))
    for cut in range(len(whole) // 3, len(whole) - 1, 37):
        path.write_bytes(whole[:cut])
        session = traces.read(path, name="trace")
        if isinstance(session, Session):
            sound(session, path)
            at_end_of_line = whole[cut - 1 : cut + 1].endswith(b"\n") or whole[cut] == ord("\n")
            assert at_end_of_line or not session.complete


@pytest.mark.parametrize("name", NAMES)
def test_strange_records_among_good_ones_change_nothing_else(name: str, path: Path) -> None:
    good = example(name)
    strange: list[t.Record] = [
        {"type": "from-the-future", "session_id": "x"},
        {"role": "from-the-future", "content": "x"},
        {},
        {"type": None, "message": None, "role": None},
        {"type": {"a": 1}, "role": ["user"], "uuid": {"b": 2}, "parentUuid": [1]},
    ]
    mixed = [each for pair in zip(good, strange * 2, strict=False) for each in pair]
    session = t.read(path, [*mixed, *good[len(mixed) // 2 :]])

    assert [words for _, words in t.words(session, path)][:5] == [
        "Look.", "I look.", '{"file_path":"a.py"}', "Done.", "Done.",
    ]  # fmt: skip
    sound(session, path)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.sampled_from(["", "text", "tool_use", "tool_result", "user", "assistant", "c1", "Read"])
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from([
            "type", "text", "content", "id", "name", "input", "tool_use_id", "message", "role",
            "usage", "arguments", "function", "output_tokens",
        ]),
        inner,
        max_size=4,
    ),
    max_leaves=12,
)  # fmt: skip
KEYS = st.sampled_from([
    "type", "subtype", "message", "content", "uuid", "parentUuid", "isSidechain", "isMeta", "usage",
    "timestamp", "sessionId", "cwd", "version", "attachment", "summary", "leafUuid", "result",
    "num_turns", "total_cost_usd", "parent_tool_use_id", "permission_denials", "tools", "skills",
    "role", "tool_calls", "function_call", "tool_call_id", "toolUseResult", "origin", "costUSD",
    "structured_output", "logicalParentUuid", "isApiErrorMessage", "model",
])  # fmt: skip


def _put(record: t.Record, trail: list[str], value: object) -> None:
    """Replace something in a record: a member of it, or of its message, or of a block in that."""
    place: Any = record
    for step in trail[:-1]:
        inside = place.get(step) if isinstance(place, dict) else None
        place = inside[0] if isinstance(inside, list) and inside else inside
    if isinstance(place, dict):
        place[trail[-1]] = value


TRAILS = st.one_of(
    KEYS.map(lambda key: [key]),
    KEYS.map(lambda key: ["message", key]),
    st.sampled_from(
        ["type", "id", "name", "input", "text", "tool_use_id", "content", "is_error"]
    ).map(lambda key: ["message", "content", key]),
    st.sampled_from(["id", "function", "custom"]).map(lambda key: ["tool_calls", key]),
)


@pytest.mark.parametrize("name", NAMES)
@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(changes=st.lists(st.tuples(st.integers(0, 5), TRAILS, JSON), min_size=1, max_size=4))
def test_nothing_that_a_record_may_hold_crashes_a_parser(
    name: str, path: Path, changes: list[tuple[int, list[str], object]]
) -> None:
    records = example(name)
    for place, trail, value in changes:
        _put(records[place % len(records)], trail, value)
    t.write(path, records)
    found = traces.read(path, name="trace")

    assert isinstance(found, Session | Problem)
    if isinstance(found, Session):
        sound(found, path)


@pytest.mark.parametrize("name", NAMES)
def test_what_a_format_lacks_is_said_by_name(name: str, path: Path) -> None:
    session = t.read(path, example(name))

    assert lacking(session, [Capability.TOOL_CALLS, Capability.TURNS]) is None
    for capability in set(Capability) - session.capabilities:
        reason = lacking(session, [Capability.TOOL_CALLS, capability])
        assert reason == f"{formats.READ[name]} doesn't record {capability.value}"
