"""GitHub's own description of its API: a request or a response in, what is wrong with it out.

`description.json` is the slice that `slice_description.py` makes.
"""

import json
import re
import urllib.parse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

import jsonschema_rs

Node = dict[str, Any]  # an OpenAPI description is any JSON

_WHOLE: Node = json.loads((Path(__file__).parent / "description.json").read_text("utf-8"))
_COMPONENTS: Node = _WHOLE["components"]
_JSON = "application/json"
_WIDE = {"path", "basehead"}
_STRINGS = {
    "date-time": "2026-11-30T12:00:00Z",
    "uri": "https://github.example/x",
    "email": "a@b.c",
}
MOST_PER_PAGE = 100


def resolved(node: Node) -> Node:
    """What a reference leads to."""
    while "$ref" in node:
        _, _, kind, name = node["$ref"].split("/")
        node = _COMPONENTS[kind][name]
    return node


@cache
def _validator(text: str) -> jsonschema_rs.Validator:
    schema = {**json.loads(text), "components": _COMPONENTS}
    return jsonschema_rs.validator_for(schema, validate_formats=True)


def schema_faults(schema: Node, value: object, where: str) -> Iterator[str]:
    """Each disagreement, with where it is."""
    for error in _validator(json.dumps(schema, sort_keys=True)).iter_errors(value):
        yield f"{where}{''.join(f'/{part}' for part in error.instance_path)}: {error.message[:300]}"


def example(name: str, /, **values: object) -> Node:
    """The smallest object of a component that its schema allows, with these values in it."""
    schema = resolved({"$ref": f"#/components/schemas/{name}"})
    made = _smallest({**schema, "type": "object"} if "properties" in schema else schema)
    assert isinstance(made, dict)
    return {**made, **values}


def webhook(name: str, values: Node) -> Node:
    """The smallest payload of a webhook, e.g. `pull-request-opened`, with these values in it."""
    return _filled(_WHOLE["webhooks"][name], values)


def _filled(schema: Node, values: Node) -> Node:
    """These values, and whatever else the schema demands of every object among them."""
    schema = _of_object(schema)
    described = schema.get("properties", {})
    made = cast("Node", _smallest({**schema, "type": "object"}))
    for name, value in values.items():
        deeper = isinstance(value, dict) and name in described
        made[name] = _filled(described[name], value) if deeper else value
    return made


def _of_object(schema: Node) -> Node:
    """The alternative that describes an object."""
    schema = resolved(schema)
    ways = [*schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("allOf", ())]
    found = (one for one in map(resolved, ways) if "properties" in one)
    return schema if "properties" in schema else next(found, schema)


def webhook_faults(name: str, payload: object) -> list[str]:
    """What is wrong with the payload of a webhook, e.g. `pull-request-opened`."""
    return list(schema_faults(_WHOLE["webhooks"][name], payload, name))


def _smallest(schema: Node) -> object:
    schema = resolved(schema)
    if "enum" in schema:
        return None if None in schema["enum"] else schema["enum"][0]
    for alternatives in (schema.get("anyOf"), schema.get("oneOf")):
        if alternatives:
            nothing = any(one.get("type") == "null" for one in alternatives)
            return None if nothing else _smallest(alternatives[0])
    made: Node = {}
    for part in schema.get("allOf", ()):
        made.update(cast("Node", _smallest(part)))
    kind = schema.get("type", "object")
    if kind == "object":
        names = schema.get("required", ())
        return made | {name: _smallest(schema["properties"][name]) for name in names}
    return _scalar(schema, kind)


def _scalar(schema: Node, kind: str | list[str]) -> object:
    if isinstance(kind, list) or kind == "null":
        return None
    if kind == "string":
        return _STRINGS.get(schema.get("format", ""), "text")
    return {"array": [], "integer": 1, "number": 1, "boolean": False}[kind]


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One operation; `arguments` are its parameters by name, of the types that it describes."""

    id: str
    node: Node
    arguments: Mapping[str, Any]
    faults: tuple[str, ...]

    def body_faults(self, body: bytes) -> list[str]:
        """What is wrong with the body of a request."""
        described = self.node.get("requestBody")
        if described is None:
            return ["a body, and none is described"] if body else []
        try:
            value = json.loads(body)
        except ValueError:
            return ["the body is not JSON"]
        return list(schema_faults(described["content"][_JSON]["schema"], value, "body"))

    def response_faults(self, status: int, body: bytes) -> list[str]:
        """What is wrong with a response; errors that any operation may give are described once."""
        described = self.node["responses"].get(str(status))
        if described is None and status < 400:
            return [f"a response {status}, which is not described"]
        content = resolved(described or {}).get("content", {})
        schema = content.get(_JSON, {}).get("schema")
        if described is None:
            schema = {"$ref": "#/components/schemas/basic-error"}
        if schema is None:
            return ["a body, and none is described"] if body else []
        return list(schema_faults(schema, json.loads(body), f"response {status}"))


def find(method: str, target: str) -> Operation | None:
    """The operation that a request line names; `None` where none is described."""
    split = urllib.parse.urlsplit(target)
    for pattern, operations in _templates():
        matched = pattern.fullmatch(split.path)
        if matched is None or method.lower() not in operations:
            continue
        node = operations[method.lower()]
        raw = {name: urllib.parse.unquote(text) for name, text in matched.groupdict().items()}
        query = urllib.parse.parse_qsl(split.query, keep_blank_values=True)
        arguments, faults = _arguments(node, raw, query)
        return Operation(
            id=node["operationId"], node=node, arguments=arguments, faults=tuple(faults)
        )
    return None


@cache
def _templates() -> list[tuple[re.Pattern[str], Node]]:
    """The literal ones first."""
    paths = sorted(_WHOLE["paths"].items(), key=lambda item: (item[0].count("{"), item[0]))
    return [(re.compile(_pattern(path)), node) for path, node in paths]


def _pattern(template: str) -> str:
    parts = re.split(r"\{(\w+)\}", template)
    texts = [re.escape(part) for part in parts[::2]]
    names = [f"(?P<{one}>{'.+' if one in _WIDE else '[^/]+'})" for one in parts[1::2]]
    return "".join(text + name for text, name in zip(texts, [*names, ""], strict=True))


def _arguments(
    node: Node, path: Mapping[str, str], query: list[tuple[str, str]]
) -> tuple[dict[str, Any], list[str]]:
    described = {one["name"]: one for one in map(resolved, node.get("parameters", ()))}
    found: dict[str, Any] = {}
    faults = []
    for name, text in [*path.items(), *query]:
        if name not in described or name in found:
            faults.append(f"the parameter `{name}` is not described, or given twice")
            continue
        schema = described[name]["schema"]
        found[name] = _typed(schema, text)
        faults += schema_faults(schema, found[name], f"parameter {name}")
    missing = [name for name, one in described.items() if one.get("required") and name not in found]
    faults += [f"the parameter `{name}` is missing" for name in missing]
    if isinstance(found.get("per_page"), int) and found["per_page"] > MOST_PER_PAGE:
        faults.append(f"per_page is more than {MOST_PER_PAGE}")
    return found, faults


def _typed(schema: Node, text: str) -> object:
    kind = resolved(schema).get("type")
    if kind == "integer" and re.fullmatch("-?[0-9]+", text):
        return int(text)
    if kind == "boolean" and text in {"true", "false"}:
        return text == "true"
    return text
