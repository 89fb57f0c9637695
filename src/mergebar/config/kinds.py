"""A configuration's types and graders in, those that nobody brings out.

What is built in stands in literal tables; what packages bring is asked for only past them.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import TypeAlias

from mergebar.catalogue import graders
from mergebar.config.findings import Finding, Pointer, entries, mapping
from mergebar.model.problems import Level
from mergebar.model.text import Json, JsonObject
from mergebar.reading.nearest import nearest
from mergebar.reading.sentences import listed, quoted

Installed: TypeAlias = Callable[[str], Collection[str]]
"""The names that packages bring to a group: `agents`, `judges` or `graders`. Costly to ask."""

AGENTS = ("command", "http", "openai", "replay")
JUDGES = ("openai", "azure", "replay")
_LATER = ("a2a", "directline")
"""Names that a package can't take either: of them `availability` tells."""


def none_installed(group: str) -> Collection[str]:
    """As where no package brings anything."""
    del group
    return ()


def find(config: JsonObject, installed: Installed) -> Iterator[Finding]:
    """Types that nobody brings are errors; a rule for such a grader only matches nothing."""
    value = dict(config)
    for pointer, agent in entries(value, "agents"):
        yield from _type((*pointer, "type"), agent.get("type"), AGENTS, installed)
    kind = mapping(value, "judge").get("type")
    yield from _type(("judge", "type"), kind, JUDGES, installed)
    yield from _graders(value, installed)


def _type(
    pointer: Pointer, name: Json, built_in: Collection[str], installed: Installed
) -> Iterator[Finding]:
    if not isinstance(name, str) or name in (*built_in, *_LATER):
        return
    group = "judges" if pointer[0] == "judge" else "agents"
    brought = sorted(installed(group))
    if name not in brought:
        one = group.removesuffix("s")
        message = f"there is no {one} type {quoted(name)}: {_instead(name, built_in, brought)}"
        yield Finding(pointer=pointer, rule="config/unknown-type", message=message)


def _instead(name: str, built_in: Iterable[str], brought: Iterable[str]) -> str:
    near = nearest(name, [*built_in, *brought])
    if near is not None:
        return f"did you mean {quoted(near)}?"
    return f"built in are {listed(built_in)}; is the package that brings it installed?"


def _graders(config: dict[str, Json], installed: Installed) -> Iterator[Finding]:
    for pointer, rule in entries(config, "rules"):
        name = mapping(rule, "match").get("grader")
        if not isinstance(name, str) or name.startswith(graders.CHECKER_PREFIX):
            continue
        if name in graders.GRADERS:
            continue
        brought = sorted(installed("graders"))
        if name not in brought:
            message = (
                f"there is no grader {quoted(name)}, so this rule matches nothing: "
                f"{_instead(name, graders.GRADERS, brought)}"
            )
            yield Finding(
                pointer=(*pointer, "match", "grader"),
                rule="config/unknown-grader",
                message=message,
                level=Level.WARNING,
            )
