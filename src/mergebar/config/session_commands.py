"""A configuration in; the commands that no session could ever be run with, out."""

from collections.abc import Iterator

from mergebar.config.findings import Finding, Pointer, dotted, entries, mapping
from mergebar.model.text import JsonObject


def find(config: JsonObject) -> Iterator[Finding]:
    """Those of sessions; whether the program is there is known when it is started."""
    for pointer, group in entries(dict(config), "artifacts"):
        command = mapping(group, "sessions").get("command")
        argv = (
            [part for part in command if isinstance(part, str)] if isinstance(command, list) else []
        )
        if argv and argv == command:
            yield from _faults((*pointer, "sessions", "command"), argv)


def _faults(place: Pointer, argv: list[str]) -> Iterator[Finding]:
    if not argv[0].strip():
        yield _finding((*place, 0), f"`{dotted((*place, 0))}` is blank: name the program")
    for index, part in enumerate(argv):
        if "\0" in part:
            where = (*place, index)
            yield _finding(where, f"`{dotted(where)}` holds a NUL character, which no argument can")
    if not any("{prompt}" in part for part in argv):
        message = "`{prompt}` stands in no part of the command, so no session gets its prompt"
        rule = "config/session-without-prompt"
        yield Finding(pointer=place, rule=rule, message=f"{message}: add it")


def _finding(place: Pointer, message: str) -> Finding:
    return Finding(pointer=place, rule="config/entry", message=message)
