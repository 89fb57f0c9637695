"""Words read again: from the right file, in any order, and never from another file's state."""

import json
from pathlib import Path

import pytest

from mergebar import traces
from mergebar.errors import StopError
from mergebar.model.sessions import Session
from support import traces as t


def test_words_are_read_in_any_order_from_the_trace_and_its_sidecars(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "run.jsonl"
    for number in range(20):
        file = path.with_suffix("") / "subagents" / f"agent-{number}.jsonl"
        t.write(file, t.chained([t.said(f"Brief {number}.")], side=True))
        t.write(file.with_suffix(".meta.json"), json.dumps({"toolUseId": f"s{number}"}).encode())
    calls = [t.replied(t.call("Agent", f"s{number}", prompt="x")) for number in range(20)]
    t.write(path, t.chained(calls))
    session = traces.read(path, name="elsewhere/run.jsonl")
    assert isinstance(session, Session)

    with traces.FileContents(session, path) as contents:
        briefs = [contents.text(event.index) for event in session.events if event.branch][::-1]
        assert contents.arguments(3) == {"prompt": "x"}

    assert briefs == [f"Brief {number}." for number in range(20)][::-1]
    assert session.sources[1] == "elsewhere/run/subagents/agent-0.jsonl"


def test_a_file_that_changed_meanwhile_stops_the_run(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    session = t.read(path, t.chained([t.said("Go."), t.replied(t.text("Done."))]))
    path.write_bytes(b"{}\n")

    with traces.FileContents(session, path) as contents, pytest.raises(StopError) as stop:
        contents.text(1)

    assert stop.value.code == 3
    assert "`run.jsonl` changed" in stop.value.message


def test_json_is_compact_and_in_the_order_of_the_trace(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    record = t.replied(t.call("Edit", "a", z=1, a="é", nested={"b": [1, None]}))
    session = t.read(path, t.chained([record]))

    assert t.words(session, path) == [("tool-call", '{"z":1,"a":"é","nested":{"b":[1,null]}}')]
