"""The bytes of a YAML file in, its value and the places of its nodes out, or every problem."""

from dataclasses import dataclass, replace
from typing import cast

import yaml

from mergebar.model.problems import Level, Problem
from mergebar.model.text import Json
from mergebar.reading import encoding, yaml_breaks, yaml_building, yaml_syntax
from mergebar.reading.limits import MAX_BYTES, MAX_TOLD
from mergebar.reading.lines import Lines
from mergebar.reading.yaml_building import Builder, Fault
from mergebar.reading.yaml_positions import Child, Node, YamlPositions

# A PyYAML that was built without libyaml reads the same, at a tenth of the speed.
_LOADER = cast("type[yaml.SafeLoader]", getattr(yaml, "CSafeLoader", yaml.SafeLoader))


_CLEAR = {"duplicate-key", "lone-surrogate", "non-finite-number", "non-string-key", "tag"}
"""Faults that leave no doubt about what else the text says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class YamlText:
    """A YAML text that can be used; `value` is `None` for an empty one.

    `problems` are notices, or what `read_past` asked for.

    What an alias stands for is one object in several places: don't change the value.
    """

    value: Json
    positions: YamlPositions
    problems: tuple[Problem, ...]


def parse(
    data: bytes,
    *,
    path: str,
    prefix: str,
    first_line: int = 1,
    limit: int = MAX_BYTES,
    most_aliases: int | None = None,
    read_past: bool = False,
) -> YamlText | tuple[Problem, ...]:
    """Read one YAML 1.2 document (core schema) in UTF-8, within our limits.

    Rules begin with `prefix`. `first_line` is the line of the file on which `data` begins.

    With `read_past`, a text whose faults leave no doubt about the rest of it comes out with its
    errors, so that more can be said of it: a key given twice counts as first given, and what isn't
    what it claims to be as text.
    """
    decoded = encoding.decode(data, path=path, prefix=prefix, limit=limit)
    if isinstance(decoded, Problem):
        return (_moved(decoded, first_line),)
    lines = Lines(decoded.text, first_line=first_line)
    builder, fatal = _build(decoded.text, lines, _LOADER, most_aliases)
    faults = builder.faults[:MAX_TOLD] + ([fatal] if fatal else [])
    problems = (
        *(_moved(problem, first_line) for problem in decoded.problems),
        *(_problem(fault, lines.at(fault.offset), path, prefix) for fault in faults),
    )
    wrong = {fault.rule for fault in faults if fault.level is Level.ERROR}
    if wrong and (fatal or not read_past or not wrong <= _CLEAR):
        return problems
    root = builder.root or Child(Node(None), offset=0, key_offset=0)
    positions = YamlPositions(root, lines, decoded.text)
    return YamlText(value=root.node.value, positions=positions, problems=problems)


def _build(
    text: str, lines: Lines, loader: type[yaml.SafeLoader], most_aliases: int | None = None
) -> tuple[Builder, Fault | None]:
    """What could be read, and what ended the reading before its end."""
    builder = Builder(lines, most_aliases=most_aliases)
    fatal = yaml_syntax.unprintable(text)
    if fatal is None:
        try:
            builder.take(yaml_breaks.parse(text, loader))
        except yaml_building.Stop as stop:
            fatal = stop.fault
        except yaml.YAMLError as error:
            fatal = yaml_syntax.describe(error, text, lines)
    return builder, fatal


def _moved(problem: Problem, first_line: int) -> Problem:
    return replace(problem, line=problem.line + first_line - 1) if problem.line else problem


def _problem(fault: Fault, place: tuple[int, int], path: str, prefix: str) -> Problem:
    return Problem(
        level=fault.level,
        rule=f"{prefix}/{fault.rule}",
        message=fault.sentence,
        path=path,
        line=place[0],
        column=place[1],
    )
