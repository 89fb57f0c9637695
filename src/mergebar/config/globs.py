"""A configuration's globs in, what is wrong with them out."""

from collections.abc import Iterator

from mergebar import patterns
from mergebar.config.findings import Finding, Pointer, entries, mapping
from mergebar.model.text import Json, JsonObject

_LISTS = (("agents", "sources"), ("documents", "paths"))
_ARTIFACT_LISTS = (("artifacts", "paths"), ("artifacts", "sources"), ("artifacts", "traces"))


def find(config: JsonObject) -> Iterator[Finding]:
    """Malformed patterns, lists that only take back, and patterns that stand twice."""
    value = dict(config)
    lists = [
        ((*pointer, key), entry[key])
        for section, key in (*_LISTS, *_ARTIFACT_LISTS)
        for pointer, entry in entries(value, section)
        if key in entry
    ]
    lists += [
        ((*pointer, "sessions", "prompts"), mapping(group, "sessions")["prompts"])
        for pointer, group in entries(value, "artifacts")
        if "prompts" in mapping(group, "sessions")
    ]
    for pointer, globs in lists:
        yield from _list(pointer, globs)
    yield from _twice(value)
    for pointer, rule in entries(value, "rules"):
        path = mapping(rule, "match").get("path")
        if isinstance(path, str):
            yield from _glob((*pointer, "match", "path"), path)


def _list(pointer: Pointer, globs: Json) -> Iterator[Finding]:
    if not isinstance(globs, list):
        return
    sound = [(index, glob) for index, glob in enumerate(globs) if isinstance(glob, str)]
    for index, glob in sound:
        yield from _glob((*pointer, index), glob)
    if sound and all(glob.startswith("!") for _, glob in sound):
        message = (
            f"`{pointer[-1]}` selects nothing: every pattern starts with `!`, and there is nothing "
            "to take back; put a pattern before them"
        )
        yield Finding(pointer=pointer, rule="config/pattern", message=message)


def _glob(pointer: Pointer, glob: str) -> Iterator[Finding]:
    fault = patterns.fault(glob) if glob else None  # the schema refuses an empty one
    if fault is not None:
        yield Finding(pointer=pointer, rule="config/pattern", message=fault)


def _twice(config: Json) -> Iterator[Finding]:
    """A file in two groups is invalid, so one pattern in two groups always is."""
    for section in ("documents", "artifacts"):
        seen: dict[str, Pointer] = {}
        for pointer, group in entries(config, section):
            paths = group.get("paths")
            for index, glob in enumerate(paths if isinstance(paths, list) else []):
                place = (*pointer, "paths", index)
                if not isinstance(glob, str) or glob.startswith("!"):
                    continue
                if glob in seen:
                    message = (
                        f"the pattern `{glob}` stands in {_group(seen[glob])} already, and a file "
                        "may be in one group only: remove one of the two"
                    )
                    yield Finding(pointer=place, rule="config/duplicate-pattern", message=message)
                seen.setdefault(glob, place)


def _group(pointer: Pointer) -> str:
    section, index, *_ = pointer
    return f"entry {int(index) + 1} of `{section}`"
