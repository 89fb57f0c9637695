"""The bytes of mergebar.yml in, the configuration out, or every problem at once with its place."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import TypeAlias, cast

from mergebar.config import (
    amounts,
    availability,
    building,
    globs,
    hints,
    kinds,
    references,
    session_commands,
)
from mergebar.config.findings import Finding, Pointer, dotted, entries, fits, mapping
from mergebar.config.kinds import Installed
from mergebar.model.configuration import Config
from mergebar.model.problems import EntryFault, Level, Location, Problem, is_invalid, together
from mergebar.model.text import Json, JsonObject
from mergebar.reading import accepting, pointers, schemas, yaml_text
from mergebar.reading.positions import Positions
from mergebar.reading.schema_faults import Explain, SchemaFault
from mergebar.reading.sentences import shown

SCHEMA = "config.v1.json"
_PREFIX = "config"
_MISSING = f"{_PREFIX}/required"
_VERBATIM = ("agents", "*", "body")
_RULES = (availability, references, globs, amounts, session_commands)


EntryFaults: TypeAlias = Callable[[str, str, JsonObject], Iterable[EntryFault]]
"""Says what is wrong with an entry of `agents` or the `judge`, by its type. What adapters know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """`config` is `None` exactly when one of the problems is an error."""

    config: Config | None
    problems: tuple[Problem, ...]


def parse(
    data: bytes,
    *,
    path: str,
    explain: Explain,
    entry_faults: EntryFaults | None = None,
    installed: Installed = kinds.none_installed,
) -> Parsed:
    """Read a configuration; `path` is repository-relative, for the places of its problems.

    Without `entry_faults` the entries of agents and the judge are taken at their word. `installed`
    is asked only where a name isn't built in.
    """
    text = yaml_text.parse(data, path=path, prefix=_PREFIX, read_past=True)
    if isinstance(text, tuple):
        return Parsed(config=None, problems=text)
    value = _without_unset(text.value, ())
    findings = _findings({} if value is None else value, explain, installed)
    if entry_faults is not None and not any(one.level is Level.ERROR for one in findings):
        findings += _of_entries(value, entry_faults)
    places = _Places(path=path, positions=text.positions)
    problems = together(text.problems, places.problems(findings))
    if is_invalid(problems) or not isinstance(value, dict):
        return Parsed(config=None, problems=problems)
    config = building.build(value, schemas.load(SCHEMA), path=path, place=places.of_key)
    return Parsed(config=config, problems=problems)


def _without_unset(value: Json, pointer: Pointer) -> Json:
    """An empty value is unset; only what is sent to an agent as it stands keeps its nulls."""
    if fits(pointer, _VERBATIM):
        return value
    if isinstance(value, dict):
        return {
            key: _without_unset(item, (*pointer, key))
            for key, item in value.items()
            if item is not None
        }
    if isinstance(value, list):
        return [_without_unset(item, (*pointer, index)) for index, item in enumerate(value)]
    return value


def _findings(value: Json, explain: Explain, installed: Installed) -> list[Finding]:
    found: list[Finding] = []
    if not _accepts()(value):
        schema = _without_null(dict(schemas.load(SCHEMA)))
        found += [_explained(fault, value) for fault in explain(cast("JsonObject", schema), value)]
    if isinstance(value, dict):
        found += chain.from_iterable(rules.find(value) for rules in _RULES)
        nobodys = list(kinds.find(value, installed))
        entries_of = {one.pointer[:-1] for one in nobodys}
        # What an entry lacks depends on its type, and of that enough is said.
        found = [one for one in found if one.rule != _MISSING or one.pointer not in entries_of]
        found += nobodys
    return found


def _of_entries(value: Json, faults: EntryFaults) -> Iterator[Finding]:
    """What the adapters have against their entries, once the schema has nothing."""
    places: list[tuple[Pointer, dict[str, Json]]] = [*entries(value, "agents")]
    if judge := mapping(value, "judge"):
        places.append((("judge",), judge))
    for pointer, entry in places:
        for fault in faults(str(pointer[0]), str(entry.get("type")), entry):
            place = (*pointer, *fault.key)
            yield Finding(
                pointer=place,
                rule=f"{_PREFIX}/entry",
                message=f"`{dotted(place)}` {fault.message}",
                level=fault.level,
            )


@cache
def _accepts() -> Callable[[Json], bool]:
    return accepting.accepts(schemas.load(SCHEMA))


def _without_null(schema: Json) -> Json:
    """The schema for editors takes an empty value; here it is gone, and not worth a mention."""
    if isinstance(schema, list):
        return [_without_null(item) for item in schema if item not in (None, "null")]
    if isinstance(schema, dict):
        return {key: _without_null(item) for key, item in schema.items()}
    return schema


def _explained(fault: SchemaFault, value: Json) -> Finding:
    pointer = fault.pointer
    hint = _hint(fault, value)
    rule = fault.rule.rpartition("/")[2]
    message = fault.message if hint is None else f"{fault.message}; {hint}"
    if rule == "pattern" and hint is not None:  # nobody wants to read a regular expression
        message = f"`{dotted(pointer)}` can't be {shown(pointers.at(value, pointer))}: {hint}"
    return Finding(pointer=pointer, rule=f"{_PREFIX}/{rule}", message=message, on_key=fault.on_key)


def _hint(fault: SchemaFault, value: Json) -> str | None:
    pointer = fault.pointer
    at = pointers.at(value, pointer)
    if fault.on_key:
        return None
    if isinstance(at, dict):
        named = (word for word in fault.message.split("`")[1::2] if word not in at)
        wanted = (hints.missing(pointer, word) for word in named)
        return next((hint for hint in wanted if hint is not None), None) or hints.hint(pointer, at)
    if "must be `true` or `false`" in fault.message:
        return hints.boolean(at)
    return hints.hint(pointer, at)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Places:
    """Turns pointers into places of the file."""

    path: str
    positions: Positions

    def problems(self, findings: Sequence[Finding]) -> tuple[Problem, ...]:
        """In the order of the file; what two rules say in the same words is said once."""
        problems = dict.fromkeys(self._problem(finding) for finding in findings)
        return tuple(sorted(problems, key=lambda problem: (problem.line or 0, problem.column or 0)))

    def of_key(self, pointer: Pointer) -> Location:
        """Where the key, or the entry of a list, stands."""
        line, column = self.positions.locate(pointer, key=True)
        return Location(path=self.path, line=line, column=column)

    def _problem(self, finding: Finding) -> Problem:
        line, column = self.positions.locate(finding.pointer, key=finding.on_key)
        return Problem(
            level=finding.level,
            rule=finding.rule,
            message=finding.message,
            path=self.path,
            line=line,
            column=column,
        )
