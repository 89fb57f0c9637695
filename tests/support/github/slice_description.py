"""GitHub's OpenAPI description in, the slice that mergebar speaks out: names, types and limits only.

    npm pack @octokit/openapi && tar xzf octokit-openapi-*.tgz package/generated/api.github.com.json
    python tests/support/github/slice_description.py package/generated/api.github.com.json

Descriptions, titles and examples are left out: what a test needs is the shape.
"""

import json
import sys
from pathlib import Path
from typing import Any

OUTPUT = Path(__file__).parent / "description.json"
OPERATIONS = (
    ("get", "/user"),
    ("get", "/repos/{owner}/{repo}"),
    ("post", "/repos/{owner}/{repo}/check-runs"),
    ("patch", "/repos/{owner}/{repo}/check-runs/{check_run_id}"),
    ("get", "/repos/{owner}/{repo}/check-runs/{check_run_id}"),
    ("get", "/repos/{owner}/{repo}/commits/{ref}/check-runs"),
    ("get", "/repos/{owner}/{repo}/issues/{issue_number}/comments"),
    ("post", "/repos/{owner}/{repo}/issues/{issue_number}/comments"),
    ("patch", "/repos/{owner}/{repo}/issues/comments/{comment_id}"),
    ("delete", "/repos/{owner}/{repo}/issues/comments/{comment_id}"),
    ("get", "/repos/{owner}/{repo}/pulls"),
    ("get", "/repos/{owner}/{repo}/pulls/{pull_number}"),
    ("get", "/repos/{owner}/{repo}/pulls/{pull_number}/files"),
    ("get", "/repos/{owner}/{repo}/branches/{branch}"),
    ("get", "/repos/{owner}/{repo}/commits"),
    ("get", "/repos/{owner}/{repo}/commits/{ref}"),
    ("get", "/repos/{owner}/{repo}/commits/{commit_sha}/pulls"),
    ("get", "/repos/{owner}/{repo}/compare/{basehead}"),
    ("get", "/repos/{owner}/{repo}/contents/{path}"),
    ("get", "/repos/{owner}/{repo}/git/blobs/{file_sha}"),
    ("get", "/repos/{owner}/{repo}/actions/artifacts"),
    ("get", "/repos/{owner}/{repo}/actions/artifacts/{artifact_id}"),
    ("get", "/repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}"),
    ("get", "/repos/{owner}/{repo}/actions/runs"),
    ("get", "/repos/{owner}/{repo}/actions/runs/{run_id}"),
    ("get", "/repos/{owner}/{repo}/actions/runs/{run_id}/artifacts"),
    ("get", "/repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs"),
)
WEBHOOKS = (
    "pull-request-opened",
    "pull-request-synchronize",
    "pull-request-reopened",
    "pull-request-closed",
    "merge-group-checks-requested",
    "push",
    "workflow-dispatch",
    "workflow-run-completed",
)
PROSE = {"description", "summary", "title", "example", "examples", "externalDocs", "tags"}
SHAPE_MAPS = {"properties", "patternProperties", "schemas", "parameters", "responses", "headers"}

Node = Any  # an OpenAPI description is any JSON


def shapes(node: Node, *, names: bool = False) -> Node:
    """A node without prose and vendor extensions; under `names`, keys are names and stay."""
    if isinstance(node, list):
        return [shapes(one) for one in node]
    if not isinstance(node, dict):
        return node
    kept = {
        key: shapes(value, names=key in SHAPE_MAPS and not names)
        for key, value in node.items()
        if names or (key not in PROSE and not key.startswith("x-"))
    }
    return kept if names else _nullable(kept)


def _nullable(node: dict[str, Node]) -> Node:
    """OpenAPI 3.0's `nullable` in the terms of JSON Schema 2020-12."""
    if not node.pop("nullable", False):
        return node
    if "enum" in node and None not in node["enum"]:
        node["enum"] = [*node["enum"], None]
    if isinstance(node.get("type"), str):
        node["type"] = [node["type"], "null"]
        return node
    return {"anyOf": [node, {"type": "null"}]}


def reachable(roots: Node, components: Node) -> dict[str, dict[str, Node]]:
    """The components that the roots refer to, and those that they refer to."""
    found: dict[str, dict[str, Node]] = {}
    todo = [roots]
    while todo:
        node = todo.pop()
        if isinstance(node, list):
            todo.extend(node)
        elif isinstance(node, dict):
            todo.extend(node.values())
            reference = node.get("$ref")
            if isinstance(reference, str):
                _, _, kind, name = reference.split("/", 3)
                if name not in found.setdefault(kind, {}):
                    found[kind][name] = components[kind][name]
                    todo.append(components[kind][name])
    return found


def main(source: Path) -> None:
    """Write the slice beside this script."""
    whole = json.loads(source.read_text(encoding="utf-8"))
    paths: dict[str, dict[str, Node]] = {}
    for method, path in OPERATIONS:
        paths.setdefault(path, {})[method] = whole["paths"][path][method]
    webhooks = {
        name: whole["x-webhooks"][name]["post"]["requestBody"]["content"]["application/json"][
            "schema"
        ]
        for name in WEBHOOKS
    }
    roots = {"paths": paths, "webhooks": webhooks}
    description = {
        "version": whole["info"]["version"],
        "paths": shapes(paths, names=True),
        "webhooks": {name: shapes(schema) for name, schema in webhooks.items()},
        "components": {
            kind: {name: shapes(component) for name, component in sorted(named.items())}
            for kind, named in sorted(reachable(roots, whole["components"]).items())
            if kind != "examples"
        },
    }
    text = json.dumps(description, separators=(",", ":"), sort_keys=True)
    OUTPUT.write_text(text + "\n", encoding="utf-8")
    sys.stdout.write(f"{OUTPUT.name}: {len(text) // 1024} KiB, {len(OPERATIONS)} operations\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
