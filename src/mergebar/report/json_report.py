"""A report in, the bytes of report.json out; and the way back, for bytes from anywhere."""

import codecs
import dataclasses
import json
import math
import re
from collections.abc import Sequence
from functools import cache
from operator import attrgetter
from typing import cast

import jsonschema_rs
import orjson

from mergebar.model.problems import Level, Problem
from mergebar.model.reports import SCHEMA, Report, ReportCheck
from mergebar.model.text import Json, JsonObject
from mergebar.reading import encoding, schemas
from mergebar.report import cleaning, pieces, shaping
from mergebar.untrusted.redaction import Redactor

SIZE_LIMIT = 512 * 1024 * 1024
"""Several times what 100,000 checks take."""

STRANGERS_LIMIT = 64 * 1024 * 1024
"""The same for a report of somebody who is not trusted with more of the memory."""

SCHEMA_FILE = "report.v1.json"
SMALLER = "let several gates share the suites, each with its own configuration and `check-name`"
_INDENTED = 2_000
_IDENTITIES = (attrgetter("id"), attrgetter("suite", "case", "turn", "name"))
_ESCAPED = re.compile(rb"\\u[dD][89a-fA-F]")


def dump(report: Report) -> bytes:
    """UTF-8 with a stable order of keys; the same report gives the same bytes.

    It is indented as long as a person may want to read it.
    """
    return encode(to_json(report), indented=len(report.checks) <= _INDENTED)


def encode(value: Json, *, indented: bool = True) -> bytes:
    """UTF-8, with a line break at the end."""
    layout = orjson.OPT_INDENT_2 if indented else 0
    try:
        return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE | layout)
    except TypeError:
        # Numbers of more than 64 bits, which only Python's own encoder writes.
        text = json.dumps(
            value, ensure_ascii=False, indent=2 if indented else None, allow_nan=False
        )
        return f"{text}\n".encode()


def to_json(report: Report) -> dict[str, Json]:
    """The report as JSON values, keys in the order of the contract."""
    fields = cast("dict[str, Json]", shaping.plain(report))
    version = fields.pop("mergebar_version")
    return {"schema": SCHEMA, "mergebar": {"version": version}, **fields}


def load(data: bytes, *, path: str = "report.json", limit: int = SIZE_LIMIT) -> Report | Problem:
    """The report, or what is wrong with the bytes. Keys that a newer mergebar added are ignored."""
    if len(data) > limit:
        return _problem("too-large", f"larger than {limit // 1024**2} MiB", path)
    data = data.removeprefix(codecs.BOM_UTF8)
    if (found := _in_pieces(data)) is not None:
        return _accepted(found, path, harmless=_ESCAPED.search(data) is None)
    try:
        value = _parsed(data)
    except (ValueError, RecursionError) as error:
        return _unparsed(data, error, path)
    if not isinstance(value, dict):
        return _problem("schema", "not an object", path)
    if (declared := value.get("schema")) != SCHEMA:
        said = f"`{declared[:40]}`" if isinstance(declared, str) else "nothing"
        return _problem("schema", f"not a `{SCHEMA}` report: `schema` says {said}", path)
    return _checked(value, path, harmless=_ESCAPED.search(data) is None)


def _in_pieces(data: bytes) -> Report | None:
    """The report, if it is a large one that is as it should be; all else is for the patient way."""
    cut = pieces.cut(data)
    if cut is None:
        return None
    try:
        frame = orjson.loads(cut.frame)
        if not isinstance(frame, dict) or frame.get("checks") != [pieces.MARK]:
            return None
        frame["checks"] = []
        if not _validator().is_valid(frame):
            return None
        checks = [check for piece in cut for check in _checks(orjson.loads(piece))]
        return dataclasses.replace(shaping.report(frame), checks=tuple(checks))
    except (ValueError, RecursionError, OverflowError):
        return None


def _checks(values: Json) -> Sequence[ReportCheck]:
    if not _validator_of_checks().is_valid(values):
        message = "not as in the schema"
        raise ValueError(message)
    return shaping.checks(cast("list[Json]", values))


def _parsed(data: bytes) -> Json:
    """The faster parser refuses more, and says less about it."""
    try:
        return cast("Json", orjson.loads(data))
    except orjson.JSONDecodeError:
        text = data.decode("utf-8")
        return cast("Json", json.loads(text, parse_constant=_refuse, parse_float=_number))


def _unparsed(data: bytes, error: Exception, path: str) -> Problem:
    if isinstance(error, UnicodeDecodeError):
        return _misread(data, path)
    damage = "" if isinstance(error, RecursionError) else _damage(data)
    return _problem("json-syntax", damage or f"not JSON ({_brief(error)})", path)


def _misread(data: bytes, path: str) -> Problem:
    """What else than UTF-8 it is."""
    found = encoding.decode(data, path=path, prefix="report", limit=SIZE_LIMIT)
    return found if isinstance(found, Problem) else _problem("json-syntax", "not UTF-8", path)


def _damage(data: bytes) -> str:
    """What became of a report whose end is missing, and that mergebar wrote all the same."""
    if not data.strip():
        return "empty"
    starts, ends = data.lstrip()[:1], data.rstrip()[-1:]
    return "cut off: its end is missing" if starts == b"{" and ends != b"}" else ""


def _checked(value: JsonObject, path: str, *, harmless: bool) -> Report | Problem:
    """The schema is what accepts; shaping then finds every field where it says."""
    try:
        fault = next(iter(_validator().iter_errors(value)), None)
        if fault is None:
            return _accepted(shaping.report(value), path, harmless=harmless)
    except (ValueError, RecursionError, OverflowError) as error:
        return _problem("schema", f"can't be read ({_brief(error)})", path)
    place = ".".join(str(step)[:40] for step in list(fault.instance_path)[:8]) or "the report"
    return _problem("schema", f"`{place}` doesn't follow `{SCHEMA_FILE}`", path)


def _accepted(report: Report, path: str, *, harmless: bool) -> Report | Problem:
    """`harmless`: there is no escape that could stand for half a character."""
    for identity in _IDENTITIES:
        if len(set(map(identity, report.checks))) < len(report.checks):
            return _problem("duplicate", f"`{_twice(report)[:200]}` is there twice", path)
    return report if harmless else cleaning.clean(report, Redactor())


def _twice(report: Report) -> str:
    """The id of a check that another one has too: which of them holds, nobody can know."""
    seen: tuple[set[object], ...] = tuple(set() for _ in _IDENTITIES)
    for check in report.checks:
        for identity, before in zip(_IDENTITIES, seen, strict=True):
            if (found := identity(check)) in before:
                return check.id
            before.add(found)
    return ""


@cache
def _validator() -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(dict(schemas.load(SCHEMA_FILE)))


@cache
def _validator_of_checks() -> jsonschema_rs.Draft202012Validator:
    defined = schemas.load(SCHEMA_FILE)["$defs"]
    listed = {"type": "array", "items": {"$ref": "#/$defs/Check"}, "$defs": defined}
    return jsonschema_rs.Draft202012Validator(listed)


def _refuse(constant: str) -> float:
    message = f"it holds {constant}"
    raise ValueError(message)


def _number(digits: str) -> float:
    number = float(digits)
    return number if math.isfinite(number) else _refuse(digits[:40])


def _brief(error: Exception) -> str:
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)[:120]


def _problem(rule: str, fault: str, path: str) -> Problem:
    message = f"the report is {fault}: name a report.json that mergebar wrote"
    if rule == "too-large":
        message = f"{fault}: {SMALLER}"
    elif fault.startswith(("`", "can't")):
        message = f"{fault}: name a report.json that mergebar wrote"
    return Problem(level=Level.ERROR, rule=f"report/{rule}", message=message, path=path)
