"""Sub-agents of a Claude session: among its records, in folders beside it, in files beside it."""

import json
from pathlib import Path

import pytest

from mergebar.model.sessions import MAIN, Session
from support import traces as t


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "traces" / "session.jsonl"


def spawn(
    key: str, kind: str = "reviewer", prompt: str = "Review it.", tool: str = "Agent"
) -> t.Record:
    return t.call(tool, key, subagent_type=kind, prompt=prompt)


def sidecar(path: Path, number: str, records: list[t.Record], **meta: object) -> Path:
    file = path.with_suffix("") / "subagents" / f"agent-{number}.jsonl"
    if meta:
        t.write(file.with_suffix(".meta.json"), json.dumps(meta).encode())
    return t.write(file, t.chained(records, side=True))


def branch_texts(session: Session, path: Path) -> list[tuple[int, str]]:
    spoken = t.words(session, path)
    return [(event.branch, spoken[event.index][1]) for event in session.events]


def test_a_sidecar_is_spliced_in_behind_the_call_that_started_it(path: Path) -> None:
    sidecar(
        path,
        "1",
        [t.said("Review it."), t.replied(t.call("Read", "x", file_path="a"), usage=t.usage(5, 5))],
        agentType="reviewer",
        toolUseId="s1",
    )
    session = t.read(
        path,
        t.chained(
            [
                t.said("Go."),
                t.replied(spawn("s1"), t.text("Meanwhile."), usage=t.usage(1, 1)),
                t.said([t.result("s1", "fine")]),
            ]
        ),
    )

    assert branch_texts(session, path) == [
        (MAIN, "Go."),
        (MAIN, '{"subagent_type":"reviewer","prompt":"Review it."}'),
        (1, "Review it."),
        (1, '{"file_path":"a"}'),
        (MAIN, "Meanwhile."),
        (MAIN, "fine"),
    ]
    assert session.sources == ("session.jsonl", "session/subagents/agent-1.jsonl")
    assert (session.branches[1].agent_type, session.branches[1].spawn) == ("reviewer", 1)
    assert session.spawns[0].child == 1
    assert session.usage is not None
    assert session.subagent_usage is not None
    assert (session.usage.total, session.subagent_usage.total) == (2, 10)
    assert list(session.turns) == [0, 2]
    assert session.complete


def test_sidecars_of_sidecars_are_found_by_the_calls_in_them(path: Path) -> None:
    # In the order of their names the inner one comes first.
    sidecar(path, "a", [t.said("Deeper."), t.replied(t.text("inner"))], toolUseId="s2")
    sidecar(path, "b", [t.said("Deep."), t.replied(spawn("s2", "inner"))], toolUseId="s1")
    session = t.read(path, t.chained([t.said("Go."), t.replied(spawn("s1", "outer", tool="Task"))]))

    assert [(each.number, each.parent, each.agent_type) for each in session.branches] == [
        (0, None, None), (1, 0, "outer"), (2, 1, "inner"),
    ]  # fmt: skip
    assert branch_texts(session, path)[-1] == (2, "inner")


def test_a_workflow_keeps_its_agents_in_a_folder_of_its_own(path: Path) -> None:
    file = path.with_suffix("") / "subagents" / "workflows" / "r1" / "agent-1.jsonl"
    t.write(file, t.chained([t.said("Review it.")], side=True))
    t.write(file.with_suffix(".meta.json"), b'{"toolUseId": "s1"}')
    session = t.read(path, t.chained([t.said("Go."), t.replied(spawn("s1"))]))

    assert branch_texts(session, path)[-1] == (1, "Review it.")


@pytest.mark.parametrize(
    ("meta", "words"),
    [
        ({"toolUseId": "nobody"}, "no call of the session has the id `nobody`"),
        ({"agentType": "reviewer"}, "no call of the session has this brief"),
        ({}, "no call of the session has this brief"),
    ],
)
def test_an_orphan_is_not_merged_and_is_told(
    path: Path, meta: dict[str, object], words: str
) -> None:
    sidecar(path, "1", [t.said("Review something else.")], **meta)
    session = t.read(path, t.chained([t.said("Go."), t.replied(spawn("s1"))]))

    assert len(session.branches) == 1
    assert session.spawns[0].child is None
    (note,) = session.notes
    assert words in note.message
    assert note.path == "session/subagents/agent-1.jsonl"
    assert not session.complete


def test_a_broken_line_of_a_sidecar_is_told_with_its_file(path: Path) -> None:
    file = sidecar(path, "1", [t.said("Review it.")], toolUseId="s1")
    file.write_bytes(file.read_bytes() + b"{oops\n" + t.lines([t.replied(t.text("ok"))]))
    session = t.read(path, t.chained([t.said("Go."), t.replied(spawn("s1"))]))

    (note,) = session.notes
    assert (note.path, note.line) == ("session/subagents/agent-1.jsonl", 2)
    assert branch_texts(session, path)[-1] == (1, "ok")
    assert not session.complete


def test_a_sidecar_that_leads_out_through_a_symbolic_link_is_not_read(
    path: Path, tmp_path: Path
) -> None:
    secret = t.write(tmp_path / "secret.jsonl", t.chained([t.said("Review it.")], side=True))
    folder = path.with_suffix("") / "subagents"
    folder.mkdir(parents=True)
    (folder / "agent-1.jsonl").symlink_to(secret)
    t.write(folder / "agent-1.meta.json", b'{"toolUseId": "s1"}')

    assert len(t.read(path, t.chained([t.replied(spawn("s1"))])).branches) == 1


def test_older_sidecars_beside_the_session_are_told_by_their_brief(path: Path) -> None:
    t.write(path.parent / "agent-7.jsonl", t.chained([t.said("Look.")], side=True))
    other = t.chained([t.said("Review it.")], side=True)
    t.write(path.parent / "agent-8.jsonl", [{**each, "sessionId": "other"} for each in other])
    session = t.read(
        path, t.chained([t.replied(spawn("s1"), spawn("s2", "explorer", prompt="Look."))])
    )

    assert session.branches[1].agent_type == "explorer"
    assert [each.child for each in session.spawns] == [None, 1]
    assert session.notes == ()


def test_a_sub_agent_among_the_records_belongs_to_the_record_that_started_it(path: Path) -> None:
    session = t.read(
        path,
        t.chained(
            [
                t.said("Go.", uuid="u"),
                t.replied(spawn("s1", "one", "First."), uuid="r1"),
                t.replied(spawn("s2", "two", "Second."), uuid="r2", parentUuid="r1"),
                t.said("Second.", uuid="b1", parentUuid="r2", isSidechain=True),
                t.said("First.", uuid="a1", parentUuid="r1", isSidechain=True),
                t.replied(t.text("two"), uuid="b2", parentUuid="b1", isSidechain=True),
                t.replied(t.text("one"), uuid="a2", parentUuid="a1", isSidechain=True),
                t.replied(t.text("Done."), parentUuid="r2"),
            ]
        ),
    )

    assert [(each.agent_type, each.spawn) for each in session.branches[1:]] == [
        ("two", 2), ("one", 1),
    ]  # fmt: skip
    assert branch_texts(session, path)[3:] == [
        (1, "Second."), (2, "First."), (1, "two"), (2, "one"), (MAIN, "Done."),
    ]  # fmt: skip
    assert session.final_message == 7


def test_two_started_by_one_record_are_told_apart_by_their_briefs(path: Path) -> None:
    session = t.read(
        path,
        t.chained(
            [
                t.replied(spawn("s1", "one", "First."), spawn("s2", "two", "Second."), uuid="r"),
                t.said("Second.", parentUuid="r", isSidechain=True),
                t.said("First.", parentUuid="r", isSidechain=True),
            ]
        ),
    )

    assert [each.agent_type for each in session.branches[1:]] == ["two", "one"]


def test_a_sub_agent_without_a_parent_is_told_by_its_brief_or_stands_alone(path: Path) -> None:
    session = t.read(
        path,
        t.chained(
            [
                t.replied(spawn("s1", "one", "First."), uuid="r"),
                t.said("First.", parentUuid=None, isSidechain=True),
                t.said("Unheard of.", parentUuid=None, isSidechain=True),
            ]
        ),
    )

    assert [(each.agent_type, each.parent) for each in session.branches[1:]] == [
        ("one", 0), (None, None),
    ]  # fmt: skip


def test_a_sub_agents_own_file_is_a_session_of_its_own(path: Path) -> None:
    session = t.read(path, t.chained([t.said("Review it."), t.replied(t.text("ok"))], side=True))

    assert len(session.branches) == 1
    assert list(session.turns) == [0]
    assert session.final_message == 1


def test_sub_agents_that_never_end_starting_others_are_cut_off(path: Path) -> None:
    for number in range(30):
        sidecar(path, f"{number}", [t.replied(spawn(f"s{number + 1}"))], toolUseId=f"s{number}")
    session = t.read(path, t.chained([t.replied(spawn("s0"))]))

    assert len(session.branches) == 21
    assert not session.complete
    assert any("nested too deep" in note.message for note in session.notes)
