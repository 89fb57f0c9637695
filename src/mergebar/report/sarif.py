"""Findings in, SARIF 2.1.0 out: what a code scanner shows on lines, each known again next time."""

import hashlib
import json
import urllib.parse
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from mergebar.model.text import Json, JsonObject
from mergebar.untrusted import characters, truncation

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
VERSION = "2.1.0"
HOME = "https://github.com/mergebar/mergebar"
_FINGERPRINT = "mergebar/v1"
_ROOT = "%SRCROOT%"
_MESSAGE = 4_000
_NAME = 255
_MARKS = str.maketrans({"{": "{{", "}": "}}", "[": "\\[", "]": "\\]"})
_LEVELS: Mapping[str, str] = {"error": "error", "warning": "warning", "notice": "note"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One result. `level` is `error`, `warning` or `notice`; `key` is what makes it the same one.

    `waits`: a person has to look at it, so that it is no failure yet.
    """

    rule: str
    level: str
    message: str
    path: str | None
    line: int | None
    column: int | None
    key: str
    about: str = ""
    waits: bool = False
    properties: JsonObject | None = None


def log(
    findings: Sequence[Finding], *, version: str, category: str, complete: bool = True
) -> JsonObject:
    """A log with one run. What has no place in a file becomes a notification of the run.

    `category` tells apart the runs that are uploaded for one commit.
    """
    named = [replace(one, rule=characters.line(one.rule, limit=_NAME)) for one in findings]
    placed = [one for one in named if _is_relative(one.path)]
    rules = {one.rule: index for index, one in enumerate(_by_rule(placed))}
    loose = (one for one in named if not _is_relative(one.path))
    run: dict[str, Json] = {
        "tool": {
            "driver": {
                "name": "mergebar",
                "version": characters.line(version, limit=_NAME),
                "informationUri": HOME,
                "rules": [_rule(one) for one in _by_rule(placed)],
            }
        },
        "automationDetails": {"id": f"{urllib.parse.quote(category, safe='')}/"},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {
            _ROOT: {"description": {"text": "The top folder of the repository."}}
        },
        "invocations": [
            {
                "executionSuccessful": complete,
                "toolConfigurationNotifications": [_notification(one) for one in loose],
            }
        ],
        "results": list(_results(placed, rules)),
    }
    return {"$schema": SCHEMA, "version": VERSION, "runs": [run]}


def text(value: JsonObject) -> str:
    """In ASCII, so that no stream and no reader has a choice."""
    return json.dumps(value, indent=2, allow_nan=False) + "\n"


def _by_rule(findings: Iterable[Finding]) -> list[Finding]:
    """The first finding of each rule, in the order of the rules' names."""
    first: dict[str, Finding] = {}
    for one in findings:
        first.setdefault(one.rule, one)
    return [first[name] for name in sorted(first)]


def _rule(one: Finding) -> dict[str, Json]:
    rule: dict[str, Json] = {
        "id": one.rule,
        "defaultConfiguration": {"level": _LEVELS.get(one.level, "note")},
    }
    if one.about:
        rule["shortDescription"] = {"text": _text(one.about)}
    return rule


def _result(one: Finding, *, index: int, occurrence: int) -> dict[str, Json]:
    result: dict[str, Json] = {
        "ruleId": one.rule,
        "ruleIndex": index,
        "kind": "review" if one.waits else "fail",
        "level": "none" if one.waits else _LEVELS.get(one.level, "note"),
        "message": {"text": _text(one.message) or "no message"},
        "locations": [{"physicalLocation": dict(_place(one))}],
        "partialFingerprints": {_FINGERPRINT: _digest(one, occurrence)},
    }
    if one.properties:
        result["properties"] = dict(one.properties)
    return result


def _results(placed: Iterable[Finding], rules: Mapping[str, int]) -> Iterator[Json]:
    seen: Counter[tuple[str, str]] = Counter()
    for one in placed:
        seen[one.rule, one.key] += 1
        occurrence = seen[one.rule, one.key]
        yield _result(one, index=rules[one.rule], occurrence=occurrence)


def _place(one: Finding) -> Iterator[tuple[str, Json]]:
    """Without a line, the whole file is meant, which viewers want to be its first line."""
    uri = urllib.parse.quote(one.path or "", safe="/", errors="replace")
    yield "artifactLocation", {"uri": uri, "uriBaseId": _ROOT}
    region: dict[str, Json] = {"startLine": max(one.line or 1, 1)}
    if one.line is not None and one.column is not None and one.column > 0:
        region["startColumn"] = one.column
    yield "region", region


def _notification(one: Finding) -> dict[str, Json]:
    return {
        "level": _LEVELS.get(one.level, "note"),
        "message": {"text": _text(one.message) or "no message"},
        "descriptor": {"id": characters.line(one.rule, limit=_NAME)},
    }


def _text(message: str) -> str:
    """Plain text, in which `[…](…)` would be a link and `{0}` an argument."""
    shown = truncation.characters(characters.reveal(message), _MESSAGE)
    return shown.translate(_MARKS)


def _digest(one: Finding, occurrence: int) -> str:
    """The same when lines move, and when only the words of its message change."""
    parts = json.dumps([one.rule, one.key, occurrence])
    return hashlib.sha256(parts.encode()).hexdigest()


def _is_relative(path: str | None) -> bool:
    return (
        bool(path) and path is not None and not path.startswith("/") and ".." not in path.split("/")
    )
