"""Which changed traces show nothing that the base didn't, however they came to change."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from mergebar.commands.artifacts import repeated_traces
from mergebar.model.changes import Change, Changes, Status

OLD = b'{"type": "user"}\n{"type": "assistant"}\n'
NEW = b'{"type": "user"}\n{"type": "system"}\n'
A, B = "traces/a.jsonl", "traces/b.jsonl"


def find(
    top: Path,
    here: Mapping[str, bytes],
    base: Mapping[str, bytes],
    *files: Change,
) -> frozenset[str]:
    for path, data in here.items():
        at = top / path
        at.parent.mkdir(parents=True, exist_ok=True)
        at.write_bytes(data)
    changed = {one.path for one in files if one.path in here}
    return repeated_traces.find(
        top, changed, kept=here.keys() - changed, changes=Changes(files=files), before=base.get
    )


@pytest.mark.parametrize(
    "data",
    [
        OLD,
        OLD + b"\n",
        OLD.rstrip(b"\n"),
        OLD.replace(b"\n", b"\r\n"),
        OLD.replace(b"\n", b"\n\n"),
        OLD.replace(b": ", b":"),
        OLD.replace(b"\n", b"  \t\n"),
        b"\xef\xbb\xbf" + OLD,
    ],
)
@pytest.mark.parametrize(
    ("path", "base", "change"),
    [
        (A, {A: OLD}, Change(path=A)),
        (B, {A: OLD}, Change(path=B, old_path=A, status=Status.RENAMED)),
        (B, {"archive/x.jsonl": OLD}, Change(path=B, old_path="archive/x.jsonl")),
    ],
    ids=["edited", "moved", "moved-in"],
)
def test_what_is_only_spaced_or_placed_otherwise_repeats(
    tmp_path: Path, data: bytes, path: str, base: Mapping[str, bytes], change: Change
) -> None:
    assert find(tmp_path, {path: data}, base, change) == {path}
    assert find(tmp_path, {path: data.replace(b"user", b"tool")}, base, change) == set()


def test_a_copy_of_a_session_that_is_there_repeats(tmp_path: Path) -> None:
    added = Change(path=B, status=Status.ADDED)

    assert find(tmp_path, {A: OLD, B: OLD}, {A: OLD}, added) == {B}
    assert find(tmp_path, {A: OLD, B: NEW}, {A: OLD}, added) == set()


def test_sessions_that_change_places_repeat(tmp_path: Path) -> None:
    base = {A: OLD, B: NEW}

    assert find(tmp_path, {A: NEW, B: OLD}, base, Change(path=A), Change(path=B)) == {A, B}


def test_one_that_is_deleted_here_and_added_there_repeats(tmp_path: Path) -> None:
    gone = Change(path="old/a.jsonl", status=Status.DELETED)
    added = Change(path=B, status=Status.ADDED)

    assert find(tmp_path, {B: OLD + b"\n"}, {"old/a.jsonl": OLD}, gone, added) == {B}


def test_what_can_not_be_read_repeats_nothing(tmp_path: Path) -> None:
    (tmp_path / A).mkdir(parents=True)

    found = repeated_traces.find(
        tmp_path, [A], kept=[], changes=Changes(files=(Change(path=A),)), before={A: OLD}.get
    )

    assert found == set()
