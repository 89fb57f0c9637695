"""Server-sent events and JSON lines, as services really send them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergebar.calling import event_streams
from mergebar.model.text import Json


@pytest.mark.parametrize(
    ("body", "values"),
    [
        (b'data: {"a": 1}\n\ndata: {"a": 2}\n\n', [{"a": 1}, {"a": 2}]),
        (b'data:{"a": 1}\r\n\r\ndata:{"a": 2}\r\n\r\n', [{"a": 1}, {"a": 2}]),
        (b'data: {"a":\ndata: 1}\n\n', [{"a": 1}]),
        (b": comment\n\nevent: delta\nid: 7\nretry: 10\ndata: hello\n\n", ["hello"]),
        (b'data: {"a": 1}\n\ndata: [DONE]\n\ndata: {"a": 2}\n\n', [{"a": 1}]),
        (b'data: {"a": 1}', [{"a": 1}]),
        (b'\xef\xbb\xbfdata: {"a": 1}\n\n', [{"a": 1}]),
        (b"event: ping\n\n", []),
        (b"data: 4\n\ndata: true\n\ndata: null\n\n", [4, True, None]),
        (b"no stream at all", []),
        (b"", []),
    ],
)
def test_events_are_read(body: bytes, values: list[Json]) -> None:
    assert event_streams.events(body) == values


@pytest.mark.parametrize(
    "data", [b'{"error": {"message": "overloaded"}}', b'{"message": "overloaded"}', b"overloaded"]
)
def test_an_event_that_is_an_error_is_one(data: bytes) -> None:
    found = event_streams.events(b"data: 1\n\nevent: error\ndata: " + data + b"\n\n")

    assert found == "there is an event `error`: overloaded"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'data: {"a": 1}\n\ndata: {"a": " wor', "event 2 is not JSON: "),
        (b'data: {"a": NaN}\n\ndata: {"a": 2}\n\n', "event 1 holds `NaN`"),
        (b'data: {"a": "\\ud83d"}\n\ndata: {"a": 2}\n\n', "event 1 holds half of a surrogate"),
        (b'data: {}\n\ndata: {"a": 1, "a": 2}\n\n', "event 2 has the key `a` twice"),
        (b'data: {}\n\ndata: {"a": "b\xff\n\ndata: {}\n\n', "event 2 is not JSON: "),
        (b'data: {"a": ' + b"[" * 300 + b"]" * 300 + b"}\n\ndata: {}\n\n", "event 1 is nested"),
    ],
)
def test_an_event_that_is_no_whole_object_among_objects_is_none_to_pass_over(
    body: bytes, said: str
) -> None:
    found = event_streams.events(body)

    assert isinstance(found, str)
    assert found.startswith(said)


@pytest.mark.parametrize(
    ("body", "values"),
    [
        (b'data: {"a": 1}\n\ndata: ping\n\n', [{"a": 1}, "ping"]),
        (b"data: {\n\ndata: x\n\ndata: }\n\n", ["{", "x", "}"]),
        (b'data: {"a": 1}\n\ndata: [END]\n\n', [{"a": 1}, "[END]"]),
    ],
)
def test_what_is_no_object_is_a_text(body: bytes, values: list[Json]) -> None:
    assert event_streams.events(body) == values


@given(
    st.lists(
        st.recursive(
            st.none() | st.booleans() | st.integers(-99, 99) | st.text(max_size=5),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(st.text(max_size=3), inner, max_size=3)
            ),
            max_leaves=5,
        )
    )
)
def test_what_was_written_is_what_is_read(values: list[Json]) -> None:
    events = "".join(f"data: {json.dumps(value)}\n\n" for value in values)
    lines = "".join(f"{json.dumps(value)}\n\n" for value in values)

    assert event_streams.events(events.encode()) == values
    assert event_streams.lines(lines.encode()) == values


def test_a_line_that_is_no_json_is_named() -> None:
    found = event_streams.lines(b'{"a": 1}\n\nnonsense\n')

    assert found == "line 3 is not JSON: expecting value"


@pytest.mark.parametrize(
    ("body", "ended"),
    [
        (b"data: [DONE]\n\n", True),
        (b"data: 1\n\ndata:[DONE]\r\n\r\n", True),
        (b'data: {"text": "I wrote data: [DONE] there"}\n\n', False),
        (b'data: {"text": "\\ndata: [DONE]\\n"}\n\n', False),
        (b"data: [DONE]", False),
    ],
)
def test_only_the_mark_itself_ends_a_stream(body: bytes, *, ended: bool) -> None:
    assert event_streams.is_ended(bytearray(body)) is ended
