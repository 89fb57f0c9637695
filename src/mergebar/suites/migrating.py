"""The bytes of an eval document in, its text in the current schema out, or what keeps it from that.

What needn't change keeps its spelling: indentation, line ends, escapes, the order of keys.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mergebar.model.problems import Problem, is_invalid
from mergebar.model.text import Json
from mergebar.reading import json_text
from mergebar.reading.json_text import JsonText
from mergebar.reading.schema_faults import Explain
from mergebar.suites import documents, findings, newer, shapes, versions
from mergebar.suites.findings import Finding, Places
from mergebar.suites.shapes import Shape

_VERSION = "schemaVersion"
_MARK = "\ufeff"
_OPENING = re.compile(r"\s*\{(\s*)")
_INDENT = re.compile(r"[\[{][ \t]*\r?\n([ \t]+)")
_END = json.JSONDecoder().raw_decode


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """A document as it is, and as it would be. `changes` are clauses: what becomes of it.

    Where there are none it is in the current schema already, and `after` is `before`.
    """

    before: str
    after: str
    changes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rewriting:
    text: str
    parsed: JsonText
    shape: Shape
    version: str


def migrate(data: bytes, *, path: str, explain: Explain) -> Migration | tuple[Problem, ...]:
    """Only what is right afterwards is a migration; else the problems that are in the way."""
    parsed = json_text.parse(data, path=path)
    if not isinstance(parsed, JsonText):
        return parsed
    shape = shapes.recognise(parsed.value)
    if isinstance(shape, Finding):
        places = Places(path=path, positions=parsed.positions, origin=shapes.unchanged)
        return findings.to_problems((shape,), root=parsed.value, places=places)
    text = data.decode()
    made = _rewritten(text, parsed, shape)
    outcome = documents.check(made.after.encode(), path=path, explain=explain)
    if not is_invalid(outcome.problems):
        return made
    # Of a document as it is: that has its places, and needn't be checked again where it stays.
    as_it_is = documents.check(data, path=path, explain=explain) if made.changes else outcome
    return _in_the_way(as_it_is.problems) or outcome.problems


def _in_the_way(told: Sequence[Problem]) -> tuple[Problem, ...]:
    """The errors, but for those that a newer version mends."""
    return tuple(one for one in told if is_invalid([one]) and one.rule != newer.RULE)


def _rewritten(text: str, parsed: JsonText, shape: Shape) -> Migration:
    bare = text.removeprefix(_MARK)
    needed = newer.needed(shape.root)
    version = f"1.{needed}.0"
    making = _Rewriting(text=bare, parsed=parsed, shape=shape, version=version)
    if not shape.legacy:
        declared = versions.read(shape.root[_VERSION], [])
        if declared.minor >= needed:
            return Migration(before=text, after=text)
        raised = f"`{_VERSION}` rises from `{declared.declared}` to `{version}`"
        return _made(text, _raised(making), raised)
    rewrite, said = _legacy(parsed.value)
    return _made(text, rewrite(making), *said, f"`{_VERSION}` is `{version}`")


def _made(before: str, after: str, *changes: str) -> Migration:
    marked = ("the byte order mark goes",) if before.startswith(_MARK) else ()
    return Migration(before=before, after=after, changes=(*changes, *marked))


def _legacy(value: Json) -> tuple[Callable[[_Rewriting], str], tuple[str, ...]]:
    """What rewrites a legacy shape, and what becomes of it besides its version."""
    if isinstance(value, list):
        return _wrapped, ("the array becomes `items`",)
    if isinstance(value, dict) and "items" in value:
        return _declared, ()
    return _paired, ("`prompts` become `items`",)


def _raised(making: _Rewriting) -> str:
    start = making.parsed.positions.offset((_VERSION,))
    _, end = _END(making.text, start)
    return f'{making.text[:start]}"{making.version}"{making.text[end:]}'


def _declared(making: _Rewriting) -> str:
    opening = _OPENING.match(making.text)
    gap = opening.group(1) if opening else ""
    start = opening.end() if opening else 0
    first = f'"{_VERSION}": "{making.version}",'
    return f"{making.text[:start]}{first}{gap or ' '}{making.text[start:]}"


def _wrapped(making: _Rewriting) -> str:
    items = making.text.strip()
    tail = making.text[len(making.text.rstrip()) :]
    if "\n" not in items:
        return f'{{"{_VERSION}": "{making.version}", "items": {items}}}{tail}'
    unit, end = _indent(items), _line_end(items)
    # No string of JSON holds a raw line break, so that each one is the layout's.
    inner = items.replace("\n", f"\n{unit}")
    lines = ("{", f'{unit}"{_VERSION}": "{making.version}",', f'{unit}"items": {inner}', "}")
    return f"{end.join(lines)}{tail}"


def _paired(making: _Rewriting) -> str:
    root: dict[str, Json] = {_VERSION: making.version, **making.shape.root}
    body = making.text.strip()
    tail = making.text[len(making.text.rstrip()) :]
    indent = _indent(body) if "\n" in body else None
    drawn = json.dumps(root, indent=indent, ensure_ascii=body.isascii())
    return f"{drawn.replace(chr(10), _line_end(body))}{tail}"


def _indent(text: str) -> str:
    found = _INDENT.match(text)
    return found.group(1) if found else "  "


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
