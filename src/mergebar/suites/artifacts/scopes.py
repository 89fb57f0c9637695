"""The front matter of scoped rules in, the files for which their host applies them out."""

from collections.abc import Mapping

from mergebar.model.artifacts import Identity, Scope
from mergebar.model.text import Json

_ALWAYS = frozenset({"**", "**/*", "*"})


def read(identity: Identity, front: Mapping[str, Json]) -> Scope | None:
    """By the keys of the rules' host; `None` for what is no scoped rules."""
    if not identity.scoped:
        return None
    match identity.host:
        case "github":
            globs = _globs(front.get("applyTo"))
            return Scope(always=not _ALWAYS.isdisjoint(globs), globs=globs)
        case "cursor":
            return Scope(always=front.get("alwaysApply") is True, globs=_globs(front.get("globs")))
        case "kiro":
            inclusion = front.get("inclusion", "always")
            globs = _globs(front.get("fileMatchPattern")) if inclusion == "fileMatch" else ()
            return Scope(always=inclusion == "always", globs=globs)
        case _:
            globs = _globs(front.get("paths"))
            return Scope(always=not globs, globs=globs)


def _globs(value: Json) -> tuple[str, ...]:
    """A list, or a text with commas between its globs."""
    parts = _split(value) if isinstance(value, str) else value
    if not isinstance(parts, list):
        return ()
    return tuple(part.strip() for part in parts if isinstance(part, str) and part.strip())


def _split(text: str) -> list[Json]:
    """At commas, but at those between braces: `*.{ts,tsx}` is one glob. An open brace is none."""
    if text.count("{") != text.count("}"):
        return [*text.split(",")]
    parts, depth = [""], 0
    for char in text:
        depth += (char == "{") - (char == "}")
        if char == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += char
    return [*parts]
