"""What a person has to look at in, a digest of it out: another one when any of it changes.

Nothing that a machine adds (redaction, rendering, places in a file) is in it, nor where the folder
of the session lay: each session that is run has a new one.
"""

import hashlib

from mergebar.graders import targets, views
from mergebar.model.artifacts import DeclaredEval, TargetSource
from mergebar.model.conversations import Failure
from mergebar.model.gradings import Means, Seen


def digest(declared: DeclaredEval, seen: Seen, means: Means) -> str:
    """Over the eval, the artifact's text without its evals, its part of the session, its target."""
    hashed = hashlib.sha256()
    _add(hashed, declared.definition, seen.artifact.path, seen.artifact.body_digest)
    named = {call.event: call.name for call in views.calls(seen)}
    for event in views.events(seen):
        kind = seen.session.events[event].kind.value
        _add(hashed, kind, named.get(event, ""), _below(seen, seen.contents.text(event)))
    if declared.target.source is not TargetSource.TRANSCRIPT:  # that is its part of the session
        found = targets.text(declared, seen, means, shown=False)
        _add(hashed, "" if isinstance(found, Failure) else _below(seen, found.text))
    return f"sha256-{hashed.hexdigest()}"


def _below(seen: Seen, text: str) -> str:
    folder = (seen.session.cwd or "").rstrip("/")
    return text.replace(folder, ".") if folder else text


def _add(hashed: "hashlib._Hash", *parts: str) -> None:
    """Each with its length, so that no two lists of parts look the same."""
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        hashed.update(f"{len(data)}:".encode())
        hashed.update(data)
