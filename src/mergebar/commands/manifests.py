"""The manifest beside a trace: which text of each artifact a session was recorded with."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

from mergebar.model.problems import Level, Problem
from mergebar.reading import files

SUFFIX = ".manifest.json"
SCHEMA = "mergebar.manifest/1"
_LIMIT = 1024 * 1024


def read(root: Path, trace: str) -> Mapping[str, str] | Problem | None:
    """The digests of the artifacts' texts, by path; `None` where there is no manifest."""
    path = f"{trace}{SUFFIX}"
    if not os.path.lexists(root / path):
        return None
    data = files.read(root, path, limit=_LIMIT, rule="trace/manifest")
    if isinstance(data, Problem):
        return data
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        value = None
    found = value.get("artifacts") if isinstance(value, dict) else None
    if (
        not isinstance(value, dict)
        or value.get("schema") != SCHEMA
        or not isinstance(found, dict)
        or not all(isinstance(digest, str) for digest in found.values())
    ):
        return Problem(
            level=Level.ERROR,
            rule="trace/manifest",
            message=(
                f"this is no manifest of a session (`schema` `{SCHEMA}`, and `artifacts` with a "
                "digest for each path): record the session again, or remove the file"
            ),
            path=path,
        )
    return found


def dump(bodies: Mapping[str, str], *, prompt: str, commit: str | None) -> bytes:
    """A manifest of a session that was run."""
    value = {
        "schema": SCHEMA,
        "prompt": prompt,
        "commit": commit,
        "artifacts": dict(sorted(bodies.items())),
    }
    return f"{json.dumps(value, ensure_ascii=False, indent=2)}\n".encode()
