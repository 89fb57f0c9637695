"""Traces of our own: records in the formats that are read, and the files that hold them."""

import json
from collections.abc import Iterable, Mapping
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias

from mergebar import traces
from mergebar.model.problems import Problem
from mergebar.model.sessions import Session

Record: TypeAlias = dict[str, Any]

SESSION_ID = "5b2f1c1e-aaaa-4bbb-8ccc-000000000001"
CWD = "/home/dev/shop"


def text(words: str) -> Record:
    return {"type": "text", "text": words}


def call(name: str, key: str = "toolu_1", **arguments: object) -> Record:
    return {"type": "tool_use", "id": key, "name": name, "input": arguments}


def result(key: str = "toolu_1", content: object = "done", *, error: bool = False) -> Record:
    block: Record = {"type": "tool_result", "tool_use_id": key, "content": content}
    return {**block, "is_error": True} if error else block


def usage(uncached: int, output: int, *, read: int = 0, written: int = 0) -> Record:
    return {
        "input_tokens": uncached,
        "output_tokens": output,
        "cache_read_input_tokens": read,
        "cache_creation_input_tokens": written,
    }


def said(content: object, **more: object) -> Record:
    """A user record."""
    return {"type": "user", "message": {"role": "user", "content": content}, **more}


def replied(*blocks: Record, name: str | None = None, **more: object) -> Record:
    """An assistant record; `name` is the id of its message."""
    message: Record = {"role": "assistant", "model": "claude-test-1", "content": list(blocks)}
    if name is not None:
        message["id"] = name
    if "usage" in more:
        message["usage"] = more.pop("usage")
    return {"type": "assistant", "message": message, **more}


def chained(records: Iterable[Record], *, start: int = 1, side: bool = False) -> list[Record]:
    """Session records with what each has in such a file, one following the other.

    What a record says itself stays: `parentUuid` makes a fork, `uuid` a repeat.
    """
    parent: str | None = None
    made = []
    for number, record in zip(count(start), records, strict=False):
        full = {
            "parentUuid": parent,
            "isSidechain": side,
            "userType": "external",
            "cwd": CWD,
            "sessionId": SESSION_ID,
            "version": "2.1.0",
            "gitBranch": "main",
            "uuid": f"{number:08d}",
            "timestamp": f"2026-01-01T10:{number // 60:02}:{number % 60:02}.000Z",
            **record,
        }
        parent = full["uuid"]
        made.append(full)
    return made


def streamed(records: Iterable[Record]) -> list[Record]:
    """The same as stream-json has them."""
    return [
        {"session_id": SESSION_ID, "parent_tool_use_id": None, "uuid": f"{n}", **record}
        for n, record in enumerate(records)
    ]


def init(**more: object) -> Record:
    return {
        "type": "system",
        "subtype": "init",
        "cwd": CWD,
        "tools": ["Bash", "Read"],
        "model": "claude-test-1",
        "claude_code_version": "2.1.0",
        **more,
    }


def ended(answer: object = "Done.", **more: object) -> Record:
    return {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "num_turns": 1,
        "result": answer,
        "total_cost_usd": 0.25,
        "usage": usage(100, 20),
        **more,
    }


def lines(records: Iterable[Mapping[str, object]]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def write(path: Path, content: bytes | Iterable[Mapping[str, object]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else lines(content))
    return path


def read(path: Path, content: bytes | Iterable[Mapping[str, object]] | None = None) -> Session:
    """Write if there is something to write, and read."""
    if content is not None:
        write(path, content)
    session = traces.read(path, name=path.name)
    assert isinstance(session, Session), session
    return session


def refused(path: Path, content: bytes | None = None) -> Problem:
    if content is not None:
        write(path, content)
    problem = traces.read(path, name=path.name)
    assert isinstance(problem, Problem), problem
    return problem


def words(session: Session, path: Path) -> list[tuple[str, str]]:
    """Every event with what it says."""
    with traces.FileContents(session, path) as contents:
        return [(event.kind.value, contents.text(event.index)) for event in session.events]
