"""Commits, comparisons, contents, runs and artifacts: the loopback GitHub's part about files."""

import base64
import hashlib

from support.github.answers import NOT_FOUND, Answer, Call, error, invalid
from support.github.description import Node, example
from support.github.state import Commit

INLINE_BYTES = 1024 * 1024
MOST_COMPARED = 300


def get_branch(call: Call) -> Answer:
    sha = call.state.branches.get(call.arguments["branch"])
    if sha is None:
        return error(404, "Branch not found")
    commit = _commit(call.state.commits[sha])
    return Answer(
        body=example("branch-with-protection", name=call.arguments["branch"], commit=commit)
    )


def list_commits(call: Call) -> Answer:
    sha = call.arguments["sha"]
    if sha not in call.state.commits:
        return NOT_FOUND
    history = call.state.ancestors(sha)
    return Answer(body=[_commit(call.state.commits[one]) for one in history])


def get_commit(call: Call) -> Answer:
    commit = call.state.commits.get(call.arguments["ref"])
    if commit is None:
        return invalid("No commit found for SHA", field="ref", resource="Commit")
    return Answer(body=_commit(commit))


def _commit(commit: Commit) -> Node:
    parents = [{"sha": one, "url": "https://github.example/c"} for one in commit.parents]
    return example("commit", sha=commit.sha, parents=parents)


def compare(call: Call) -> Answer:
    ends = call.arguments["basehead"].split("...")
    base, head = (call.state.branches.get(end, end) for end in ends)
    if base not in call.state.commits or head not in call.state.commits:
        return NOT_FOUND
    before = call.state.ancestors(base)
    common = [one for one in call.state.ancestors(head) if one in before]
    if not common:
        return error(404, f"No common ancestor between {base} and {head}.")
    node = example(
        "commit-comparison",
        base_commit=_commit(call.state.commits[base]),
        merge_base_commit=_commit(call.state.commits[common[0]]),
        status="ahead",
    )
    first = call.arguments.get("page", 1) == 1
    known = call.state.compared
    files = known.get(f"{base}...{head}", known.get(head, []))
    return Answer(body={**node, "files": files[:MOST_COMPARED] if first else []})


def contents(call: Call) -> Answer:
    """Files up to 1 MiB with their content, folders as lists."""
    path = call.arguments["path"]
    commit = call.state.commits.get(call.arguments.get("ref", ""))
    if commit is None:
        return error(404, f"No commit found for the ref {call.arguments.get('ref')}")
    if path in commit.tree:
        return Answer(body=_entry(path, commit.tree[path]))
    inside = [one for one in commit.tree if one.startswith(f"{path}/")]
    if not inside:
        return NOT_FOUND
    return Answer(body=[{**_listed(one), "size": len(commit.tree[one])} for one in inside])


def _listed(path: str) -> Node:
    urls = dict.fromkeys(("url", "git_url", "html_url", "download_url"), "https://github.example/f")
    links = {"git": urls["url"], "html": urls["url"], "self": urls["url"]}
    name = path.rpartition("/")[2]
    return {**urls, "type": "file", "name": name, "path": path, "sha": "0" * 40, "_links": links}


def _entry(path: str, data: bytes) -> Node:
    inline = len(data) <= INLINE_BYTES
    return {
        **_listed(path),
        "sha": _blob_id(data),
        "size": len(data),
        "encoding": "base64" if inline else "none",
        "content": base64.encodebytes(data).decode() if inline else "",
    }


def _blob_id(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def blob(call: Call) -> Answer:
    trees = [commit.tree for commit in call.state.commits.values()]
    known = {_blob_id(data): data for tree in trees for data in tree.values()}
    data = known.get(call.arguments["file_sha"])
    if data is None:
        return NOT_FOUND
    return Answer(
        body=example(
            "blob",
            sha=call.arguments["file_sha"],
            size=len(data),
            encoding="base64",
            content=base64.encodebytes(data).decode(),
        )
    )


def get_run(call: Call) -> Answer:
    node = call.state.runs.get(call.arguments["run_id"])
    return NOT_FOUND if node is None else Answer(body=node)


def list_artifacts(call: Call) -> Answer:
    """Newest first; of the repository, or of one run."""
    name, run = call.arguments.get("name"), call.arguments.get("run_id")
    found = [
        stored.node
        for stored in reversed(call.state.artifacts.values())
        if name in {None, stored.node["name"]}
        and run in {None, (stored.node.get("workflow_run") or {}).get("id")}
    ]
    return Answer(body={"total_count": len(found), "artifacts": found})


def download_artifact(call: Call) -> Answer:
    stored = call.state.artifacts.get(call.arguments["artifact_id"])
    if stored is None:
        return NOT_FOUND
    if stored.node["expired"]:
        return error(410, "Artifact has expired")
    place = f"{call.url}/storage/{stored.node['id']}?sig=secret-signature"
    return Answer(status=302, headers={"Location": place})
