"""The manifest beside a trace: what each artifact was made of when the session was recorded."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

from mergebar.model.problems import Level, Problem
from mergebar.model.scenarios import MANIFEST, Tie
from mergebar.model.text import Json
from mergebar.reading import files

SUFFIX = MANIFEST
SCHEMA = "mergebar.manifest/2"
FIRST = "mergebar.manifest/1"
"""Knew the digests of texts alone: `artifacts` has one for each path."""

_LIMIT = 1024 * 1024
_PARTS = frozenset({"body", "folder", "sources"})


def read(root: Path, trace: str) -> Mapping[str, Tie] | Problem | None:
    """What the session was recorded with, by path; `None` where there is no manifest."""
    path = f"{trace}{SUFFIX}"
    if not os.path.lexists(root / path):
        return None
    data = files.read(root, path, limit=_LIMIT, rule="trace/manifest")
    if isinstance(data, Problem):
        return data
    try:
        value: Json = json.loads(data)
    except (ValueError, RecursionError):
        value = None
    ties = _ties(value)
    return _problem(path) if ties is None else ties


def _ties(value: Json) -> dict[str, Tie] | None:
    """`None` where anything of it isn't as it should be."""
    if not isinstance(value, dict) or not isinstance(value.get("artifacts"), dict):
        return None
    of_one = {SCHEMA: _tie, FIRST: _text_alone}.get(str(value.get("schema")))
    artifacts = value["artifacts"]
    if of_one is None or not isinstance(artifacts, dict):
        return None
    found = {path: of_one(entry) for path, entry in artifacts.items()}
    ties = {path: tie for path, tie in found.items() if tie is not None}
    return ties if len(ties) == len(found) else None


def _tie(entry: Json) -> Tie | None:
    if not isinstance(entry, dict) or not isinstance(entry.get("body"), str):
        return None
    texts = {name: one for name, one in entry.items() if isinstance(one, str) and name in _PARTS}
    if len(texts) < len(entry):
        return None
    return Tie(body=texts["body"], folder=texts.get("folder"), sources=texts.get("sources"))


def _text_alone(entry: Json) -> Tie | None:
    return Tie(body=entry) if isinstance(entry, str) else None


def dump(ties: Mapping[str, Tie], *, prompt: str, commit: str | None) -> bytes:
    """A manifest of a session that was run."""
    value = {
        "schema": SCHEMA,
        "prompt": prompt,
        "commit": commit,
        "artifacts": {path: _entry(tie) for path, tie in sorted(ties.items())},
    }
    return f"{json.dumps(value, ensure_ascii=False, indent=2)}\n".encode()


def _entry(tie: Tie) -> dict[str, str]:
    parts = {"body": tie.body, "folder": tie.folder, "sources": tie.sources}
    return {name: digest for name, digest in parts.items() if digest is not None}


def _problem(path: str) -> Problem:
    return Problem(
        level=Level.ERROR,
        rule="trace/manifest",
        message=(
            f"this is no manifest of a session (`schema` `{SCHEMA}`, and `artifacts` with `body`, "
            "and maybe `folder` and `sources`, for each path): record the session again, or remove "
            "the file"
        ),
        path=path,
    )
