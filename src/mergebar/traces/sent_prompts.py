"""The trace of a session that was just run and what it was asked in, the session out."""

import json
from pathlib import Path

from mergebar.model.problems import Problem
from mergebar.model.sessions import Capability, Session
from mergebar.traces import formats, reading


def read(path: Path, *, name: str, prompt: str) -> Session | Problem:
    """Read a trace. A stream without its prompt gets it, as its host could have written it."""
    session = reading.read(path, name=name)
    if not isinstance(session, Session) or session.format != formats.CLAUDE_STREAM:
        return session
    if Capability.PROMPTS in session.capabilities or not prompt:
        return session
    message = {"role": "user", "content": prompt}
    record = {"type": "user", "message": message, "parent_tool_use_id": None, "isReplay": True}
    path.write_bytes(json.dumps(record).encode() + b"\n" + path.read_bytes())
    return reading.read(path, name=name)
